import Support

/// What a run has learnt of the end of the archive: which picture is the newest, and which days have none yet. Shared
/// by all its threads.
final class ArchiveEnd: Sendable {
    private enum Newest {
        case unknown
        /// A thread is asking.
        case awaited
        /// Nil if nobody could tell.
        case known(CalendarDay?)
    }

    private struct SkippedDays {
        var first: CalendarDay
        var last: CalendarDay
    }

    private let newest = Monitor(Newest.unknown)
    private let leftOut = Monitor<SkippedDays?>(nil)
    private let hasToldAge = Monitor(false)

    /// Returns the day of the newest picture, asked for once a run; nil if nobody could tell. Throws what `ask` throws,
    /// after which the next call asks again.
    func newest(_ ask: () throws -> CalendarDay?) throws -> CalendarDay? {
        let known = newest.wait { state -> CalendarDay??? in
            switch state {
            case .unknown:
                state = .awaited
                return .some(nil)
            case .awaited: return nil
            case .known(let day): return .some(.some(day))
            }
        }
        if let known { return known }
        do {
            let day = try ask()
            newest.update { $0 = .known(day) }
            return day
        } catch {
            newest.update { $0 = .unknown }
            throw error
        }
    }

    /// Notes a day of a range that isn't published yet.
    func leaveOut(_ day: CalendarDay) {
        leftOut.withLock { leftOut in
            leftOut = SkippedDays(first: min(leftOut?.first ?? day, day), last: max(leftOut?.last ?? day, day))
        }
    }

    /// Logs which days of ranges were left out, if any were.
    func tellUnpublished(_ log: Log) {
        guard let leftOut = leftOut.withLock({ $0 }) else { return }
        log.notice(
            leftOut.first == leftOut.last
                ? "the picture of \(leftOut.first) is not published yet; left out"
                : "the pictures of \(leftOut.first) to \(leftOut.last) are not published yet; left out")
    }

    /// Logs once a run that the newest picture is more than a day old, if it is.
    ///
    /// - Parameter today: the newest day that may be published.
    func tellAge(of newest: CalendarDay, today: CalendarDay, _ log: Log) {
        let days = today.daysSince1970 - newest.daysSince1970
        guard days > 1 else { return }
        let isFirst = hasToldAge.withLock { hasTold in
            defer { hasTold = true }
            return !hasTold
        }
        if isFirst {
            log.notice(
                "the newest picture of the day is that of \(newest), \(days) days ago; NASA has published none since")
        }
    }
}
