import Support
import Testing

@testable import APOD

/// Keeps days in memory, for as long as a test lasts.
final class MemoryDays: DayStore {
    private let kept = Monitor<[Service: [CalendarDay: KeptDay]]>([:])

    func days(from first: CalendarDay, through last: CalendarDay, of service: Service) -> [KeptDay] {
        kept.withLock { ($0[service] ?? [:]).values.filter { first <= $0.result.day && $0.result.day <= last } }
            .sorted { $0.result.day < $1.result.day }
    }

    func newestPicture(through last: CalendarDay, of service: Service) -> KeptDay? {
        days(from: PublishedDays.first, through: last, of: service).last { $0.result.picture != nil }
    }

    func keep(_ days: [KeptDay], of service: Service) {
        kept.withLock { kept in for day in days { kept[service, default: [:]][day.result.day] = day } }
    }

    /// The days of a service that are kept, ascending.
    func kept(of service: Service = .science) -> [CalendarDay] {
        days(from: PublishedDays.first, through: day("9999-12-31"), of: service).map(\.result.day)
    }

    /// Keeps a picture of that day, as if it had been fetched at noon of `fetched`.
    func keep(
        _ date: String, fetched: String = "2026-11-20", expires: Timestamp? = nil, isCurrent: Bool = true,
        mediaType: String = "image", raw: [UInt8]? = nil, of service: Service = .science
    ) throws {
        let answer =
            switch service {
            case .science: try ScienceAnswer.picture(from: scienceAnswer(date))
            case .api: try LegacyAnswer.picture(from: legacyAnswer(date, ["media_type": .string(mediaType)]))
            }
        keep(
            [
                KeptDay(
                    DayResult(day(date), .picture(answer), fetchedAt: time(fetched), raw: raw),
                    expiresAt: expires, isCurrent: isCurrent)
            ], of: service)
    }

    /// Keeps a failure that is trusted for a day.
    func keep(_ failure: APODFailure, on date: String, of service: Service = .science) {
        keep(
            [
                KeptDay(
                    DayResult(day(date), .failed(failure), fetchedAt: time("2026-11-20", 6)),
                    expiresAt: time("2026-11-21", 6))
            ], of: service)
    }
}
