import Fetch
import HTTP
import Libc
import Store
import Support
import TestSupport
import Testing

@testable import APOD

@Suite struct CachedDaysTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func days(
        policies: Policies = Policies(), scope: String = "default", science: String = Service.scienceAddress,
        root: String? = nil, log: Log = .silent
    ) throws -> CachedDays {
        var settings = CacheSettings(root: root ?? folder.path("cache"))
        settings.policies = policies
        settings.scope = try ScopeName(scope)
        settings.places = RuntimePlaces(environment: Environment(["XDG_RUNTIME_DIR": folder.path("run")]))
        return CachedDays(
            caches: Caches(settings: settings, interruption: Interruption()),
            addresses: [.science: try WebURL(science), .api: try WebURL(FakeNASA.apiBase)], log: log)
    }

    private func kept(_ date: String) throws -> CachedDay {
        CachedDay(
            DayResult(
                day: day(date), outcome: .picture(try ScienceAnswer.picture(from: scienceAnswer(date))),
                fetchedAt: time("2026-11-20"), raw: scienceAnswer(date).line), expiresAt: nil)
    }

    @Test func cachedDaysAreReadByTheNextRun() throws {
        let some = try ["2020-12-31", "2021-01-01", "2021-01-02", "2021-02-01"].map(kept)
        try days().keep(some, of: .science)
        let later = try days()
        let january = try later.days(from: day("2021-01-01"), through: day("2021-01-31"), of: .science)
        #expect(january.map(\.result.picture) == some[1...2].map(\.result.picture))
        #expect(january.map(\.result.raw) == some[1...2].map(\.result.raw))
        #expect(january.allSatisfy { $0.result.fetchedAt == time("2026-11-20") && $0.expiresAt == nil && $0.isCurrent })
        #expect(
            try later.newestPicture(through: day("2021-01-31"), of: .science)?.result.picture == some[2].result.picture)
        #expect(try later.newestPicture(through: day("2020-01-31"), of: .science) == nil)
        #expect(try later.days(from: day("2021-01-01"), through: day("2021-01-31"), of: .api).isEmpty)
    }

    @Test func failuresAndRowsOfLaterVersionsDoNotHideTheNewestPicture() throws {
        let days = try days()
        try days.keep([kept("2021-01-01")], of: .science)
        let failed = PublishedDays.days(from: day("2021-01-02"), through: day("2021-01-31")).map { day in
            CachedDay(
                DayResult(day: day, outcome: .failed(APODFailure.noPicture(day)), fetchedAt: time("2026-11-20")),
                expiresAt: nil)
        }
        try days.keep(failed, of: .science)
        let cache = try CacheStore(
            settings: CacheSettings(root: folder.path("cache")), interruption: Interruption(),
            inspect: CacheStore.wholePicture)
        defer { cache.close() }
        let later = Metadata(name: "2021-02-01", body: Array(#"{"rows":2}"#.utf8), fetchedAt: time("2026-11-20"))
        try cache.metadata.keep([later], in: "apod/science")
        #expect(try days.newestPicture(through: day("2026-11-20"), of: .science)?.result.day == day("2021-01-01"))
        #expect(try days.newestPicture(through: day("2020-11-20"), of: .science) == nil)
    }

    @Test func scopesDontShareDays() throws {
        try days(scope: "one").keep([kept("2021-01-01")], of: .science)
        #expect(try days(scope: "two").newestPicture(through: day("2026-11-20"), of: .science) == nil)
        #expect(try days(scope: "one").newestPicture(through: day("2026-11-20"), of: .science) != nil)
    }

    @Test func policyForTheServicesAddressIsUsed() throws {
        let rule = try #require(Policies.Rule("https://science.nasa.gov/*=disabled"))
        for policies in [Policies(standard: .disabled), Policies(rules: [rule])] {
            let none = try days(policies: policies)
            try none.keep([kept("2021-01-01")], of: .science)
            #expect(try none.newestPicture(through: day("2026-11-20"), of: .science) == nil)
        }
        #expect(!folder.contents().contains { $0.hasPrefix("cache") }, "nothing was opened")
        let one = try days(policies: Policies(rules: [rule]))
        try one.keep([kept("2021-01-01")], of: .api)
        #expect(try one.newestPicture(through: day("2026-11-20"), of: .api) != nil)
    }

    @Test func daysFromAnotherAddressAreNotCurrent() throws {
        try days(science: "http://127.0.0.1:8080/apod").keep([kept("2021-01-01")], of: .science)
        #expect(try days().newestPicture(through: day("2026-11-20"), of: .science)?.isCurrent == false)
        let same = try days(science: "http://127.0.0.1:8080/apod")
        #expect(try same.newestPicture(through: day("2026-11-20"), of: .science)?.isCurrent == true)
    }

    @Test func requestIsSentWithoutALockIfTheLockFileCannotBeOpened() throws {
        try days().keep([kept("2021-01-01")], of: .science)
        try #require(unlink(folder.path("cache/locks/all")) == 0)
        try folder.makeFolder("cache/locks/all")
        let lines = Lines()
        #expect(try days(log: lines.log).turn(toAsk: .science, for: "newest") == nil)
        let path = folder.path("cache/locks/all")
        let words = "not waiting for other runs with the same request (newest): cannot open \(path): Is a directory"
        #expect(lines.all == ["apod-fetch: \(words)\n"])
    }

    @Test func rootThatCannotBeCreatedCausesOneWarning() throws {
        let file = try folder.write("file", [1])
        let lines = Lines()
        let days = try days(root: file + "/cache", log: lines.log)
        for _ in 0..<3 {
            #expect(try days.newestPicture(through: day("2026-11-20"), of: .science) == nil)
            try days.keep([kept("2021-01-01")], of: .science)
        }
        let writing = Lines()
        let unwritable = try self.days(root: file + "/cache", log: writing.log)
        for _ in 0..<2 { try unwritable.keep([kept("2021-01-01")], of: .science) }
        #expect(
            writing.all.count == 1 && writing.all[0].hasSuffix("; NASA's answers are not cached\n"), "\(writing.all)")
        #expect(lines.all.count == 1)
        #expect(
            lines.all[0].hasPrefix("apod-fetch: warning: cannot ")
                && lines.all[0].hasSuffix("; the cache is not used\n"),
            "\(lines.all)")
    }
}
