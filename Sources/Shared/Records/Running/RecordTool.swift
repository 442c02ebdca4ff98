import Support

/// Works on records in two steps: `prepare` looks at records that have arrived together and may finish some of them;
/// the remaining work runs on the run's threads.
public protocol RecordTool: Sendable {
    /// The value of `error.tool`.
    var name: String { get }
    /// Whether the tool also works on records that bear an `error`; else they pass unchanged.
    var acceptsErrors: Bool { get }
    /// Whether there is anything to do; else the record passes unchanged. Called for every record in order, so it must
    /// be fast.
    func accepts(_ job: RecordJob) -> Bool
    /// Returns the next step for each of the records that have arrived together. Called on the reading thread, so it
    /// must take microseconds per record and never block.
    func prepare(_ jobs: [RecordJob]) -> [Prepared]
    /// Returns the next step for one record. Its error, like an error of the work, becomes the record's `error`.
    func prepare(_ job: RecordJob) throws -> Prepared
    /// Removes fields that a failed record must not keep, whichever tool set them, and adds their replacements. Called
    /// before `error` is set, and not for cancelled work.
    func retract(_ record: inout Record, argument: String?)
}

extension RecordTool {
    public var acceptsErrors: Bool { false }

    public func accepts(_ job: RecordJob) -> Bool { true }

    public func prepare(_ jobs: [RecordJob]) -> [Prepared] { jobs.map { job in Prepared { try prepare(job) } } }

    public func retract(_ record: inout Record, argument: String?) {}
}

/// The next step for a record.
public enum Prepared: Sendable {
    /// The record is finished: hits in a stream need no switch of threads and no separate write.
    case done(Record)
    /// The record needs this work, which keeps the results of `prepare`.
    case work(Work)

    /// Adds the tool's fields to a record. An error becomes the record's `error`; fields that were set earlier stay,
    /// except the fields that `RecordTool.retract` removes. Called on several threads.
    public typealias Work = @Sendable (_ record: inout Record, _ run: WorkContext) throws -> Void

    /// Returns the result of `body`, or work that throws its error.
    public init(_ body: () throws -> Prepared) {
        do { self = try body() } catch { self = .work { _, _ in throw error } }
    }
}

/// The services of a run for the work on a record.
public struct WorkContext {
    /// Writes an early version of the record, in its place.
    public let emit: (Record) -> Void
    /// Runs a closure that waits for earlier records, while the run works on later ones.
    public let wait: (() -> Void) -> Void

    public init(emit: @escaping (Record) -> Void = { _ in }, wait: @escaping (() -> Void) -> Void = { $0() }) {
        self.emit = emit
        self.wait = wait
    }
}

/// A failure that affects every record: it becomes the `error` of its record, no further record is read, and
/// `RecordRun.run` throws it.
public struct EndOfRun: WrappingFailure {
    public let reason: any Failure

    public init(_ reason: any Failure) { self.reason = reason }
}

/// Thrown by a tool to drop a record without a failure.
public struct SkippedRecord: Error {
    public init() {}
}

/// A tool that does nothing, for records that their source has finished.
public struct PassingTool: RecordTool {
    public let name: String

    public init(name: String) { self.name = name }

    public func accepts(_ job: RecordJob) -> Bool { false }
    public func prepare(_ job: RecordJob) -> Prepared { .done(job.record) }
}
