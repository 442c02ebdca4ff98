import Libc
import Records
import TestSupport
import Testing

/// `apod-fetch -`: days and records on standard input.
@Suite struct DayInputTests {
    private let server: SampleServer
    private let home: ToolHome

    init() throws {
        server = try SampleServer()
        home = try ToolHome(environment: server.environment)
    }

    private func fetch(_ arguments: [String] = [], _ input: String) throws -> ToolOutput {
        try home.run("apod-fetch", ["-", "--retries", "0"] + arguments, stdin: .text(input))
    }

    // MARK: Lines

    @Test func linesAreDaysMonthsAndYears() throws {
        let input = "# a week and a day\r\n2024-02-03\r\n\r\n  today # the newest\n2024-03\n"
        let days = try fetch(["--print", "date"], input).expect(69)
        #expect(days.lines.count == 33 && days.lines.first == "2024-02-03" && days.lines.last == "2024-03-31")
        for nothing in ["", "\n# nothing\n"] { #expect(try fetch([], nothing).expect(0).stdout == "") }
        #expect(try fetch(["--print", "date"], "1995\n").lines.count == 196)
    }

    @Test func aBadLineSaysWhatIsWrongAndTheOthersGoOn() throws {
        let output = try fetch([], "2024-02-01\nbanana\n2024-02-30\n2999-01-01\n2020-06-10\n2024-02-02\n").expect(65)
        let records = try output.records
        #expect(records.map { $0.string("date") } == ["2024-02-01", nil, nil, nil, "2020-06-10", "2024-02-02"])
        #expect(records[1].names == ["error", "input_line"])
        #expect(records.map { $0.integer("input_line") } == [nil, 2, 3, 4, nil, nil])
        #expect(records[1...3].allSatisfy { $0.string("error.code") == "bad-date" && $0.integer("error.exit") == 65 })
        #expect(records[4].string("error.code") == "no-picture")
        #expect(output.errorLines.contains { $0.hasPrefix("apod-fetch: line 2: \"banana\" is not a day") }, "\(output)")
        let first = try fetch(["--fail-fast"], "banana\n2024-02-02\n").expect(65)
        #expect(try first.records.count == 1)
    }

    @Test func linesAreAnsweredAsTheyAreTyped() throws {
        let tool = try home.start("apod-fetch", ["-", "--print", "date"])
        for day in ["2024-02-03", "2024-02-09", "yesterday"] {
            tool.write("\(day)\n")
            #expect(tool.readLine()?.isEmpty == false)
        }
        // The last line needs no end.
        tool.write("2024-03-01")
        tool.closeInput()
        #expect(tool.readLine() == "2024-03-01")
        try tool.wait().expect(0)
    }

    @Test func whoHasSeenEnoughEndsAnEndlessInput() throws {
        for command in ["yes 2024-02-03", "yes '{\"date\":\"2024-02-03\"}'"] {
            let output = try home.shell("\(command) | { apod-fetch -; echo status $? >&2; } | head -n 2 | wc -l")
            #expect(output.stdout.contains("2") && output.stderr.contains("status 0"), "\(output)")
        }
    }

    @Test func aHundredThousandLinesTakeNoMemory() throws {
        let comments = String(repeating: "# the day on which nothing happened\n", count: 100_000)
        let failed = String(repeating: "{\"error\":1}\n", count: 50_000)
        for input in [comments, failed, String(repeating: "2024-02-03\n", count: 2000)] {
            let tool = try home.start("apod-fetch", ["-", "--print", "date"], stdin: .text(input))
            _ = tool.wait()
            if !isUnderAddressSanitizer, let peak = tool.peakMemory { #expect(peak < 64 << 20, "\(peak)") }
        }
    }

    // MARK: Records

    @Test func recordsKeepWhatTheyHave() throws {
        let input = """
            [{"n": 1.10, "date":"2024-02-03","big":12345678901234567890,"u":"\\u00e9"},
             {"title":"old","date":"2024-02-09T10:00:00Z","mine":true}]
            """
        let output = try fetch([], input).expect(0)
        #expect(
            output.lines[0].hasPrefix(
                #"{"n": 1.10, "date":"2024-02-03","big":12345678901234567890,"u":"\u00e9","title":"#))
        let second = try output.records[1]
        #expect(second.names.prefix(3) == ["title", "date", "mine"])
        #expect(second.string("date") == "2024-02-09" && second.string("title") != "old")
        #expect(second.names.last == "apod")
    }

    @Test func recordsKeepTheirOrderHoweverManyAreFetchedAtOnce() throws {
        let days = (1...26).map { "2024-03-\($0 < 10 ? "0" : "")\($0)" }.reversed()
        let input = days.map { "{\"date\":\"\($0)\"}\n" }.joined()
        #expect(try fetch(["--jobs", "8", "--print", "date"], input).expect(0).lines == Array(days))
        let unordered = try fetch(["--jobs", "8", "--unordered", "--refresh", "--print", "date"], input).expect(0)
        #expect(unordered.lines.sorted() == days.sorted())
    }

    @Test func aRecordIsAnsweredBeforeTheNextOneCame() throws {
        let tool = try home.start("apod-fetch", ["-"])
        for day in ["2024-02-03", "2024-02-09"] {
            tool.write("{\"date\":\"\(day)\"}\n")
            #expect(tool.readLine()?.contains("\"source\"") == true)
        }
        tool.closeInput()
        try tool.wait().expect(0)
    }

    @Test func failuresOfOthersPassAndOwnOnesAreTriedAgain() throws {
        func record(_ tool: String, transient: Bool) -> String {
            #"{"date":"2024-02-03","error":{"tool":"\#(tool)","code":"x","message":"x","transient":\#(transient),"exit":75}}"#
        }
        let input = [
            record("img-cache", transient: true), record("apod-fetch", transient: true),
            record("apod-fetch", transient: false),
        ]
        let kept = try fetch([], input.joined(separator: "\n")).expect(0)
        #expect(kept.lines == input)
        let retried = try fetch(["--retry-errors"], input.joined(separator: "\n")).expect(0)
        #expect(try retried.records.map { $0.has("error") } == [true, false, true])
        #expect(retried.lines[0] == input[0] && retried.lines[2] == input[2])
        #expect(try retried.records[1].has("title"))
    }

    @Test func anOldRecordIsBroughtUpToDate() throws {
        let film = try home.run("apod-fetch", ["--date", "2024-03-05"]).expect(0).record
        let old = String(decoding: film.line, as: UTF8.self)
            .replacing("\"media_type\"", with: "\"hdurl\":\"https://example.org/old.jpg\",\"media_type\"")
        let record = try fetch([], old).expect(0).record
        #expect(!record.has("hdurl") && record.string("media_type") == "video")
    }

    @Test(arguments: [
        ("{\"date\":\"nix\"}", "bad-date"), ("{}", "bad-date"), ("{\"date\":5}", "bad-date"), ("{oops\n", "not-json"),
        ("[{\"date\":\"2020-06-10\"}]", "no-picture"), ("[7]", "not-an-object"),
    ])
    func aBadRecordBearsItsError(_ input: String, _ code: String) throws {
        let output = try fetch([], input)
        #expect(output.status == (code == "no-picture" ? 69 : 65), "\(output)")
        #expect(try output.record.string("error.code") == code, "\(output)")
    }

    @Test func aSecondRunAsksForNothing() throws {
        let lines = "2024-02-01\n2024-02-02\n2024-01\n"
        let records = "{\"date\":\"2024-02-01\"}\n{\"date\":\"2024-02-02\"}\n"
        _ = try fetch([], lines)
        try server.reset()
        try fetch([], lines).expect(69)
        let output = try fetch([], records).expect(0)
        #expect(try output.records.allSatisfy { $0.string("apod.source") == "cache" })
        #expect(try server.requests().total == 0)
    }

    @Test func unwantedMediaAreLeftOut() throws {
        let days = ["2024-03-04", "2024-03-05", "2024-03-12"]
        for input in [days.joined(separator: "\n"), days.map { "{\"date\":\"\($0)\"}" }.joined(separator: "\n")] {
            let output = try fetch(["--media", "video", "--print", "date"], input).expect(0)
            #expect(output.lines == ["2024-03-05", "2024-03-12"])
            #expect(output.errorLines == ["apod-fetch: 1 of 3 days has no video and was left out"])
        }
    }
}
