import Support

/// Processes records in two steps. `prepare` receives the records that have arrived together and may finish some; the
/// work on the other records runs on the threads of the run.
public protocol RecordTool: Sendable {
    /// The value of `error.tool`.
    var name: String { get }
    /// Whether the tool also processes records that have an `error`. Otherwise such records pass unchanged.
    var acceptsErrors: Bool { get }
    /// Whether the tool processes this record. Otherwise the record passes unchanged. Called for every record in order,
    /// so it must be fast.
    func accepts(_ job: RecordJob) -> Bool
    /// Returns the next step for each record of a batch. Called on the reading thread, so it must take microseconds per
    /// record and never block.
    func prepare(_ jobs: [RecordJob]) -> [Prepared]
    /// Returns the next step for one record. A thrown error becomes the record's `error`, like an error of the work.
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
    /// The record is finished, as after a cache hit. It is printed with the other finished records of its batch, and is
    /// not passed to another thread.
    case done(Record)
    /// The record needs this work, which captures the results of `prepare`.
    case work(Work)

    /// Adds the tool's fields to a record. A thrown error becomes the record's `error`; fields that were already set
    /// stay, unless `RecordTool.retract` removes them. Called on several threads.
    public typealias Work = @Sendable (_ record: inout Record, _ run: WorkContext) throws -> Void

    /// Returns the result of `body`, or work that throws the error of `body`.
    public init(_ body: () throws -> Prepared) {
        do { self = try body() } catch { self = .work { _, _ in throw error } }
    }
}

/// Functions of a run that the work on a record may call.
public struct WorkContext {
    /// Writes an early version of the record, in output order.
    public let emit: (Record) -> Void
    /// Runs a closure that blocks until earlier records are done. Another thread processes later records during the
    /// wait.
    public let wait: (() -> Void) -> Void

    public init(emit: @escaping (Record) -> Void = { _ in }, wait: @escaping (() -> Void) -> Void = { $0() }) {
        self.emit = emit
        self.wait = wait
    }
}

/// A failure that affects every record. It becomes the `error` of the current record, no further record is read, and
/// `RecordRun.run` throws it.
public struct EndOfRun: WrappingFailure {
    public let reason: any Failure

    public init(_ reason: any Failure) { self.reason = reason }
}

/// Thrown by a tool to drop a record without a failure.
public struct SkippedRecord: Error {
    public init() {}
}

/// A tool that passes every record unchanged, for sources that produce finished records.
public struct PassingTool: RecordTool {
    public let name: String

    public init(name: String) { self.name = name }

    public func accepts(_ job: RecordJob) -> Bool { false }
    public func prepare(_ job: RecordJob) -> Prepared { .done(job.record) }
}
