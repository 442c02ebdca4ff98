import HTTP
import Support
import Testing

@testable import APOD

/// Tests which days are requested if some are already cached. The time is noon on 2026-11-20.
@Suite struct KeptSequenceTests {
    private func down(_ service: Service? = nil) throws -> @Sendable (FakeNASA.Ask) -> FakeNASA.Reply? {
        let url = try WebURL(FakeNASA.scienceBase)
        return { ask in
            service == nil || ask.service == service
                ? .failure(FetchFailure.connectionFailed(url: url, detail: "refused")) : nil
        }
    }

    private func year(_ year: String) -> DayRequest { .range(start: day("\(year)-01-01"), end: day("\(year)-12-31")) }

    // MARK: Requests for missing days

    @Test(arguments: [1, 4]) func aSecondRunOverAYearMakesNoRequest(jobs: Int) throws {
        let nasa = FakeNASA.complete(through: "2026-11-20") { ask in
            // Both services lack the picture of 2023-03-05; only the old service has the picture of 2023-07-08.
            switch ask {
            case .page(.science, let first, let last):
                .ok(
                    list(
                        (first.daysSince1970...last.daysSince1970).map { number in
                            let date = CalendarDay(daysSince1970: number).description
                            let isLost = ["2023-03-05", "2023-07-08"].contains(date)
                            return scienceAnswer(
                                date, isLost ? ["hdurl": .string(placeholder), "basic_html": nil] : [:])
                        }))
            case .day(.api, day("2023-03-05")), .page(.api, day("2023-03-05"), _): .ok(logoAnswer("2023-03-05").line)
            default: nil
            }
        }
        let store = try DayCache()
        let first = try nasa.client(store: store, jobs: jobs).results(year("2023"))
        #expect(first.count == 365 && first.count { $0.failure != nil } == 1)
        #expect(first.allSatisfy { $0.source == .network })
        let asked = nasa.asked.count
        let second = try nasa.client(store: store, jobs: jobs).results(year("2023"))
        #expect(nasa.asked.count == asked)
        #expect(second.allSatisfy { $0.failure != nil || $0.source == .cache })
        #expect(second.map(\.failure?.code) == first.map(\.failure?.code))
        #expect(second.map(\.picture) == first.map(\.picture))
        #expect(second.first { $0.day == day("2023-07-08") }?.picture?.service == .api)
    }

