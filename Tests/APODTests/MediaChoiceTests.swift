import HTTP
import Records
import Support
import Testing

@testable import APOD

/// Tests of `--media` and `--fallback-previous`. In this archive every fifth day of a month has a video, the 10th has
/// no picture, and the picture of the 20th is lost.
@Suite struct MediaChoiceTests {
    private let nasa = FakeNASA.complete(through: "2026-11-20") { ask in
        func answer(_ day: CalendarDay) -> Record? {
            let date = day.description
            switch day.day {
            case 10: return nil
            case 20: return scienceAnswer(date, ["hdurl": .string(placeholder), "basic_html": nil])
            case let number where number % 5 == 0:
                return scienceAnswer(
                    date,
                    ["media_type": "video", "basic_html": page("<iframe src=\"//www.youtube.com/embed/abc-DEF_123\">")])
            default: return scienceAnswer(date)
            }
        }
        switch ask {
        case .day(_, let day): return answer(day).map { .ok($0.line) } ?? FakeNASA.notFound
        case .page(_, let first, let last):
            let days = (first.daysSince1970...last.daysSince1970).map(CalendarDay.init(daysSince1970:))
            return .ok(list(days.compactMap(answer)))
        case .newest: return nil
        }
    }

    private func fetch(
        _ options: PictureOptions, _ request: DayRequest, log: Log = .silent
    ) throws -> [DayResult] {
        let client = try nasa.client(.science, options: options, log: log)
        defer { client.logSkippedDays() }
        return try client.results(request)
    }

    private func range(_ first: String, _ last: String) -> DayRequest { .range(start: day(first), end: day(last)) }

    @Test func unrequestedMediaAreOmittedAndCounted() throws {
        let lines = Lines()
        let images = try fetch(PictureOptions(media: [.image]), range("2021-01-01", "2021-01-09"), log: lines.log)
        #expect(images.map(\.day.day) == [1, 2, 3, 4, 6, 7, 8, 9])
        #expect(lines.all.last == "apod-fetch: 1 of 9 days has no image and was skipped\n")
        let videos = try fetch(
            PictureOptions(media: [.video, .other]), range("2021-01-11", "2021-01-16"), log: lines.log)
        #expect(videos.map(\.day.day) == [15])
        #expect(lines.all.last == "apod-fetch: 5 of 6 days have no video or other medium and were skipped\n")
    }

    @Test func daysWithoutTheWordsAreOmittedAndCounted() throws {
        var options = PictureOptions()
        options.words = SearchWords("nowhere")
        let lines = Lines()
        #expect(try fetch(options, range("2021-01-01", "2021-01-02"), log: lines.log).isEmpty)
        #expect(lines.all.last == "apod-fetch: 2 of 2 days do not contain all words and were skipped\n")
    }

    @Test func failuresPassTheMediaFilter() throws {
        let results = try fetch(PictureOptions(media: [.image]), range("2021-01-10", "2021-01-10"))
        #expect(results.map(\.failure?.code) == ["no-picture"])
    }

    @Test func latestEarlierImageReplacesOtherMedia() throws {
        for (date, found, asked) in [
            ("2021-01-05", "2021-01-04", 2), ("2021-01-10", "2021-01-09", 2), ("2021-01-20", "2021-01-19", 3),
            ("2021-01-07", "2021-01-07", 1),
        ] {
            let before = nasa.asked.count
            let lines = Lines()
            let result = try fetch(PictureOptions(fallsBack: true), .day(day(date)), log: lines.log)[0]
            #expect(result.picture?.day == day(found) && result.day == day(date))
            let words = "apod-fetch: \(date) has no image; using \(found)\n"
            #expect(lines.all.contains(words) == (date != found), "\(lines.all)")
            #expect(result.record.string("date") == found)
            #expect(nasa.asked.count - before == asked, "\(date)")
        }
    }

    @Test func fallbackOfARangeSearchesItsPageFirst() throws {
        let results = try fetch(PictureOptions(fallsBack: true), range("2021-01-04", "2021-01-12"))
        #expect(results.compactMap(\.picture?.day.day) == [4, 4, 6, 7, 8, 9, 9, 11, 12])
        // One request is for the page, the other for the day that the page omits.
        #expect(nasa.asked.count == 2)
    }

    @Test func searchCrossesPagesAndEndsAfterAYear() throws {
        let videos = FakeNASA.complete(through: "2026-11-20") { ask in
            func answer(_ day: CalendarDay) -> Record {
                let player = page("<iframe src=\"//www.youtube.com/embed/abc-DEF_123\">")
                return scienceAnswer(
                    day.description,
                    day.description == "2020-11-11" ? [:] : ["media_type": "video", "basic_html": player])
            }
            switch ask {
            case .day(_, let day): return .ok(answer(day).line)
            case .page(_, let first, let last):
                return .ok(
                    list((first.daysSince1970...last.daysSince1970).map { answer(CalendarDay(daysSince1970: $0)) }))
            case .newest: return nil
            }
        }
        let client = try videos.client(.science, options: PictureOptions(fallsBack: true))
        #expect(try client.result(of: day("2021-01-01")).picture?.day == day("2020-11-11"))
        #expect(videos.asked.count == 4)
        // One request is for the day itself; the previous 365 days are on 15 pages.
        let result = try client.result(of: day("2019-01-01"))
        #expect(result.picture?.day == day("2019-01-01") && result.picture?.mediaType == .video)
        #expect(videos.asked.count == 4 + 16)
    }

    @Test func transientFailureIsNotHidden() throws {
        let down = FakeNASA { _ in .status(503, "down") }
        let result = try down.client(options: PictureOptions(fallsBack: true)).results(.day(day("2021-01-05")))[0]
        #expect(result.failure?.isTransient == true)
    }
}
