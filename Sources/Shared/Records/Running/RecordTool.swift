import Support

/// What a tool does with records, in two steps: it looks at those that have arrived, and may be done with some of them
/// at once; the work that is left is performed on the run's threads.
public protocol RecordTool: Sendable {
    /// The tool's name, as it stands in `error.tool`.
    var name: String { get }
    /// Whether records that bear an `error` of an earlier tool are for it too; else they pass untouched.
    var acceptsErrors: Bool { get }
    /// Whether there is something to do; a record that is not accepted passes untouched. Called for every record in
    /// order, so it must be quick.
    func accepts(_ job: RecordJob) -> Bool
    /// Looks at records that have arrived together, in order, and says of each what is to become of it. Called on the
    /// thread that reads, so it must take microseconds for each and wait for nobody.
    func prepare(_ jobs: [RecordJob]) -> [Prepared]
    /// The same for one record. What it throws becomes the record's `error`, as what its work throws does.
    func prepare(_ job: RecordJob) throws -> Prepared
    /// Takes from a record that could not be prepared, or whose work failed, what it must not say any more, no matter
    /// which tool set it, and adds what stands in for that. Called before the record gets its `error`; not for work
    /// that was cancelled.
    func retract(_ record: inout Record, argument: String?)
}

extension RecordTool {
    public var acceptsErrors: Bool { false }

    public func accepts(_ job: RecordJob) -> Bool { true }

    /// Looks at one after the other.
    public func prepare(_ jobs: [RecordJob]) -> [Prepared] { jobs.map { job in Prepared { try prepare(job) } } }

    public func retract(_ record: inout Record, argument: String?) {}
}

/// What is to become of a record.
public enum Prepared: Sendable {
    /// It is finished, with the tool's fields: hits in a stream then cost no hand-over between threads, and no write
    /// each.
    case done(Record)
    /// There is work to do, which knows what was read so far.
    case work(Work)

    /// Adds the tool's fields to a record. A failure becomes the record's `error`; fields that were set earlier stay,
    /// except the fields that `RecordTool.retract` removes. Called on several threads.
    public typealias Work = @Sendable (_ record: inout Record, _ run: WorkContext) throws -> Void

    /// What `body` returns, or work that throws what it throws.
    public init(_ body: () throws -> Prepared) {
        do { self = try body() } catch { self = .work { _, _ in throw error } }
    }
}

/// The services of a run for the work on a record.
public struct WorkContext {
    /// Writes a record before the work on it is done, in its place among the others.
    public let emit: (Record) -> Void
    /// Performs a wait for earlier records; the run works on later records in that time.
    public let wait: (() -> Void) -> Void

    public init(emit: @escaping (Record) -> Void = { _ in }, wait: @escaping (() -> Void) -> Void = { $0() }) {
        self.emit = emit
        self.wait = wait
    }
}

/// A failure after which no other record could be worked on either: its record bears it, no further one is read, and
/// `RecordRun.run` throws it.
public struct EndOfRun: WrappingFailure {
    public let reason: any Failure

    public init(_ reason: any Failure) { self.reason = reason }
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
    public func prepare(_ job: RecordJob) -> Prepared { .done(job.record) }
}
