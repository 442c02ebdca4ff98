import Support

/// The results of a plan, day by day in its order, asked for a window at a time as they are wanted.
///
/// With several jobs, that many windows are asked for at once, a few ahead of what is wanted. A service that fails
/// several times in a row (`Outage`) is not asked again; the days that are left get its last failure.
public struct PictureSequence {
    private let client: APODClient
    private let plan: DayPlan
    /// Nil until the first day is wanted.
    private var windows: WindowQueue?
    /// Ready to be handed out, the next one last.
    private var ready: [DayResult] = []

    init(_ plan: DayPlan, client: APODClient) {
        self.client = client
        self.plan = plan
    }

    /// Returns the next day's result, or nil behind the last one. Blocks while a window is being fetched.
    ///
    /// Days of media that are not wanted are left out; `APODClient.tellLeftOut` says how many. Throws `Cancelled`, or a
    /// failure that ends the run, such as `ConfigurationFailure` for a cache of a newer layout.
    ///
    /// - Parameter willWait: called before it may have to wait: the moment to write what is done.
    public mutating func next(willWait: () -> Void = {}) throws -> DayResult? {
        while true {
            while let result = ready.popLast() {
                if client.isWanted(result) { return result }
            }
            willWait()
            let windows = try windows ?? begin()
            guard let results = try windows.next() else { return nil }
            ready = results.reversed()
        }
    }

    private mutating func begin() throws -> WindowQueue {
        let queue = WindowQueue(try PlanWindows(plan.steps) { try client.newest(from: $0) }, client: client)
        windows = queue
        return queue
    }
}

extension APODClient {
    /// Returns what becomes of a window, in its order. Throws as `PictureSequence.next` does.
    func results(of window: PlanWindows.Window) throws -> [DayResult] {
        switch window {
        case .known(let result): return try withFallback([result])
        case .newest(let day): return try withFallback([newest(from: day)])
        case .days(let days, let optional):
            return try withFallback(
                results(of: days).filter { result in
                    guard optional.contains(result.day), let failure = result.failure as? APODFailure,
                        case .notPublished = failure
                    else { return true }
                    log.detail(failure.message)
                    return false
                })
        }
    }
}
