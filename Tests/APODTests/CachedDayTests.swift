import HTTP
import Records
import Store
import Support
import Testing

@testable import APOD
@testable import Articles

@Suite struct CachedDayTests {
    private let picture = Picture(
        service: .science, day: day("2024-02-03"), title: "\u{201C}Dust\u{201D} \\ & \u{1F30C}",
        explanation: Article(paragraphs: [
            LinkedText("A \"ring\".", links: [.init(range: 2..<8, address: "https://x.org/?a=\"b")]),
            LinkedText("More."),
        ]), mediaType: .image,
        url: "https://x.org/a b.jpg", hdurl: nil, copyright: "Ada",
        thumbnailURL: nil, permalink: nil, credit: nil, alt: "")

    private func outcomes(_ day: CalendarDay, _ service: Service) -> [DayResult.Outcome] {
        let failures: [APODFailure] = [
            .noPicture(day), .notPublished(day), .standIn(.placeholder, day, Server(service)),
            .standIn(.nothing, day, Server(service)),
        ]
        return [.picture(picture)] + failures.map { .failed($0) }
    }

    @Test func cachedDayIsReadBackUnchanged() {
        for outcome in outcomes(picture.day, .science) {
            for raw in [nil, scienceAnswer("2024-02-03").line] {
                for address in [nil, "http://127.0.0.1:8080/apod"] {
                    let kept = CachedDay(
                        DayResult(day: picture.day, outcome: outcome, fetchedAt: time("2024-02-04"), raw: raw),
                        expiresAt: time("2024-02-05"))
                    let metadata = kept.metadata(address: address)
                    #expect(!metadata.body.contains(UInt8(ascii: "\n")))
                    let read = CachedDay(metadata, of: .science, address: address)
                    #expect(read?.result.picture == kept.result.picture && read?.result.raw == raw)
                    #expect(read?.result.failure as? APODFailure == kept.result.failure as? APODFailure)
                    #expect(read?.result.fetchedAt == time("2024-02-04"))
                    #expect(read?.expiresAt == time("2024-02-05") && read?.isCurrent == true)
                }
            }
        }
    }

    @Test func storedPictureBeginsWithItsOutputFields() throws {
        let kept = CachedDay(
            DayResult(day: picture.day, outcome: .picture(picture), fetchedAt: time("2024-02-04")), expiresAt: nil)
        let line = String(decoding: picture.fields.line.dropLast(), as: UTF8.self)
        #expect(
            String(decoding: kept.metadata(address: nil).body, as: UTF8.self) == line
                + #","kept":{"edition":2,"layout":{"paragraphs":[{"start":0,"end":9},{"start":10,"end":15}],"#
                + #""marks":[{"start":2,"end":8,"href":"https://x.org/?a=\"b"}]}}}"#)
    }

    @Test(arguments: [
        "", "{}", "[]", "text", #"{"date":"2024-02-03","media_type":"image"}"#,
        #"{"date":"2024-02-03","media_type":"image","kept":{}}"#,
        #"{"date":"2024-02-04","media_type":"image","kept":{"edition":2}}"#,
        #"{"date":"2024-02-03","media_type":"hologram","kept":{"edition":2}}"#,
        #"{"date":"2024-02-03","error":{"code":"server-error"},"kept":{"edition":2}}"#,
        #"{"date":"2024-02-03","error":{"code":"refused","status":404},"kept":{"edition":2}}"#,
        #"{"date":"2024-02-03","error":{"code":"stand-in"},"kept":{"edition":2}}"#,
        #"{"date":"2024-02-03","error":{"code":"refused","status":400},"kept":{"edition":2}}"#,
        #"{"date":"2024-02-03","error":7,"kept":{"edition":2}}"#,
        #"{"date":"2024-02-03","media_type":"image","kept":{"edition":2}"#,
    ])
    func unreadableCachedDayIsIgnored(_ text: String) {
        #expect(read(text)?.result.day == nil)
    }

    private func read(_ text: String, address: String? = nil) -> CachedDay? {
        CachedDay(
            Metadata(name: "2024-02-03", body: Array(text.utf8), fetchedAt: time("2024-02-04")), of: .science,
            address: address)
    }

