import Support

/// One operation of a storage, which ends it by throwing from `check` or `add` once a limit is exceeded: the time, the
/// bytes, or the least rate. `Remote` makes it and counts the bytes, so that the limits are the same for every storage.
///
/// A storage calls `check` at least every `pause` while it waits. A system call on a mounted file system cannot be
/// interrupted; its limits apply once it returns.
final class RemoteOperation: Sendable {
    struct Limits: Sendable, Equatable {
        /// Until the first byte.
        let answer: Duration
        /// The time in which as many bytes must pass as `RemoteSettings.Timeouts.leastRate` gives.
        let stall: Duration
        /// The whole operation.
        let deadline: Duration
        let byteLimit: Int
    }

    private struct State {
        var bytes = 0
        /// The time, and the bytes until then, at which the current window began, in which enough bytes must pass.
        var windowStart: Duration
        var bytesBeforeWindow = 0
    }

    let limits: Limits
    let begun: Duration
    private let now: @Sendable () -> Duration
    private let stop: @Sendable () throws -> Void
    private let state: Monitor<State>

    /// - Parameter stop: called by each `check`; ends the operation by throwing.
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

    /// How many bytes have passed.
    var bytes: Int { state.withLock { $0.bytes } }

    /// How long a storage may wait before it checks again.
    var pause: Duration { min(max(begun + limits.deadline - now(), .zero), .milliseconds(50)) }

    /// Throws `RemoteFailure.failed` if time or rate is exceeded, and what `stop` throws.
    @Sendable func check() throws {
        try stop()
        let now = now()
        let (bytes, start) = state.withLock { ($0.bytes, $0.windowStart) }
        if now - begun >= limits.deadline {
            throw RemoteFailure.failed("it took longer than \(TimeSpan.description(limits.deadline))")
        }
        if bytes == 0, now - begun >= limits.answer {
            throw RemoteFailure.failed("no answer came within \(TimeSpan.description(limits.answer))")
        }
        if now - start >= limits.stall {
            throw RemoteFailure.failed(
                "it was slower than \(ByteCount.description(RemoteSettings.Timeouts.leastRate)) per second")
        }
    }

    /// Counts bytes that have passed. Throws what `check` does, and `RemoteFailure.damaged` if there are too many.
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
    /// How many bytes must pass in each window of `stall`.
    fileprivate var windowBytes: Int {
        Int(max(stall.milliseconds, 1)).multipliedReportingOverflow(by: RemoteSettings.Timeouts.leastRate)
            .partialValue / 1000
    }

    /// For bytes that a run waits for, at most as long as it has patience; nil for a run that has no such limit.
    static func reading(atMost byteLimit: Int, _ timeouts: RemoteSettings.Timeouts, patience: Duration?) -> Self {
        Self(
            answer: timeouts.answer, stall: timeouts.stall,
            deadline: patience ?? timeouts.deadline(bytes: byteLimit), byteLimit: byteLimit)
    }

    /// For an answer without bytes.
    static func asking(_ timeouts: RemoteSettings.Timeouts, patience: Duration? = nil) -> Self {
        reading(atMost: 0, timeouts, patience: patience.map { min($0, timeouts.answer) } ?? timeouts.answer)
    }

    /// For bytes that are sent while no record waits. The system holds some megabytes of them for a while, so that the
    /// answer comes late. Bytes are not limited: libcurl sends some again over a new connection.
    static func writing(_ count: Int, _ timeouts: RemoteSettings.Timeouts) -> Self {
        Self(
            answer: timeouts.stall * 4, stall: timeouts.stall * 4, deadline: timeouts.deadline(bytes: count),
            byteLimit: .max)
    }
}
