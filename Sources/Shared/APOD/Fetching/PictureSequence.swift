import Support

/// The results of a plan, day by day in its order, asked for a window at a time as they are wanted.
///
/// Windows are worked on by the caller's thread if there is but one of them or one job, else by as many threads as
/// there are jobs; at most two windows more than there are threads are worked on or wait to be handed out. A service
/// that fails several times in a row (`Outage`) is not asked again; the days that are left get its last failure.
///
/// Letting go of it ends the requests that are under way, within `HTTPEvent.pauseLength`, and waits for that.
public final class PictureSequence {
    private struct State {
        var windows: PlanWindows
        /// How many windows have been taken, and how many handed out.
        var taken = 0
        var handedOut = 0
        var finished: [Int: Result<[DayResult], any Error>] = [:]
        /// Nothing more is wanted.
        var isStopped = false
    }

    let client: APODClient
    private let plan: DayPlan
    /// Nil until the first day is wanted.
    private var state: Monitor<State>?
    private var threads: [Thread] = []
    /// Ready to be handed out, the next one last.
    private var ready: [DayResult] = []

    init(_ plan: DayPlan, client: APODClient) {
        self.client = client
        self.plan = plan
    }

    deinit {
        state?.update { $0.isStopped = true }
        for thread in threads { thread.join() }
    }

    /// Returns the next day's result, or nil behind the last one. Blocks while a window is being fetched.
    ///
    /// Days of media that are not wanted are left out; `APODClient.tellLeftOut` says how many. Throws `Cancelled`, or a
    /// failure that ends the run, such as `ConfigurationFailure` for a cache of a newer layout.
    ///
    /// - Parameter willWait: called before it may have to wait: the moment to write what is done.
    func next(willWait: () -> Void = {}) throws -> DayResult? {
        while true {
            while let result = ready.popLast() {
                if client.isWanted(result) { return result }
            }
            willWait()
            guard let results = try nextWindow(state ?? begin()) else { return nil }
            ready = results.reversed()
        }
    }

    /// Returns the next window's results, or nil behind the last one. Throws what their work threw.
    private func nextWindow(_ state: Monitor<State>) throws -> [DayResult]? {
        guard !threads.isEmpty else {
            try client.interruption.check()
            let service = client.leadingService
            return try state.withLock { $0.windows.next(for: service) }.map { try client.results(of: $0) }
        }
        let result = try client.interruption.during(onCancel: { state.update { $0.isStopped = true } }) {
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
    private func begin() throws -> Monitor<State> {
        let windows = try PlanWindows(
            plan, newestDay: client.newestDay, newest: { try client.newest($0, from: $1) },
            earlier: { try Self.published($0, before: $1, client.withoutFallback) })
        let state = Monitor(State(windows: windows))
        self.state = state
        // A copy is cut, to see how far the steps go.
        var rest = windows
        var count = 0
        while count < client.jobs, rest.next(for: client.leadingService) != nil { count += 1 }
        guard count > 1 else { return state }
        let limit = count + 2
        let worker = client.watched { if state.withLock({ $0.isStopped }) { throw Cancelled() } }
        for _ in 0..<count {
            guard let thread = try? Thread.start({ Self.work(for: worker, state, limit: limit) }) else { break }
            threads.append(thread)
        }
        return state
    }

    /// Returns the latest days before `day` that are published, that many or as many as there are, oldest first.
    ///
    /// NASA has paused now and then: a day without a picture doesn't count, and another one before all others makes up
    /// for it. So all of them must be known before the first can be handed out.
    private static func published(_ count: Int, before day: CalendarDay, _ client: APODClient) throws -> [DayResult] {
        var published: [DayResult] = []
        var end = day.advanced(by: -1)
        while published.count < count, end >= PublishedDays.first {
            let days = PublishedDays.days(from: PublishedDays.first, through: end).suffix(count - published.count)
            let sequence = PictureSequence(DayPlan(steps: days.map(DayPlan.Step.day)), client: client)
            var found: [DayResult] = []
            while let results = try sequence.nextWindow(sequence.state ?? sequence.begin()) {
                found += results.filter { ($0.failure as? APODFailure)?.isAbsence != true }
            }
            published = found + published
            guard let first = days.first else { break }
            end = first.advanced(by: -1)
        }
        return published
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
