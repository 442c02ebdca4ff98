import Records
import Support
import TestSupport
import Testing

/// `apod-fetch` against the sample service, in both of its shapes.
struct ApodFetchTests {
    private func fetch(_ arguments: [String], environment: [String: String?] = [:]) throws -> ToolOutput {
        try Sample.home().run("apod-fetch", ["--retries", "0"] + arguments, environment: environment)
    }

    /// The date at UTC-4, where NASA publishes.
    private var newest: CalendarDay { CalendarDay(at: .now(), offset: .seconds(-4 * 3600)) }

    // MARK: Days

    @Test func everyWayOfAskingForTodayGivesTheNewest() throws {
        // The newest two days of the service have ordinary pictures, whatever the date.
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

    @Test func beforeTodaysPictureIsOutTheDayBeforeIsTheNewest() throws {
        let service = try SampleServer(["--today", newest.advanced(by: -1).description])
        let home = try ToolHome(environment: service.environment)
        let record = try home.run("apod-fetch", ["--date"]).expect(0).record
        #expect(record.string("date") == newest.advanced(by: -1).description)
        // Who names the day itself hears that it is not out.
        let named = try home.run("apod-fetch", ["--date", newest.description, "--service", "science"])
        #expect(named.status == 69 || named.status == 75, "\(named)")
        #expect(try named.record.string("date") == newest.description)
    }

    @Test func standardInputIsLeftAlone() throws {
        let home = try Sample.home()
        let running = try home.start("apod-fetch", ["--date", "2024-02-01"])
        #expect(running.readLine()?.contains("2024-02-01") == true)
        #expect(running.readLine() == nil, "it ends although its input is open")
        _ = try running.wait().expect(0)
    }

    @Test func daysThatCannotBeAreRefusedWithoutARequest() throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        let wrong = [
            ["--date", "2024-02-30"], ["--date", "1995-06-15"], ["--date", "2999-01-01"], ["--date", "2024-2-3"],
            ["--date", "tomorow"], ["--start-date", "2024-02-03", "--end-date", "2024-02-01"],
            ["--end-date", "2024-02-03"],
            ["--start-date", "2999-01-01"], ["--count", "0"], ["--count", "20000"], ["--count", "some"],
            ["--seed", "1"],
            ["--date", "2024-02-03", "--count", "2"], ["--count", "2", "--start-date", "2024-02-03"],
            ["--count", "2", "--seed", "-1x"], ["--date", "2024-13"], ["--date", "0000"], ["--date", "1995-05"],
            ["--date", "2999"], ["--date", "--last", "2"], ["--last", "0"], ["--last", "x"], ["--date", "-"],
            ["2024-02-03"],
            ["--refresh", "--offline"], ["--media", "film"], ["--format", "xml"],
            ["--format", "text", "--print", "date"],
            ["--format", "url", "--pretty"], ["--service", "nasa"], ["--fallback-previous", "--media", "video"],
        ]
        for arguments in wrong { try home.run("apod-fetch", arguments).expectRefusal(64, "apod-fetch", "") }
        #expect(try service.requests().total == 0)
        // Days that never had a picture need no request either.
        for day in ["1995-06-17", "1995-06-18", "1995-06-19", "2020-06-10"] {
            let output = try home.run("apod-fetch", ["--date", day])
            let record = try output.expectFailure(69, code: "no-picture", tool: "apod-fetch")
            #expect(record.string("date") == day)
        }
        #expect(try service.requests().total == 0)
    }

    @Test func aRangeAscendsAcrossPages() throws {
        let days = try fetch(["--start-date", "2024-01-28", "--end-date", "2024-03-30", "--print", "date"]).expect(69)
        let first = try #require(CalendarDay("2024-01-28"))
        #expect(days.lines == (0..<63).map { first.advanced(by: $0).description })
        let records = try fetch(["--start-date", "2024-01-28", "--end-date", "2024-03-30"]).expect(69).records
        #expect(records.filter { $0.has("error") }.map { $0.string("date") } == ["2024-02-27", "2024-03-27"])
        // Nine pages of 25 at most would be the smallest number of requests.
        let open = try fetch(["--start-date", newest.advanced(by: -2).description, "--print", "date"])
        #expect(open.lines.last == newest.description, "\(open)")
    }

