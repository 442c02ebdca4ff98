import Support

/// Threads that perform pieces of work in the order in which they are added, each thread started when there is work for
/// it and no other one is free.
final class WorkThreads: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State {
        var waiting: [Work] = []
        var idle = 0
        var threads: [Thread] = []
        var isDone = false
    }

    private let limit: Int
    private let state = Monitor(State())

    /// - Parameter limit: how many threads there may be, at least 1.
    init(limit: Int) { self.limit = limit }

    /// Has a piece of work performed soon; now, on the calling thread, if the system refuses every thread.
    func add(_ work: @escaping Work) {
        let needsThread = state.update { state in
            state.waiting.append(work)
            return state.idle < state.waiting.count && state.threads.count < limit
        }
        guard needsThread else { return }
        if let thread = try? Thread.start({ [self] in loop() }) {
            state.update { $0.threads.append(thread) }
        } else if let work = state.withLock({ $0.threads.isEmpty ? $0.waiting.popLast() : nil }) {
            work()
        }
    }

    /// Waits until all work is done, and ends the threads.
    func finish() {
        let threads = state.update { state in
            state.isDone = true
            return state.threads
        }
        for thread in threads { thread.join() }
    }

    /// One thread's life.
    private func loop() {
        while true {
            state.withLock { $0.idle += 1 }
            let work = state.wait { state -> Work?? in
                if state.waiting.isEmpty { return state.isDone ? .some(nil) : nil }
                state.idle -= 1
                return .some(state.waiting.removeFirst())
            }
            guard let work else { return }
            work()
        }
    }
}
