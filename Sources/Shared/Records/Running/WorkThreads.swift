import Support

/// Performs work on threads. Begins it in the order in which it was added. Starts another thread if none is free.
final class WorkThreads: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var waiting: [Work] = []
        var started = 0
        var active = 0
        /// Threads in `wait`.
        var blocked = 0
        var threads: [Thread] = []
        var isDone = false

        /// Whether work is waiting and no thread is free. If so, counts the thread that the caller must start.
        mutating func needsThread(limit: Int, most: Int) -> Bool {
            guard started < most, min(waiting.count, limit - active) > started - active - blocked else { return false }
            started += 1
            return true
        }
    }

    private let limit: Int
    private let most: Int
    private let state = Monitor(State())

    /// - Parameters:
    ///   - limit: the maximum number of working threads, at least 1.
    ///   - most: the maximum number of threads, including threads in `wait`.
    init(limit: Int, most: Int) {
        self.limit = limit
        self.most = max(limit, most)
    }

    /// Adds work, or performs it on the calling thread if no thread can be started.
    func add(_ work: @escaping Work) {
        startThread { $0.waiting.append(work) }
        if let work = state.withLock({ $0.started == 0 ? $0.waiting.popLast() : nil }) { work() }
    }

    /// Runs `wait`, which blocks until earlier work is done. Another thread may work during the wait, if `most` allows.
    func wait(_ wait: () -> Void) {
        startThread { state in
            state.active -= 1
            state.blocked += 1
        }
        wait()
        state.withLock { state in
            state.active += 1
            state.blocked -= 1
        }
    }

    /// Waits for all work, and joins the threads.
    func finish() {
        state.update { $0.isDone = true }
        // A running thread may still start other threads.
        while let thread = state.withLock({ $0.threads.popLast() }) { thread.join() }
    }

    private func startThread(after change: (inout State) -> Void) {
        let isNeeded = state.update { state in
            change(&state)
            return state.needsThread(limit: limit, most: most)
        }
        guard isNeeded else { return }
        let thread = try? Thread.start { [self] in loop() }
        state.withLock { state in
            if let thread { state.threads.append(thread) } else { state.started -= 1 }
        }
    }

    private func loop() {
        while true {
            let work = state.wait { [limit] state -> Work?? in
                if state.waiting.isEmpty { return state.isDone ? .some(nil) : nil }
                if state.active >= limit { return nil }
                state.active += 1
                return .some(state.waiting.removeFirst())
            }
            guard let work else { return }
            work()
            state.update { $0.active -= 1 }
        }
    }
}
