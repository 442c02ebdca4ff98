import Libc

/// Stops a run after a signal, or when the reader of its output closes the pipe.
///
/// After a signal, the current work has at most `grace` to clean up. Then the process ends by the same signal, so that
/// a shell or Make sees the cause. A second signal ends the process immediately.
extension Interruption {
    private static let grace = Duration.seconds(5)

    /// Makes SIGINT, SIGTERM and SIGHUP cancel this run. Call it before starting other threads, which inherit the
    /// blocked signals. Returns false for a second call. Throws `SystemFailure` if no thread can be started.
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
            // Runs on a separate thread, so that this thread can wait for a second signal.
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

    private static func next(of signals: sigset_t) -> Int32 {
        var signals = signals
        var number: Int32 = 0
        while sigwait(&signals, &number) != 0 {}
        return number
    }

    /// Whether a signal that arrives `span` after the first is a second request to stop. timeout(1) sends the same
    /// signal twice, to its child and to the child's group; a user does not press Ctrl-C twice in a quarter of a
    /// second.
    static func isSecond(_ number: Int32, after first: Int32, span: Duration) -> Bool {
        number != first || span >= .milliseconds(250)
    }

    /// Stops the run when the reader of `descriptor` closes its end. Does nothing for descriptors other than pipes and
    /// sockets. Throws `SystemFailure` if no thread can be started.
    public func watchReader(of descriptor: Int32) throws {
        guard let kind = try? FileStatus(of: descriptor, path: "").kind, [.fifo, .socket].contains(kind) else { return }
        try Thread.start { [self] in
            var watched = pollfd(fd: descriptor, events: 0, revents: 0)
            while poll(&watched, 1, -1) < 0 && errno == EINTR {}
            if watched.revents & Int16(POLLERR | POLLHUP) != 0 { cancel(.outputClosed) }
        }.detach()
    }

    /// Ends the process by the signal that stopped the run; does nothing without such a signal.
    public func endIfSignalled() {
        if case .signal(let number) = cause { Self.end(by: number) }
    }

    /// Restores the signal's default action and raises it, so that the parent process sees the cause. Sends it to this
    /// thread, since the thread in sigwait(3) could consume a signal that is sent to the process.
    private static func end(by number: Int32) -> Never {
        StandardError.conclude()
        signal(number, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        pthread_kill(pthread_self(), number)
        // Reached only if another thread is ending the process.
        while true { pause() }
    }

    /// Whether the process ignores the signal, as under `nohup` or in the background of a shell.
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
