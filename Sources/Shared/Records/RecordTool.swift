import Support

/// One thing for a tool to do: a record, and the plain argument that stood in for it, if one did.
public struct RecordJob: Sendable {
    public var record: Record
    public let argument: String?
    /// The line of the input on which the record began, counted from 1; nil for one that came from elsewhere.
    public let line: Int?

    public init(_ record: Record, argument: String? = nil, line: Int? = nil) {
        self.record = record
        self.argument = argument
        self.line = line
    }

    /// How many bytes of memory it takes.
    var footprint: Int { record.footprint + (argument?.utf8.count ?? 0) }
}

/// What a source of records gives: something to do, or something that is no record.
public enum RecordInput: Sendable {
    case job(RecordJob)
    /// Becomes this record with `error` added, and with `input_line` where the input has lines.
    case bad(any Failure, in: Record = Record())
}

extension RecordReader {
    /// The next record as a job.
    public func nextInput() throws -> RecordInput? {
        switch try next() {
        case nil: nil
        case .record(let record): .job(RecordJob(record, line: recordLine))
        case .bad(let bad): .bad(bad)
        }
    }
}

/// What a tool does with records.
public protocol RecordTool: Sendable {
    /// The tool's name, as it stands in `error.tool`.
    var name: String { get }
    /// Whether there is something to do; a record that is not accepted passes untouched. Called for every record in
    /// order, so it must be quick.
    func accepts(_ job: RecordJob) -> Bool
    /// Whether records that bear an `error` of an earlier tool are for it too; else they pass untouched.
    var acceptsErrors: Bool { get }
    /// Does what `process` would where that takes microseconds and waits for nobody: hits in a stream then cost no
    /// hand-over between threads, and no write each. Else gives false and leaves the record as it is. Called for every
    /// record that is accepted, in order, on the thread that reads.
    func processAtOnce(_ record: inout Record, argument: String?) -> Bool
    /// Does the work and adds the tool's fields. A failure becomes the record's `error`; fields that were set before
    /// it was thrown stay, except those that `retract` takes away. Called on several threads at once.
    ///
    /// - Parameter emit: writes a record before the work on it is done, in its place among the others.
    func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws
    /// Takes from a record that `process` failed on what it must not say any more, whoever set it, and adds what stands
    /// in for that. Called before the record gets its `error`; not for work that was cancelled.
    func retract(_ record: inout Record, argument: String?)
}

extension RecordTool {
    public func accepts(_ job: RecordJob) -> Bool { true }
    public var acceptsErrors: Bool { false }
    public func processAtOnce(_ record: inout Record, argument: String?) -> Bool { false }
    public func retract(_ record: inout Record, argument: String?) {}
}

/// A failure after which no other record could be worked on either: its record bears it, no further one is read, and
/// `RecordRun.run` throws it.
public struct EndOfRun: Failure {
    public let reason: any Failure

    public init(_ reason: any Failure) { self.reason = reason }

    public var code: String { reason.code }
    public var message: String { reason.message }
    public var isTransient: Bool { reason.isTransient }
    public var exitCode: ExitCode { reason.exitCode }
}

/// Thrown by a tool that wants its record to leave no trace, which is no failure.
public struct LeftOut: Error {
    public init() {}
}

/// Does nothing: for a tool whose records come out of its source finished.
public struct PassingTool: RecordTool {
    public let name: String

    public init(name: String) { self.name = name }

    public func accepts(_ job: RecordJob) -> Bool { false }
    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) {}
}