    @Test func onlyMissingDaysAreRequested() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let store = try DayCache()
        for number in [1, 2, 4, 5, 6, 7, 8, 12] { try store.keep("2021-01-\(number < 10 ? "0" : "")\(number)") }
        let results = try nasa.client(store: store).results(.range(start: day("2021-01-01"), end: day("2021-01-14")))
        #expect(results.map(\.day) == PublishedDays.days(from: day("2021-01-01"), through: day("2021-01-14")))
        #expect(results.count { $0.source == .cache } == 8)
        // The 3rd is far from other missing days; the 9th to the 14th are close together.
        #expect(
            nasa.asked == [.day(.science, day("2021-01-03")), .page(.science, day("2021-01-09"), day("2021-01-14"))])
    }

    @Test func interruptedRunContinuesAfterItsLastCachedDay() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let store = try DayCache()
        let sequence = try nasa.client(store: store).pictures(year("2023"))
        for _ in 0..<100 { _ = try sequence.next() }
        #expect(try store.kept().count == 100)
        #expect(try nasa.client(store: store).results(year("2023")).count == 365)
        #expect(nasa.asked.count == 15)
    }

    @Test func pagesOfTheOldServiceAreMonths() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        #expect(try nasa.client(.api).results(year("2024")).count == 366)
        #expect(nasa.asked.count == 12)
        #expect(nasa.asked.contains(.page(.api, day("2024-02-01"), day("2024-02-29"))))
    }

    @Test func refreshRequestsCachedDaysAgain() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let store = try DayCache()
        let range = DayRequest.range(start: day("2021-01-01"), end: day("2021-01-02"))
        _ = try nasa.client(store: store).results(range)
        let again = try nasa.client(options: PictureOptions(refreshes: true), store: store).results(range)
        #expect(again.allSatisfy { $0.source == .network } && nasa.asked.count == 2)
    }

    @Test func failedRefreshDoesNotRemoveCachedPictures() throws {
        let store = try DayCache()
        try store.keep("2021-01-01")
        try store.keep("2021-01-02")
        let lost = scienceAnswer("2021-01-01", ["hdurl": .string(placeholder), "basic_html": nil])
        let nasa = FakeNASA { ask in if case .page = ask { .ok(list([lost])) } else { FakeNASA.notFound } }
        let range = DayRequest.range(start: day("2021-01-01"), end: day("2021-01-03"))
        let told = try nasa.client(.science, options: PictureOptions(refreshes: true), store: store).results(range)
        #expect(told.map(\.failure?.code) == ["stand-in", "no-picture", "no-picture"])
        let kept = try nasa.client(.science, store: store).results(range)
        #expect(kept.map(\.failure?.code) == [nil, nil, "no-picture"])
        #expect(kept.allSatisfy { $0.source == .cache })
    }

    @Test func rawObjectIsRequestedIfItIsNotCached() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let store = try DayCache()
        let one = DayRequest.day(day("2021-01-01"))
        let plain = try nasa.client(store: store).results(one)
        #expect(plain[0].raw == nil && plain[0].record.names.last == "apod")
        for source in [DayResult.Source.network, .cache] {
            let result = try nasa.client(options: PictureOptions(raw: true), store: store).results(one)[0]
            #expect(result.source == source)
            #expect(result.raw == scienceAnswer("2021-01-01").line)
            #expect(Array(result.record.names.suffix(2)) == ["raw", "apod"])
        }
        #expect(nasa.asked.count == 2)
    }

    // MARK: Two services

    @Test func oldServiceIsUsedAfterACachedFailureOfTheNewService() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let store = try DayCache()
        try store.keep(.noPicture(day("2021-01-01")), on: "2021-01-01")
        let fresh = try nasa.client(store: store).results(.day(day("2021-01-01")))[0]
        #expect(fresh.picture?.service == .api && fresh.source == .network)
        #expect(nasa.asked == [.day(.api, day("2021-01-01"))])
        let kept = try nasa.client(store: store).results(.day(day("2021-01-01")))[0]
        #expect(kept.picture?.service == .api && kept.source == .cache)
        #expect(
            try nasa.client(.science, store: store).results(.day(day("2021-01-01")))[0].failure?.code == "no-picture")
        #expect(nasa.asked.count == 1)
    }

    @Test func cachedAnswerOfTheOldServiceIsServedIfTheNewServiceIsDown() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20", except: try down(.science))
        let store = try DayCache()
        try store.keep("2021-01-01", of: .api)
        let result = try nasa.client(store: store).results(.day(day("2021-01-01")))[0]
        #expect(result.picture?.service == .api && result.source == .cache)
        #expect(nasa.asked == [.day(.science, day("2021-01-01"))])
    }

    @Test func servicesDoNotShareCachedDays() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let store = try DayCache()
        try store.keep("2021-01-01", of: .api)
        #expect(try nasa.client(store: store).results(.day(day("2021-01-01")))[0].picture?.service == .science)
        #expect(try nasa.client(.api, store: store).results(.day(day("2021-01-01")))[0].source == .cache)
    }

    // MARK: Stale records

    @Test func staleRecordIsServedIfNoServiceResponds() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20", except: try down())
        let store = try DayCache()
        for date in ["2021-01-01", "2021-01-02"] { try store.keep(date, fetched: "2021-02-03", isCurrent: false) }
        let lines = Lines()
        let results = try nasa.client(store: store, log: lines.log)
            .results(.range(start: day("2021-01-01"), end: day("2021-01-03")))
        #expect(results.map { $0.picture != nil } == [true, true, false])
        #expect(results[0].source == .stale && results[0].record.string("apod.source") == "stale")
        #expect(results[0].record.string("apod.fetched_at") == "2021-02-03T12:00:00Z")
        #expect(results[2].failure?.exitCode == .temporary)
        let warnings = lines.all.filter { $0.contains("the cached record of") }
        #expect(warnings.count == 1)
        #expect(
            warnings[0].hasPrefix("apod-fetch: warning: the service at science.example.org cannot be reached (")
                && warnings[0].hasSuffix(": using the cached record of 2021-01-01 from 2021-02-03T12:00:00Z\n"))
    }

    @Test func staleRecordIsRequestedAgainIfAServiceResponds() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let store = try DayCache()
        try store.keep("2021-01-01", isCurrent: false)
        try store.keep("2026-11-20", expires: time("2026-11-20", 11))
        for date in ["2021-01-01", "2026-11-20"] {
            #expect(try nasa.client(store: store).results(.day(day(date)))[0].source == .network)
        }
        // A permanent failure is preferred to a stale record.
        let gone = FakeNASA { _ in FakeNASA.notFound }
        try store.keep("2021-01-02", isCurrent: false)
        #expect(try gone.client(store: store).results(.day(day("2021-01-02")))[0].failure?.code == "no-picture")
    }

    @Test func staleRecordIsServedIfTheKeyIsRefused() throws {
        let nasa = FakeNASA { _ in .status(403, #"{"error":{"code":"API_KEY_INVALID","message":"x"}}"#) }
        let store = try DayCache()
        try store.keep("2021-01-01", isCurrent: false, of: .api)
        #expect(try nasa.client(.api, store: store).results(.day(day("2021-01-01")))[0].source == .stale)
    }

    @Test(arguments: [401, 403]) func staleRecordIsServedIfTheServiceDeniesAccess(status: Int) throws {
        let nasa = FakeNASA { _ in .status(status, "<h1>Access denied</h1>") }
        let store = try DayCache()
        try store.keep("2026-11-20", expires: time("2026-11-20", 11))
        #expect(try nasa.client(.science, store: store).results(.newest)[0].source == .stale)
    }

    @Test func staleRecordIsServedIfTheServiceHasMoved() throws {
        for reply in [FakeNASA.Reply.status(404, "<html>Not Found</html>"), .ok("<html>Welcome"), .ok("")] {
            let nasa = FakeNASA { _ in reply }
            let store = try DayCache()
            try store.keep("2026-11-20", expires: time("2026-11-20", 11))
            #expect(try nasa.client(store: store).results(.newest)[0].source == .stale)
        }
    }

    // MARK: Offline

    @Test func offlineSendsNoRequest() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let store = try DayCache()
        try store.keep("2021-01-01")
        try store.keep("2021-01-02", expires: time("2026-11-20", 1))
        try store.keep("2021-01-03", of: .api)
        try store.keep(.noPicture(day("2021-01-04")), on: "2021-01-04")
        let results = try nasa.client(options: PictureOptions(isOffline: true), store: store)
            .results(.range(start: day("2021-01-01"), end: day("2021-01-05")))
        #expect(results.map { $0.picture == nil ? nil : $0.source } == [.cache, .stale, .cache, nil, nil])
        #expect(results[3].failure?.code == "no-picture")
        #expect(results[4].failure?.code == "offline" && results[4].failure?.exitCode == .temporary)
        #expect(results[4].failure?.message.contains("2021-01-05") == true)
        #expect(nasa.asked.isEmpty)
    }

    // MARK: The newest day

    @Test func newestDayIsRequestedEveryHalfHour() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let store = try DayCache()
        for (minute, source, asked) in [(0, DayResult.Source.network, 1), (29, .cache, 1), (30, .network, 2)] {
            let result = try nasa.client(minute: minute, store: store).results(.newest)[0]
            #expect(result.source == source && result.picture?.day == day("2026-11-20"))
            #expect(nasa.asked.count == asked)
        }
    }

    @Test func notPublishedIsCachedForFiveMinutes() throws {
        let nasa = FakeNASA.complete(through: "2026-11-19")
        let store = try DayCache()
        for (minute, asked) in [(0, 1), (4, 1), (5, 2), (6, 2)] {
            let result = try nasa.client(hour: 4, minute: minute, store: store).results(.newest)[0]
            #expect(result.picture?.day == day("2026-11-19") && result.record.string("date") == "2026-11-19")
            #expect(nasa.asked.count == asked, "04:0\(minute)")
        }
    }

    @Test func newestCachedDayIsServedWithoutANetwork() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20", except: try down())
        for isOffline in [true, false] {
            let store = try DayCache()
            let client = { try nasa.client(options: PictureOptions(isOffline: isOffline), store: store) }
            #expect(try client().results(.newest)[0].failure?.exitCode == .temporary)
            try store.keep("2026-10-01")
            try store.keep("2026-10-03", of: .api)
            #expect(try client().results(.newest)[0].picture?.day == day("2026-10-03"))
            #expect(try client().results(.newest)[0].source == .stale)
            try store.keep("2026-11-20", expires: time("2026-11-20", 13))
            #expect(try client().results(.newest)[0].source == .cache)
        }
    }

    @Test func lastDaysTakeOneRequest() throws {
        let nasa = FakeNASA.complete(through: "2026-11-19")
        let results = try nasa.client().results(.last(5))
        #expect(results.map(\.day) == PublishedDays.days(from: day("2026-11-15"), through: day("2026-11-19")))
        #expect(
            nasa.asked == [.newest(5)])
    }

    @Test func unreachableServiceAndNewestDayAreRememberedBetweenRequests() throws {
        let url = try WebURL(FakeNASA.scienceBase)
        let nasa = FakeNASA { _ in .failure(FetchFailure.nameNotResolved(url: url)) }
        let client = try nasa.client(.science)
        for number in 1...9 {
            #expect(try client.result(of: day("2021-01-0\(number)")).failure?.isTransient == true)
        }
        #expect(nasa.asked.count == 3)
        let good = FakeNASA.complete(through: "2026-11-20")
        let keeping = try good.client(store: DayCache())
        for _ in 0..<3 { #expect(try keeping.results(.newest)[0].picture != nil) }
        #expect(good.asked.count == 1)
    }
}