    @Test func dayOfAnotherEditionLayoutOrAddressIsNotCurrent() {
        func text(_ kept: String) -> String { #"{"date":"2024-02-03","media_type":"image","kept":\#(kept)}"# }
        #expect(read(text(#"{"edition":2}"#))?.isCurrent == true)
        #expect(read(text(#"{"edition":1}"#))?.isCurrent == false)
        #expect(read(text(#"{"edition":3}"#))?.isCurrent == false)
        #expect(read(text(#"{"edition":2,"marks":"2 8 https://x.org/\n10"}"#))?.isCurrent == false)
        #expect(read(text(#"{"edition":2}"#), address: "http://x.org/")?.isCurrent == false)
        #expect(read(text(#"{"edition":2,"address":"http://x.org/"}"#))?.isCurrent == false)
        #expect(read(text(#"{"edition":2,"address":"http://x.org/"}"#), address: "http://x.org/")?.isCurrent == true)
    }

    // MARK: Freshness

    @Test(arguments: [
        // Columns: the day, the date and hour (UTC) of the request, and the lifetimes in seconds of a picture of the
        // day (nil if it does not expire) and of the answer that the day has no picture.
        ("2026-11-19", "2026-11-20", 12, nil as Int?, 86_400), ("2026-11-20", "2026-11-20", 12, 1800, 300),
        ("2026-11-21", "2026-11-20", 12, 1800, 300),
        // Until 04:00 UTC the newest day is the previous day.
        ("2026-11-19", "2026-11-20", 3, 1800, 300), ("2026-11-18", "2026-11-20", 3, nil, 86_400),
    ])
    func newestDayIsFreshForMinutes(date: String, today: String, hour: Int, picture: Int?, absence: Int) {
        let now = time(today, hour)
        let shown = DayResult(day: day(date), outcome: .picture(self.picture), fetchedAt: now)
        #expect(CachedDay.lifetime(of: shown) == picture.map { .seconds($0) })
        let pending = DayResult(day: day(date), outcome: .failed(APODFailure.notPublished(day(date))), fetchedAt: now)
        #expect(CachedDay.lifetime(of: pending) == .seconds(300))
        for failure in [APODFailure.noPicture(day(date)), .standIn(.nothing, day(date), .api)] {
            #expect(
                CachedDay.lifetime(of: DayResult(day: day(date), outcome: .failed(failure), fetchedAt: now))
                    == .seconds(absence))
        }
    }

    @Test func transientFailureIsNotCached() throws {
        let today = day("2026-11-20")
        let passing: [any Failure] = [
            APODFailure.failing(.api, status: 500, said: nil),
            APODFailure.rateLimited(.api, limitPerHour: nil, retryAfterSeconds: nil),
            APODFailure.badAnswer(.html, .science), APODFailure.forbidden(.science, status: 403),
            APODFailure.wrongDay(asked: today, answered: today, .api), Cancelled(),
            APODFailure.refused(.science, status: 404, said: "No route was found"),
            FetchFailure.nameNotResolved(url: try WebURL(FakeNASA.apiBase)),
            // If refusals were cached, a day requested during an hour of refusals would fail for 24 hours.
            APODFailure.refused(.science, status: 400, said: nil),
            APODFailure.nothingRecent(from: today, through: today),
        ]
        for failure in passing {
            #expect(
                CachedDay(DayResult(day: today, outcome: .failed(failure), fetchedAt: time("2026-11-20")))?.result
                    == nil)
        }
    }

    @Test func expiredOutdatedOrIncompleteDayIsNotFresh() {
        func kept(expires: Timestamp?, raw: [UInt8]? = nil, isCurrent: Bool = true) -> CachedDay {
            CachedDay(
                DayResult(day: picture.day, outcome: .picture(picture), fetchedAt: time("2024-02-04"), raw: raw),
                expiresAt: expires,
                isCurrent: isCurrent)
        }
        let now = time("2024-02-05")
        #expect(kept(expires: nil).isFresh(at: now, needsRaw: false))
        #expect(!kept(expires: now).isFresh(at: now, needsRaw: false))
        #expect(kept(expires: now + .milliseconds(1)).isFresh(at: now, needsRaw: false))
        #expect(!kept(expires: nil, isCurrent: false).isFresh(at: now, needsRaw: false))
        #expect(!kept(expires: nil).isFresh(at: now, needsRaw: true))
        #expect(kept(expires: nil, raw: Array("{}".utf8)).isFresh(at: now, needsRaw: true))
        // The day was fetched before the clock was set back by a day, so its age is unknown.
        let before = time("2024-02-03")
        #expect(!kept(expires: now).isFresh(at: before, needsRaw: false))
        #expect(kept(expires: now).isFresh(at: time("2024-02-04") - .seconds(60), needsRaw: false))
        #expect(kept(expires: nil).isFresh(at: before, needsRaw: false))
        // A day without a picture has no raw object.
        let absent = CachedDay(
            DayResult(day: picture.day, outcome: .failed(APODFailure.noPicture(picture.day)), fetchedAt: now),
            expiresAt: nil)
        #expect(absent.isFresh(at: now, needsRaw: true))
    }
}