    @Test func monthsYearsAndDaysComeAsTheyWereNamed() throws {
        let dates = ["2024-02", "2020-01-31", "1995", "2024-02-03"].flatMap { ["--date", $0] }
        let output = try fetch(dates + ["--print", "date"]).expect(69)
        #expect(output.lines.count == 29 + 1 + 196 + 1)
        #expect(
            output.lines[28...30] == ["2024-02-29", "2020-01-31", "1995-06-16"] && output.lines.last == "2024-02-03")
        let notes = output.errorLines.filter { $0.contains("left out") }
        #expect(
            notes == ["apod-fetch: there was no picture of the day on 1995-06-17, 1995-06-18 and 1995-06-19; left out"])
        let quiet = try fetch(["--date", "2020-06", "-q", "--print", "date"])
        #expect(quiet.lines.count == 29 && !quiet.stderr.contains("left out"))
    }

    @Test func theLastDaysAscendToTheNewestPicture() throws {
        let service = try SampleServer(["--today", newest.advanced(by: -1).description])
        let home = try ToolHome(environment: service.environment)
        let output = try home.run("apod-fetch", ["--last", "3", "--print", "date", "--media", "image,video,other"])
        #expect(output.lines == (1...3).reversed().map { newest.advanced(by: -$0).description }, "\(output)")
        // The month that this day is in ends with it, quietly.
        let month = String(newest.description.prefix(7))
        let open = try home.run("apod-fetch", ["--date", month, "--print", "date"])
        #expect(open.lines.last ?? "" < newest.description && !open.stderr.contains("not published"), "\(open)")
    }

    @Test func chanceTellsItsSeed() throws {
        let drawn = try fetch(["--count", "3", "-v", "--print", "date"])
        let line = try #require(drawn.errorLines.first { $0.contains("--seed") })
        let seed = try #require(line.split(separator: " ").first { UInt64($0) != nil })
        #expect(try fetch(["--count", "3", "--seed", String(seed), "--print", "date"]).lines == drawn.lines)
    }

    @Test func chanceCanBeRepeated() throws {
        let one = try fetch(["--count", "6", "--seed", "42", "--print", "date"])
        let two = try fetch(["--count", "6", "--seed", "42", "--print", "date"])
        let other = try fetch(["--count", "6", "--seed", "43", "--print", "date"])
        #expect(one.lines.count == 6 && Set(one.lines).count == 6, "\(one)")
        #expect(one.lines == two.lines && one.lines != other.lines)
        #expect(try fetch(["--count", "3", "--print", "date"]).lines.count == 3)
    }

    @Test func whatIsRefusedIsNamedWithWhatIsMeant() throws {
        let home = try Sample.home()
        try home.run("apod-fetch", ["--date", "2024-2-3"]).expectRefusal(
            64, "apod-fetch", "did you mean 2024-02-03?", "1995-06-16 to 2")
        try home.run("apod-fetch", ["--dat", "2024"]).expectRefusal(
            64, "apod-fetch", "mean --date? See apod-fetch --help")
        try home.run("apod-fetch", ["--date", "1994"]).expectRefusal(
            64, "apod-fetch", "1994 is before the first picture")
        try home.run("apod-fetch", ["2024"]).expectRefusal(64, "apod-fetch", "did you mean --date 2024?")
        try home.run("apod-fetch", ["--format", "txt"]).expectRefusal(64, "apod-fetch", "did you mean text?")
        try home.run("apod-fetch", ["--service", "scince"]).expectRefusal(64, "apod-fetch", "did you mean science?")
        try home.run("apod-fetch", ["--media", "image,vidoe"]).expectRefusal(64, "apod-fetch", "did you mean video?")
        let file = try home.write("config.json", #"{"service": "nasa"}"#)
        try home.run("apod-fetch", ["--config", file]).expectRefusal(78, "apod-fetch", "service", "nasa")
    }

    @Test func theServiceMayStandInTheConfiguration() throws {
        let home = try Sample.home()
        let file = try home.write("config.json", #"{"service": "api"}"#)
        let api = try home.run("apod-fetch", ["--config", file, "--date", "2024-02-01"])
        try api.expectFailure(69, code: "stand-in", tool: "apod-fetch")
        try home.run("apod-fetch", ["--config", file, "--service", "science", "--date", "2024-02-01"]).expect(0)
    }

    // MARK: Records

    @Test func bothServicesGiveTheSameRecord() throws {
        let service = try SampleServer(["--legacy", "classic"])
        let home = try ToolHome(environment: service.environment)
        for day in ["2024-02-03", "2024-02-08", "2024-02-09"] {
            let science = try home.run("apod-fetch", ["--service", "science", "--date", day]).expect(0).record
            let api = try home.run("apod-fetch", ["--service", "api", "--date", day]).expect(0).record
            for field: FieldPath in ["date", "title", "hdurl", "media_type"] {
                #expect(science.string(field) == api.string(field), "\(day) \(field)")
            }
            #expect(science.string("service_version") == "v2" && api.string("service_version") == "v1")
            #expect(science.string("apod.service") == "science" && api.string("apod.service") == "api")
            for text in [science.string("title"), science.string("explanation"), science.string("credit")] {
                let text = try #require(text)
                #expect(!text.contains("&amp;") && !text.contains("<") && !text.contains("  "), "\(text)")
            }
            #expect(science.string("hdurl")?.contains("?") == false)
        }
    }

    @Test func aVideoIsAVideoAndAFilmHasItsStill() throws {
        let video = try fetch(["--date", "2024-03-05"]).expect(0).record
        #expect(video.string("media_type") == "video")
        #expect(video.string("url")?.contains("youtube.com/embed/") == true)
        #expect(!video.has("hdurl"))
        let film = try fetch(["--date", "2024-03-12"]).expect(0).record
        #expect(film.string("media_type") == "video" && film.string("url")?.hasSuffix(".mp4") == true)
        #expect(film.string("thumbnail_url")?.contains("/2024-03-12.jpg") == true)
    }

    @Test func aStandInIsNeverThePictureOfTheDay() throws {
        let lost = try fetch(["--date", "2024-02-27"]).expectFailure(69, code: "stand-in", tool: "apod-fetch")
        #expect(lost.names == ["date", "error"])
        // The old service has had nothing but its logo since it was switched off.
        try fetch(["--service", "api", "--date", "2024-02-01"]).expectFailure(69, code: "stand-in", tool: "apod-fetch")
    }

    // MARK: Two services

    @Test func theOldServiceStepsInWhereTheNewOneFails() throws {
        let service = try SampleServer(["--legacy", "classic"])
        let home = try ToolHome(environment: service.environment)
        let broken = service.url("/wp-json/wp/v2/apod-basic", faults: ["status-503"])
        let record = try home.run(
            "apod-fetch", ["--date", "2024-02-01", "--retries", "0"], environment: ["APOD_SCIENCE_URL": broken]
        ).expect(0).record
        #expect(record.string("apod.service") == "api" && record.string("service_version") == "v1")
        // Alone, neither asks the other.
        try home.run(
            "apod-fetch", ["--service", "science", "--date", "2024-02-01", "--retries", "0"],
            environment: ["APOD_SCIENCE_URL": broken]
        )
        .expect(75)
        try service.reset()
        // A day of which nothing is kept.
        _ = try home.run("apod-fetch", ["--service", "api", "--date", "2024-02-02"]).expect(0)
        #expect(try service.requests().counts.keys.sorted() == ["/planetary/apod"])
    }

    @Test func whereTheOldServiceHasOnlyItsLogoTheNewOnesFailureIsTold() throws {
        let broken = try Sample.service.url("/wp-json/wp/v2/apod-basic", faults: ["status-503"])
        let output = try fetch(["--date", "2024-02-01"], environment: ["APOD_SCIENCE_URL": broken]).expect(75)
        let record = try output.record
        #expect(record.bool("error.transient") == true)
        #expect(record.string("error.message")?.contains("science") == true, "\(output)")
        #expect(record.string("error.code") != "stand-in")
    }

    @Test func aServiceInTroubleIsAskedAgain() throws {
        let base = try Sample.service.url("/wp-json/wp/v2/apod-basic", faults: ["fail-1-times-503"])
        let output = try Sample.home().run(
            "apod-fetch", ["--service", "science", "--date", "2024-02-02"], environment: ["APOD_SCIENCE_URL": base])
        #expect(try output.expect(0).record.string("date") == "2024-02-02")
    }

    @Test(arguments: [
        ("html", 65), ("garbage", 75), ("gzip-bomb", 77), ("cut-half", 75), ("status-403", 77), ("status-429", 75),
    ])
    func anAnswerThatIsNoneHasItsCode(_ fault: String, _ status: Int32) throws {
        let base = try Sample.service.url("/wp-json/wp/v2/apod-basic", faults: [fault])
        let output = try fetch(
            ["--service", "science", "--date", "2024-02-01"], environment: ["APOD_SCIENCE_URL": base]
        ).expect(status)
        let record = try output.record
        #expect(record.names == ["date", "error"] && record.integer("error.exit") == Int(status), "\(output)")
        #expect(output.errorLines.count == 1, "\(output)")
    }

    @Test func eachFaultOfAKeyHasItsWords() throws {
        for (key, status) in [("invalid", Int32(77)), ("unverified", 77), ("over-limit", 75)] {
            let output = try fetch(["--service", "api", "--date", "2024-02-01"], environment: ["NASA_API_KEY": key])
                .expect(status)
            #expect(try output.record.integer("error.exit") == Int(status), "\(output)")
            #expect(!output.stderr.contains(key) || key == "invalid" || key == "unverified", "\(output)")
        }
    }

    @Test func failFastStopsARange() throws {
        let output = try fetch(["--start-date", "2024-02-25", "--end-date", "2024-03-02", "--fail-fast"]).expect(69)
        #expect(
            try output.records.map { $0.string("date") } == ["2024-02-25", "2024-02-26", "2024-02-27"], "\(output)")
    }
}
