import Records
import Support
import TestSupport
import Testing

/// The newest day, before and after its picture is published.
struct NewestDayTests {
    /// The newest day that may be published: the date at UTC-4, as in `PublishedDays.newest`.
    private var newest: CalendarDay { CalendarDay(at: .now(), offset: .seconds(-4 * 3600)) }

    @Test func everyRequestForTodayReturnsTheNewestDay() throws {
        // On any date, the newest two days of the service have ordinary pictures.
        let service = try SampleServer(["--today", newest.description])
        let home = try ToolHome(environment: service.environment)
        func date(_ arguments: [String]) throws -> String {
            try home.run("apod-fetch", arguments + ["--print", "date"]).expect(0).stdout
        }
        for arguments in [[], ["--date"], ["--date", "today"], ["--date=today"]] {
            #expect(try date(arguments) == "\(newest)\n", "\(arguments)")
        }
        #expect(try date(["--date", "yesterday"]) == "\(newest.advanced(by: -1))\n")
    }

    @Test func yesterdayIsTheNewestDayUntilTodaysPictureIsPublished() throws {
        let service = try SampleServer(["--today", newest.advanced(by: -1).description])
        let home = try ToolHome(environment: service.environment)
        let record = try home.run("apod-fetch", ["--date"]).expect(0).record
        #expect(record.string("date") == newest.advanced(by: -1).description)
        // An explicit date fails, because its picture is not published yet.
        let named = try home.run("apod-fetch", ["--date", newest.description]).expect(75)
        #expect(try named.record.string("error.code") == "not-published")
        #expect(try named.record.bool("error.transient") == true)
        #expect(try named.record.string("date") == newest.description)
    }

    @Test func requireTodayFailsUntilTodaysPictureIsPublished() throws {
        for (day, status) in [(newest, Int32(0)), (newest.advanced(by: -1), 75)] {
            let service = try SampleServer(["--today", day.description])
            let home = try ToolHome(environment: service.environment)
            for arguments in [[], ["--date"], ["--fallback-previous"]] {
                let output = try home.run("apod-fetch", ["--require-today"] + arguments).expect(status)
                #expect(try output.record.string("date") == newest.description)
            }
            let both = try home.run("apod-fetch", ["--date", "today", "--date", "yesterday", "--print", "date"]).expect(
                0)
            #expect(both.lines == (status == 0 ? [day, day.advanced(by: -1)] : [day]).map(\.description), "\(both)")
        }
    }

    @Test func openRangeEndsWithTheNewestDay() throws {
        let start = newest.advanced(by: -2).description
        let open = try Sample.home().run(
            "apod-fetch", ["APOD_TOOLS_RETRIES=0", "--date", "\(start)..", "--print", "date"])
        #expect(open.lines.last == newest.description, "\(open)")
    }

    @Test func lastOptionEndsWithTheNewestPicture() throws {
        let service = try SampleServer(["--today", newest.advanced(by: -1).description])
        let home = try ToolHome(environment: service.environment)
        let output = try home.run("apod-fetch", ["--last", "3", "--print", "date", "--media", "image,video,other"])
        #expect(output.lines == (1...3).reversed().map { newest.advanced(by: -$0).description }, "\(output)")
        // The current month ends with the newest published day.
        let month = String(newest.description.prefix(7))
        let open = try home.run("apod-fetch", ["--date", month, "--print", "date"])
        #expect(open.lines.last ?? "" < newest.description, "\(open)")
        #expect(open.stderr.contains("the picture of \(newest) is not published yet; skipped"), "\(open)")
    }

    @Test func severalDaysWithoutAPictureAreReportedInOneLine() throws {
        let last = newest.advanced(by: -5)
        let service = try SampleServer(["--today", last.description])
        let home = try ToolHome(environment: service.environment)
        let told =
            "apod-fetch: the newest picture is from \(last), 5 days ago; "
            + "NASA has not published any since\n"
        for _ in 0..<2 {
            let today = try home.run("apod-fetch", ["--print", "date"]).expect(0)
            #expect(today.stdout == "\(last)\n" && today.stderr == told, "\(today)")
        }
        let three = try home.run("apod-fetch", ["--last", "2", "--print", "date"]).expect(0)
        #expect(three.lines == ["\(last.advanced(by: -1))", "\(last)"] && three.stderr == told, "\(three)")
        let range = try home.run("apod-fetch", ["--date", "\(last)..", "--print", "date"]).expect(0)
        #expect(range.stdout == "\(last)\n", "\(range)")
        let left = "apod-fetch: the pictures of \(last.advanced(by: 1)) to \(newest) are not published yet; skipped\n"
        #expect(range.stderr == left, "\(range)")
    }
}
