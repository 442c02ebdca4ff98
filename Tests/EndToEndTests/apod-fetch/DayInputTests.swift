import Libc
import Records
import TestSupport
import Testing

/// When and how `apod-fetch` reads standard input.
@Suite struct DayInputTests {
    private let server: SampleServer
    private let home: ToolHome

    init() throws {
        server = try SampleServer()
        home = try ToolHome(environment: server.environment)
    }

    @Test func standardInputIsNotReadWithoutADash() throws {
        let home = try Sample.home()
        let running = try home.start("apod-fetch", ["--date", "2024-02-01"])
        #expect(running.readLine()?.contains("2024-02-01") == true)
        #expect(running.readLine() == nil, "the tool waits for its open input")
        _ = try running.wait().expect(0)
    }

    @Test func linesAreAnsweredAsTheyAreTyped() throws {
        let tool = try home.start("apod-fetch", ["-", "--print", "date"])
        for day in ["2024-02-03", "2024-02-09", "yesterday"] {
            tool.write("\(day)\n")
            #expect(tool.readLine()?.isEmpty == false)
        }
        // The last line needs no newline.
        tool.write("2024-03-01")
        tool.closeInput()
        #expect(tool.readLine() == "2024-03-01")
        try tool.wait().expect(0)
    }

    @Test func closedOutputEndsAnEndlessInput() throws {
        for command in ["yes 2024-02-03", "yes '{\"date\":\"2024-02-03\"}'"] {
            let output = try home.shell("\(command) | { apod-fetch -; echo status $? >&2; } | head -n 2 | wc -l")
            #expect(output.stdout.contains("2") && output.stderr.contains("status 0"), "\(output)")
        }
    }

    @Test func memoryDoesNotGrowWithTheNumberOfLines() throws {
        let comments = String(repeating: "# the day on which nothing happened\n", count: 100_000)
        let failed = String(repeating: "{\"error\":1}\n", count: 50_000)
        let days = String(repeating: "2024-02-03\n", count: 2000)
        for (input, last) in [(comments, "2024-02-09"), (failed, #"{"date":"2024-02-09"}"#), (days, "2024-02-09")] {
            let tool = try home.start("apod-fetch", ["-", "--print", "date"])
            tool.write("\(input)\(last)\n")
            var day = tool.readLine()
            while day == "2024-02-03" { day = tool.readLine() }
            #expect(day == "2024-02-09")
            if !isUnderAddressSanitizer, let peak = tool.peakMemory { #expect(peak < 64 << 20, "\(peak)") }
            tool.closeInput()
            _ = tool.wait()
        }
    }

    @Test func recordIsAnsweredBeforeTheNextArrives() throws {
        let tool = try home.start("apod-fetch", ["-"])
        for day in ["2024-02-03", "2024-02-09"] {
            tool.write("{\"date\":\"\(day)\"}\n")
            #expect(tool.readLine()?.contains("\"source\"") == true)
        }
        tool.closeInput()
        try tool.wait().expect(0)
    }
}
