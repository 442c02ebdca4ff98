/// Stops a run early: after SIGINT, SIGTERM or SIGHUP, or when the reader of standard output closes the pipe.
///
/// Code calls `check()` between its steps, and makes blocking calls within `during`, with a handler that wakes them.
public final class Interruption: Sendable {
    public enum Cause: Sendable, Equatable {
        case signal(Int32)
        case outputClosed
    }

    private struct State {
        var cause: Cause?
        var handlers: [Int: @Sendable () -> Void] = [:]
        var nextHandler = 0
        var active = 0
    }

    private let state = Monitor(State())
    /// Whether `catchSignals` has been called.
    let catchesSignals = Monitor(false)

    public init() {}

    /// The reason why the run is being stopped; nil while it continues.
    public var cause: Cause? { state.withLock { $0.cause } }

    /// Throws `Cancelled` if the run is being stopped.
    public func check() throws {
        if cause != nil { throw Cancelled() }
    }

    /// Stops the run: calls every handler once, on this thread. Later causes are ignored.
    public func cancel(_ cause: Cause) {
        let handlers = state.update { state -> [@Sendable () -> Void] in
            guard state.cause == nil else { return [] }
            state.cause = cause
            return Array(state.handlers.values)
        }
        for handler in handlers { handler() }
    }

    /// Runs `body`. After a signal, the process waits for `body` to finish or clean up. Throws `Cancelled` if the run
    /// is already being stopped.
    ///
    /// - Parameter onCancel: called on another thread if the run is stopped while `body` runs; must only wake `body`.
    public func during<Result>(onCancel: (@Sendable () -> Void)? = nil, _ body: () throws -> Result) throws -> Result {
        let key = try state.withLock { state throws -> Int in
            if state.cause != nil { throw Cancelled() }
            state.active += 1
            state.nextHandler += 1
            if let onCancel { state.handlers[state.nextHandler] = onCancel }
            return state.nextHandler
        }
        defer {
            state.update {
                $0.active -= 1
                $0.handlers[key] = nil
            }
        }
        return try body()
    }

    /// Waits at most `limit` until no `during` is running. Returns false on timeout.
    func waitUntilIdle(atMost limit: Duration) -> Bool {
        state.wait(atMost: limit) { $0.active == 0 ? true : nil } ?? false
    }

    /// Sleeps for `limit`. Throws `Cancelled` as soon as the run is stopped.
    public func sleep(_ limit: Duration) throws {
        if state.wait(atMost: limit, for: { $0.cause }) != nil { throw Cancelled() }
    }
}
