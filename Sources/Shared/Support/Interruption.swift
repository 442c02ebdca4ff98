import Libc

/// The one way in which a run is stopped early: by SIGINT, SIGTERM or SIGHUP, or because nobody reads standard output
/// any more.
///
/// Work asks `check()` between its steps and registers a handler where it would sit in a blocking call. A signal lets
/// work that is under way clean up (at most `grace`), then ends the process by that same signal, so that a shell or
/// Make sees what happened. A second signal ends the process at once.
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
        var catchesSignals = false
    }

    private let state = Monitor(State())
    /// How long work that is under way may take to clean up after a signal.
    private let grace: Duration

    public init(grace: Duration = .seconds(5)) { self.grace = grace }

    /// Why the run is being stopped; nil while it goes on.
    public var cause: Cause? { state.withLock { $0.cause } }

    /// Throws `Cancelled` once the run is being stopped.
    public func check() throws {
        if cause != nil { throw Cancelled() }
    }

    /// Stops the run: every handler is called once, on the caller's thread. Later causes change nothing.
    public func cancel(_ cause: Cause) {
        let handlers = state.update { state -> [@Sendable () -> Void] in
            guard state.cause == nil else { return [] }
            state.cause = cause
            return Array(state.handlers.values)
        }
        for handler in handlers { handler() }
    }

    /// Runs `body`, which a signal lets finish or clean up before the process ends; `onCancel` is called, on another
    /// thread, when the run is stopped meanwhile, and must only wake what `body` waits for.
    public func during<Result>(
        onCancel: (@Sendable () -> Void)? = nil, _ body: () throws -> Result
    ) throws -> Result {
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

    /// Waits at most `limit`, less when the run is stopped, which throws `Cancelled`.
    public func sleep(_ limit: Duration) throws {
        if state.wait(atMost: limit, for: { $0.cause }) != nil { throw Cancelled() }
    }

    /// From now on SIGINT, SIGTERM and SIGHUP stop this run in order instead of ending the process at once. To be
    /// called before other threads are started, which inherit the blocked signals. Returns false, and does nothing, if it
    /// has been called before.
    @discardableResult
    public func catchSignals() throws -> Bool {
        let isCaught = state.withLock { state in
            defer { state.catchesSignals = true }
            return state.catchesSignals
        }
        if isCaught { return false }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let watched = signals
        try Thread.start { [self] in
            let first = Self.next(of: watched)
            let caughtAt = SteadyTime.now()
            // On a thread of its own, so that this one is there for the second signal, whatever the handlers do.
            let endInOrder = { @Sendable [self] in
                cancel(.signal(first))
                if state.wait(atMost: grace, for: { $0.active == 0 ? true : nil }) == nil { OutputFile.removeBegun() }
                Self.end(by: first)
            }
            do { try Thread.start(endInOrder).detach() } catch { endInOrder() }
            while true {
                let next = Self.next(of: watched)
                if Self.isSecond(next, after: first, span: SteadyTime.now() - caughtAt) {
                    OutputFile.removeBegun()
                    Self.end(by: next)
                }
            }
        }.detach()
        return true
    }

    /// Waits for one of these signals and takes it.
    private static func next(of signals: sigset_t) -> Int32 {
        var signals = signals
        var number: Int32 = 0
        while sigwait(&signals, &number) != 0 {}
        return number
    }

    /// Whether a signal that comes `span` after the first one is a request of its own. timeout(1) sends the same signal
    /// twice, to its child and to the child's group; nobody presses Ctrl-C twice in a quarter of a second.
    static func isSecond(_ number: Int32, after first: Int32, span: Duration) -> Bool {
        number != first || span >= .milliseconds(250)
    }

    /// Stops the run as soon as the reader of `descriptor`, a pipe or a socket, has gone; does nothing for other files.
    public func watchReader(of descriptor: Int32) throws {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFIFO || kind == S_IFSOCK else { return }
        try Thread.start { [self] in
            var watched = pollfd(fd: descriptor, events: 0, revents: 0)
            while poll(&watched, 1, -1) < 0 && errno == EINTR {}
            if watched.revents & Int16(POLLERR | POLLHUP) != 0 { cancel(.outputClosed) }
        }.detach()
    }

    /// Where a signal has stopped the run, ends the process by it; else returns.
    public func endIfSignalled() {
        if case .signal(let number) = cause { Self.end(by: number) }
    }

    /// Restores the signal's default action and raises it, so that the parent sees a death by that signal.
    ///
    /// It is sent to this thread: one for the process might be taken by the thread that waits for signals.
    private static func end(by number: Int32) -> Never {
        StandardError.conclude()
        signal(number, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_kill(pthread_self(), number)
        // Not reached, unless another thread is ending the process at this moment.
        while true { pause() }
    }

    /// Whether whoever started this process wants the signal ignored (`nohup`, a shell's background job).
    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
        return unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
        #else
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
        #endif
    }
}
