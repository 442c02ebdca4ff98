import Support

/// The end of NASA's archive: the newest picture, and the requested days that are not published yet. Safe to use on
/// several threads.
final class ArchiveEnd: Sendable {
    private enum Newest {
        case unknown
        /// A thread is requesting the newest picture.
        case awaited
        /// The day of the newest picture, or nil if the request failed.
        case known(CalendarDay?)
    }

    private let newest = Monitor(Newest.unknown)
    private let unpublished = Monitor<ClosedRange<CalendarDay>?>(nil)
    private let hasLoggedAge = Monitor(false)

    /// Returns the result of `ask`: the day of the newest picture, or nil if the request failed. Calls `ask` once per
    /// run. If `ask` throws, rethrows the error, and the next call of this method calls `ask` again.
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

    /// Records a day of a range that is not published yet.
    func addUnpublished(_ day: CalendarDay) {
        unpublished.withLock { days in days = min(days?.lowerBound ?? day, day)...max(days?.upperBound ?? day, day) }
    }

    func logUnpublished(_ log: Log) {
        guard let days = unpublished.withLock({ $0 }) else { return }
        log.notice(
            days.lowerBound == days.upperBound
                ? "the picture of \(days.lowerBound) is not published yet; skipped"
                : "the pictures of \(days.lowerBound) to \(days.upperBound) are not published yet; skipped")
    }

    /// Logs a notice, once per run, if the newest picture is more than a day old.
    ///
    /// - Parameter today: the newest day that may be published.
    func logAge(of newest: CalendarDay, today: CalendarDay, _ log: Log) {
        let days = today.daysSince1970 - newest.daysSince1970
        if days > 1, !hasLoggedAge.testAndSet() {
            log.notice("the newest picture is from \(newest), \(days) days ago; NASA has not published any since")
        }
    }
}
