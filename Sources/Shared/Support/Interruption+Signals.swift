import Libc

/// How signals, and a reader that goes away, stop a run.
///
/// A signal lets work that is under way clean up (at most `grace`), then ends the process by that same signal, so that a
/// shell or Make sees what happened. A second signal ends the process at once.
extension Interruption {
    /// How long work that is under way may take to clean up after a signal.
    private static let grace = Duration.seconds(5)

    /// Lets SIGINT, SIGTERM and SIGHUP stop this run in order from now on, instead of ending the process at once. Call it
    /// before other threads are started, which inherit the blocked signals. Returns false, and does nothing, if it has
    /// been called before. Throws `SystemFailure` if no thread can be started.
    @discardableResult
    public func catchSignals() throws -> Bool {
        if catchesSignals.testAndSet() { return false }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.isIgnored(number) { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let watched = signals
        try Thread.start { [self] in
            let first = Self.next(of: watched)
            let caughtAt = SteadyTime.now()
            // On a separate thread, so that this one can wait for a second signal, whatever the handlers do.
            let endInOrder = { @Sendable [self] in
                cancel(.signal(first))
                if !waitUntilIdle(atMost: Self.grace) { OutputFile.removeBegun() }
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

    /// Waits for one of these signals, and returns it.
    private static func next(of signals: sigset_t) -> Int32 {
        var signals = signals
        var number: Int32 = 0
        while sigwait(&signals, &number) != 0 {}
        return number
    }

    /// Whether a signal that comes `span` after the first one counts as a second one. timeout(1) sends the same signal
    /// twice, to its child and to the child's group; nobody presses Ctrl-C twice in a quarter of a second.
    static func isSecond(_ number: Int32, after first: Int32, span: Duration) -> Bool {
        number != first || span >= .milliseconds(250)
    }

    /// Stops the run as soon as the reader of `descriptor`, a pipe or a socket, has gone; does nothing for other files.
    /// Throws `SystemFailure` if no thread can be started.
    public func watchReader(of descriptor: Int32) throws {
        guard let kind = try? FileStatus(of: descriptor, path: "").kind, [.fifo, .socket].contains(kind) else { return }
        try Thread.start { [self] in
            var watched = pollfd(fd: descriptor, events: 0, revents: 0)
            while poll(&watched, 1, -1) < 0 && errno == EINTR {}
            if watched.revents & Int16(POLLERR | POLLHUP) != 0 { cancel(.outputClosed) }
        }.detach()
    }

    /// Ends the process by the signal that has stopped the run; returns if none has.
    public func endIfSignalled() {
        if case .signal(let number) = cause { Self.end(by: number) }
    }

    /// Restores the signal's default action and raises it, so that the parent sees a death by that signal.
    ///
    /// It is sent to this thread: a signal to the process might be taken by the thread that waits for signals.
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

    /// Whether the signal is ignored, as `nohup` and a shell's background jobs have it from their parent.
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
