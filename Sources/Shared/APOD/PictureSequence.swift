import Support

/// The results of a request, day by day in its order, asked for a page at a time as they are wanted.
///
/// One broken day doesn't lose its range: a page that the service cannot give is asked for day by day, days that a page
/// leaves out are asked for singly, and each day has its own result. A service that fails three times in a row for
/// reasons that have nothing to do with the day is not asked again; the days that are left get its last failure.
public struct PictureSequence {
    /// Failures in a row after which a service counts as down for the rest of the run. Each stands for all retries of a
    /// request, several seconds at least.
    private static let patience = 3

    private let client: APODClient
    /// Days at an open end, which may not be published yet.
    private let openEnds: Set<CalendarDay>
    /// Still to be asked for, the next one last.
    private var windows: [Window]
    /// Ready to be handed out, the next one last.
    private var ready: [DayResult] = []
    private var outages: [Service: Outage] = [:]

    /// What is asked for at once.
    private enum Window {
        case days([CalendarDay])
        case newest(from: CalendarDay)
        case last(Int, from: CalendarDay)
    }

    private struct Outage {
        var count = 0
        var failure: any Failure
    }

    /// How many days there are in all, those included that turn out to have no picture.
    public let count: Int

    init(_ plan: DayPlan, client: APODClient) {
        self.client = client
        count = plan.dayCount
        var openEnds: Set<CalendarDay> = []
        var windows: [Window] = []
        var days: [CalendarDay] = []
        func endDays() {
            windows += PageWindows.windows(of: days).map(Window.days)
            days = []
        }
        for step in plan.steps {
            switch step {
            case .day(let day): days.append(day)
            case .dayIfPublished(let day):
                openEnds.insert(day)
                days.append(day)
            case .newest(let day):
                endDays()
                windows.append(.newest(from: day))
            case .last(let count, let day):
                endDays()
                windows.append(.last(count, from: day))
            }
        }
        endDays()
        self.openEnds = openEnds
        self.windows = windows.reversed()
    }

    /// The next day's result; nil behind the last one. Blocks while a page is being fetched. Throws `Cancelled` alone.
    public mutating func next() throws -> DayResult? {
        while ready.isEmpty {
            guard let window = windows.popLast() else { return nil }
            switch window {
            case .days(let days): ready = try results(of: days).reversed()
            case .newest(let day): ready = [try newest(from: day)]
            case .last(let count, let day): try last(count, from: day)
            }
        }
        return ready.popLast()
    }

    /// Finds the newest picture, and puts the days up to it at the head of what is still to be asked for.
    private mutating func last(_ count: Int, from day: CalendarDay) throws {
        let newest = try newest(from: day)
        guard let last = newest.picture?.day, count > 1 else { return ready = [newest] }
        let days = PublishedDays.days(from: PublishedDays.first, through: last).suffix(count)
        windows += PageWindows.windows(of: Array(days)).map(Window.days).reversed()
    }

    private func newest(from day: CalendarDay) throws -> DayResult {
        do {
            return result(day, .picture(try client.newest(from: day)))
        } catch {
            let failure = Support.failure(of: error)
            if failure is Cancelled { throw failure }
            return result(day, .failed(failure))
        }
    }

    private func result(_ day: CalendarDay, _ outcome: DayResult.Outcome) -> DayResult {
        DayResult(day: day, outcome: outcome, fetchedAt: client.clock.now())
    }

    // MARK: A window

    /// Asks the services in their order, each for what is left of the window. A day that none of them has bears the first
    /// one's failure, as `ServiceChoice.firstAnswer` has it.
    private mutating func results(of window: [CalendarDay]) throws -> [DayResult] {
        var outcomes: [CalendarDay: DayResult.Outcome] = [:]
        // A single day may be one that never had a picture; nobody needs to be asked.
        for day in window where PublishedDays.gaps.contains(day) { outcomes[day] = .failed(APODFailure.noPicture(day)) }
        var left = window.filter { outcomes[$0] == nil }
        for service in client.choice.order where !left.isEmpty {
            let answers = try answers(for: left, from: service)
            var next: [CalendarDay] = []
            for day in left {
                guard let answer = answers[day] else { continue }
                if case .failed(let failure) = answer {
                    if service != client.choice.order.last, ServiceChoice.asksNext(after: failure) { next.append(day) }
                    if outcomes[day] != nil {
                        ServiceChoice.note(failure, client.log)
                        continue
                    }
                }
                outcomes[day] = answer
            }
            if !next.isEmpty { client.log.detail("asking the old service for \(next.count) of \(window.count) days") }
            left = next
        }
        return window.compactMap { day in
            guard let outcome = outcomes[day] else { return nil }
            if openEnds.contains(day), case .failed(let failure as APODFailure) = outcome, case .notPublished = failure {
                client.log.detail(failure.message)
                return nil
            }
            return result(day, outcome)
        }
    }

    /// What one service says about each of these days.
    private mutating func answers(
        for days: [CalendarDay], from service: Service
    ) throws -> [CalendarDay: DayResult.Outcome] {
        var outcomes: [CalendarDay: DayResult.Outcome] = [:]
        if days.count > 1, let first = days.min(), let last = days.max() {
            switch try attempt(service, { try $0.pictures(from: first, through: last) }) {
            case .success(let page):
                for (day, answer) in page {
                    switch answer {
                    case .success(let picture): outcomes[day] = .picture(picture)
                    case .failure(let failure): outcomes[day] = .failed(failure)
                    }
                }
            case .failure(let failure):
                guard failure.mayBeOneDays else {
                    for day in days { outcomes[day] = .failed(failure.reason) }
                    return outcomes
                }
                client.log.detail("\(failure.reason.message); asking day by day from \(first) to \(last)")
            }
        }
        for day in days where outcomes[day] == nil {
            switch try attempt(service, { try $0.picture(of: day) }) {
            case .success(let picture): outcomes[day] = .picture(picture)
            case .failure(let failure): outcomes[day] = .failed(failure.reason)
            }
        }
        return outcomes
    }

    // MARK: A request

    /// A failure on its way through a `Result`.
    private struct Fault: Error {
        let reason: any Failure

        /// Whether a page may have failed because of a single day in it: the service answered, but with a fault of its
        /// own or with something that can't be read. The old one answers 500 for a range with one bad day.
        var mayBeOneDays: Bool {
            switch reason {
            case APODFailure.failing, APODFailure.badAnswer, APODFailure.refused: true
            default: false
            }
        }

        /// Whether the next day would meet it too.
        var isOutage: Bool {
            reason.isTransient || [.notAllowed, .configuration, .software].contains(reason.exitCode)
        }
    }

    /// One request, unless the service is down. Throws `Cancelled` alone.
    private mutating func attempt<T>(_ service: Service, _ ask: (ServiceClient) throws -> T) throws -> Result<T, Fault> {
        if let outage = outages[service], outage.count >= Self.patience { return .failure(Fault(reason: outage.failure)) }
        do {
            let answer = try ask(client.client(of: service))
            outages[service] = nil
            return .success(answer)
        } catch {
            let fault = Fault(reason: Support.failure(of: error))
            if fault.reason is Cancelled { throw fault.reason }
            if fault.isOutage {
                let count = (outages[service]?.count ?? 0) + 1
                outages[service] = Outage(count: count, failure: fault.reason)
                if count == Self.patience, !windows.isEmpty {
                    client.log.warning("\(service.name) has failed \(count) times in a row; it is not asked again in this run")
                }
            } else {
                outages[service] = nil
            }
            return .failure(fault)
        }
    }
}
