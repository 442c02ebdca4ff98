import Support

/// The results of a plan in order. Windows of days are requested as the results are read.
///
/// If there is only one window or one job, the windows are fetched on the caller's thread. Otherwise each job has a
/// thread. The number of windows in progress or waiting to be returned is at most the number of threads plus two.
///
/// Releasing the sequence stops its requests and waits for their threads, for at most `HTTPEvent.pauseLength`.
public final class PictureSequence {
    private struct State {
        var windows: PlanWindows
        /// The number of windows whose requests have been started.
        var started = 0
        /// The number of windows that have been returned, which is also the index of the next window to return.
        var returned = 0
        /// The results of the windows that have not been returned yet, by index.
        var finished: [Int: Result<[DayResult], any Error>] = [:]
        /// Whether the remaining windows are abandoned.
        var isStopped = false
    }

    let client: APODClient
    private let plan: DayPlan
    /// Nil before the first result is read.
    private var state: Monitor<State>?
    private var threads: [Thread] = []
    /// Results ready to be returned, in reverse order.
    private var ready: [DayResult] = []

    init(_ plan: DayPlan, client: APODClient) {
        self.client = client
        self.plan = plan
    }

    deinit {
        state?.update { $0.isStopped = true }
        for thread in threads { thread.join() }
    }

    /// Returns the next day's result, or nil at the end. Blocks until the result is available.
    ///
    /// Skips days that do not match the options. `APODClient.logSkippedDays` reports how many were skipped. Throws
    /// `Cancelled`, or a failure that ends the run, such as `ConfigurationFailure` for a cache of a newer layout.
    ///
    /// - Parameter willWait: called before the method may block. Flush output here.
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

    /// Returns the next window's results, or nil at the end. Throws the failure of the window.
    private func nextWindow(_ state: Monitor<State>) throws -> [DayResult]? {
        guard !threads.isEmpty else {
            try client.interruption.check()
            let service = client.leadingService
            return try state.withLock { $0.windows.next(for: service) }.map { try client.results(of: $0) }
        }
        let result = try client.interruption.during(onCancel: { state.update { $0.isStopped = true } }) {
            state.wait { state -> Result<[DayResult], any Error>?? in
                if let result = state.finished.removeValue(forKey: state.returned) { return result }
                if state.isStopped { return .failure(Cancelled()) }
                return state.windows.isAtEnd && state.started == state.returned ? .some(nil) : nil
            }
        }
        guard let result else { return nil }
        // Allow a waiting thread to start another window.
        state.update { $0.returned += 1 }
        return try result.get()
    }

    /// Starts at most one thread per window. Starts no thread if the caller's thread is enough, or if the system cannot
    /// start threads.
    private func begin() throws -> Monitor<State> {
        let windows = try PlanWindows(
            plan, newestDay: client.newestDay, newest: { try client.newest($0, from: $1) },
            earlier: { try Self.published($0, before: $1, client.withoutFallback) })
        let state = Monitor(State(windows: windows))
        self.state = state
        // Count the windows on a copy.
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

    /// Returns the latest `count` published days before `day`, oldest first. Returns all earlier days if there are
    /// fewer.
    ///
    /// Replaces each day without a picture by an earlier day, because NASA sometimes pauses. Therefore all days are
    /// requested before the first is returned.
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

    /// The body of each thread: fetches windows until all have been started or the sequence is released.
    private static func work(for client: APODClient, _ state: Monitor<State>, limit: Int) {
        while true {
            let service = client.leadingService
            let next = state.wait { state -> (number: Int, window: PlanWindows.Window)?? in
                if state.isStopped { return .some(nil) }
                guard state.started - state.returned < limit else { return nil }
                guard let window = state.windows.next(for: service) else { return .some(nil) }
                state.started += 1
                return (state.started - 1, window)
            }
            guard let next else { return }
            let result = Result { try client.results(of: next.window) }
            state.update { $0.finished[next.number] = result }
        }
    }
}
