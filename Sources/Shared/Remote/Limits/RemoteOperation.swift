import Support

/// A storage operation with limits on time, bytes and rate. `check` and `add` throw once a limit is exceeded.
/// `Remote` creates operations and counts their bytes, so the limits are the same for every storage.
///
/// A storage that waits calls `check` at least every `pause`. A system call on a mounted file system cannot be
/// interrupted, so the limits apply only after the call returns.
final class RemoteOperation: Sendable {
    struct Limits: Sendable, Equatable {
        /// The maximum time until the first byte.
        let answer: Duration
        /// The window in which `RemoteSettings.Timeouts.leastRate` is measured.
        let stall: Duration
        let deadline: Duration
        let byteLimit: Int
    }

    private struct State {
        var bytes = 0
        /// The start of the current window of `Limits.stall`.
        var windowStart: Duration
        var bytesBeforeWindow = 0
    }

    let limits: Limits
    let begun: Duration
    private let now: @Sendable () -> Duration
    private let stop: @Sendable () throws -> Void
    private let state: Monitor<State>

    /// - Parameter stop: called by each `check`; throws to end the operation.
    init(
        _ limits: Limits, now: @escaping @Sendable () -> Duration = SteadyTime.now,
        stop: @escaping @Sendable () throws -> Void
    ) {
        self.limits = limits
        self.now = now
        self.stop = stop
        begun = now()
        state = Monitor(State(windowStart: begun))
    }

    var bytes: Int { state.withLock { $0.bytes } }

    /// The maximum time to wait before the next `check`.
    var pause: Duration { min(max(begun + limits.deadline - now(), .zero), .milliseconds(50)) }

    /// Throws `RemoteFailure.failed` if a time limit is reached or the transfer is too slow. Rethrows errors of `stop`.
    @Sendable func check() throws {
        try stop()
        let now = now()
        let (bytes, start) = state.withLock { ($0.bytes, $0.windowStart) }
        if now - begun >= limits.deadline {
            throw RemoteFailure.failed("the request took longer than \(TimeSpan.description(limits.deadline))")
        }
        if bytes == 0, now - begun >= limits.answer {
            throw RemoteFailure.failed("no response within \(TimeSpan.description(limits.answer))")
        }
        if now - start >= limits.stall {
            throw RemoteFailure.failed(
                "the transfer was slower than \(ByteCount.description(RemoteSettings.Timeouts.leastRate)) per second")
        }
    }

    /// Counts transferred bytes. Throws as `check` does, and `RemoteFailure.damaged` above `byteLimit`.
    func add(_ count: Int) throws {
        try check()
        let now = now()
        let isTooMuch = state.withLock { state in
            let (bytes, overflow) = state.bytes.addingReportingOverflow(count)
            state.bytes = overflow ? .max : bytes
            if state.bytes - state.bytesBeforeWindow >= limits.windowBytes {
                (state.windowStart, state.bytesBeforeWindow) = (now, state.bytes)
            }
            return state.bytes > limits.byteLimit
        }
        if isTooMuch { throw RemoteFailure.damaged("it has more than \(ByteCount.description(limits.byteLimit))") }
    }
}

extension RemoteOperation.Limits {
    /// The number of bytes that must be transferred within `stall`.
    fileprivate var windowBytes: Int {
        Int(max(stall.milliseconds, 1)).multipliedReportingOverflow(by: RemoteSettings.Timeouts.leastRate)
            .partialValue / 1000
    }

    /// Limits for a read that delays a record.
    ///
    /// - Parameter patience: the deadline; nil for `timeouts.deadline(bytes: byteLimit)`.
    static func reading(atMost byteLimit: Int, _ timeouts: RemoteSettings.Timeouts, patience: Duration?) -> Self {
        Self(
            answer: timeouts.answer, stall: timeouts.stall,
            deadline: patience ?? timeouts.deadline(bytes: byteLimit), byteLimit: byteLimit)
    }

    /// Limits for a request whose answer has no body.
    static func asking(_ timeouts: RemoteSettings.Timeouts, patience: Duration? = nil) -> Self {
        reading(atMost: 0, timeouts, patience: patience.map { min($0, timeouts.answer) } ?? timeouts.answer)
    }

    /// Limits for an upload, which delays no record. The server may answer late, because the system buffers a few
    /// megabytes of the body. The number of bytes is not limited, because libcurl may resend part of the body over a
    /// new connection.
    static func writing(_ count: Int, _ timeouts: RemoteSettings.Timeouts) -> Self {
        Self(
            answer: timeouts.stall * 4, stall: timeouts.stall * 4, deadline: timeouts.deadline(bytes: count),
            byteLimit: .max)
    }
}

/// The body of an upload. Its bytes are counted when the storage reads them.
struct CountedSource: ByteSource {
    let source: any ByteSource
    let operation: RemoteOperation

    var count: Int { source.count }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        let count = try source.read(into: buffer, at: offset)
        try operation.add(count)
        return count
    }
}
