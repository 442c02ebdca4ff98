import Fetch
import HTTP
import Store
import Support
import TestSupport
import Testing

@testable import APOD

/// A cache in a temporary folder, for days from `FakeNASA`.
final class DayCache {
    let caches: Caches
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        caches = Caches(settings: CacheSettings(root: folder.path("cache")), interruption: Interruption())
    }

    deinit { caches.close() }

    /// Caches that store nothing.
    static let nowhere: Caches = {
        var settings = CacheSettings(root: "/nowhere")
        settings.policies = Policies(standard: .disabled)
        return Caches(settings: settings, interruption: Interruption())
    }()

    /// - Parameter isCurrent: false for services at other addresses.
    private func days(isCurrent: Bool = true) throws -> CachedDays {
        let addresses = try Service.allCases.map {
            ($0, try WebURL(isCurrent ? FakeNASA.base(of: $0) : Service.scienceAddress))
        }
        return CachedDays(caches: caches, addresses: Dictionary(uniqueKeysWithValues: addresses), log: .silent)
    }

    /// Returns the cached days of a service, ascending.
    func kept(of service: Service = .science) throws -> [CalendarDay] {
        try days().days(from: PublishedDays.first, through: day("9999-12-31"), of: service).map(\.result.day)
    }

    /// Caches the picture of a day as if it had been fetched at noon on `fetched`.
    func keep(
        _ date: String, fetched: String = "2026-11-20", expires: Timestamp? = nil, isCurrent: Bool = true,
        mediaType: String = "image", raw: [UInt8]? = nil, of service: Service = .science
    ) throws {
        let answer =
            switch service {
            case .science: try ScienceAnswer.picture(from: scienceAnswer(date))
            case .api: try LegacyAnswer.picture(from: legacyAnswer(date, ["media_type": .string(mediaType)]))
            }
        let result = DayResult(day: day(date), outcome: .picture(answer), fetchedAt: time(fetched), raw: raw)
        try days(isCurrent: isCurrent).keep([CachedDay(result, expiresAt: expires)], of: service)
    }

    /// Caches a failure that is fresh for a day.
    func keep(_ failure: APODFailure, on date: String, of service: Service = .science) throws {
        let result = DayResult(day: day(date), outcome: .failed(failure), fetchedAt: time("2026-11-20", 6))
        try days().keep([CachedDay(result, expiresAt: time("2026-11-21", 6))], of: service)
    }
}
