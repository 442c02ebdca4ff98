import Support

/// Works on the windows of a plan and gives their results in its order: on the caller's thread if there is but one
/// window or one job, else on as many threads as there are jobs.
///
/// At most two windows more than there are threads are worked on or wait to be handed out, however many there are.
/// Letting go of it ends the requests that are under way, within `HTTPEvent.pauseLength`, and waits for that.
final class WindowQueue {
    private struct State {
        var windows: PlanWindows
        /// How many windows have been taken, and how many handed out.
        var taken = 0
        var handedOut = 0
        var finished: [Int: Result<[DayResult], any Error>] = [:]
        /// Nothing more is wanted.
        var isStopped = false
    }

    private let client: APODClient
    private let state: Monitor<State>
    private var threads: [Thread] = []
    private var hasBegun = false

    init(_ windows: PlanWindows, client: APODClient) {
        self.client = client
        state = Monitor(State(windows: windows))
    }

    deinit {
        state.update { $0.isStopped = true }
        for thread in threads { thread.join() }
    }

    /// Returns the next window's results, or nil behind the last one. Throws what their work threw.
    func next() throws -> [DayResult]? {
        if !hasBegun {
            hasBegun = true
            startThreads()
        }
        guard !threads.isEmpty else {
            try client.interruption.check()
            let service = client.leadingService
            return try state.withLock { $0.windows.next(for: service) }.map { try client.results(of: $0) }
        }
        let result = try client.interruption.during(onCancel: { [state] in state.update { $0.isStopped = true } }) {
            state.wait { state -> Result<[DayResult], any Error>?? in
                if let result = state.finished.removeValue(forKey: state.handedOut) { return result }
                if state.isStopped { return .failure(Cancelled()) }
                return state.windows.isAtEnd && state.taken == state.handedOut ? .some(nil) : nil
            }
        }
        guard let result else { return nil }
        // There is room for another one.
        state.update { $0.handedOut += 1 }
        return try result.get()
    }

    /// Starts no more threads than there can be work for; none if the system refuses them, or one is enough.
    private func startThreads() {
        let service = client.leadingService
        let windows = state.withLock { state in
            // A copy is cut, to see how far the steps go.
            var rest = state.windows
            var count = 0
            while count < client.jobs, rest.next(for: service) != nil { count += 1 }
            return count
        }
        guard windows > 1 else { return }
        let limit = windows + 2
        let worker = client.watched { [state] in if state.withLock({ $0.isStopped }) { throw Cancelled() } }
        for _ in 0..<windows {
            let work = { @Sendable [state] in Self.work(for: worker, state, limit: limit) }
            guard let thread = try? Thread.start(work) else { break }
            threads.append(thread)
        }
    }

    /// Works on windows until there are none: what each thread does.
    private static func work(for client: APODClient, _ state: Monitor<State>, limit: Int) {
        while true {
            let service = client.leadingService
            let next = state.wait { state -> (number: Int, window: PlanWindows.Window)?? in
                if state.isStopped { return .some(nil) }
                guard state.taken - state.handedOut < limit else { return nil }
                guard let window = state.windows.next(for: service) else { return .some(nil) }
                state.taken += 1
                return (state.taken - 1, window)
            }
            guard let next else { return }
            let result = Result { try client.results(of: next.window) }
            state.update { $0.finished[next.number] = result }
        }
    }
}
