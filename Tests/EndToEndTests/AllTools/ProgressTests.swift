import Libc
import Records
import TestSupport
import Testing

/// Progress on a terminal and in logs.
@Suite(.serialized)
struct ProgressTests {
    private static let clear = "\r\u{1B}[K"
    private let server: StallingServer
    private let home: ToolHome

    init() throws {
        server = try StallingServer()
        home = try ToolHome(environment: server.environment.merging(["TERM": "xterm"]) { $1 })
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func signalClearsTheProgressBar(_ signal: Int32) throws {
        let tool = try home.start("img-cache", ["put", server.url("m31.png")], stdin: .empty, stderr: .terminal)
        #expect(tool.waitForErrors("m31.png  50 %  ["))
        tool.kill(signal)
        let output = tool.wait(deadline: .seconds(20))
        #expect(output.signal == signal && output.stderr.hasSuffix(Self.clear), "\(output)")
        // The cursor is never hidden.
        #expect(!output.stderr.contains("\u{1B}[?25"), "\(output)")
        #expect(output.stderr.contains("\u{1B}[32m"), "\(output)")
    }

    @Test func logLinesAppearAboveTheProgressBar() throws {
        let tool = try home.start(
            "img-cache", ["put", "--jobs", "2"], environment: ["NO_COLOR": "1"], stdout: .terminal, stderr: .terminal)
        tool.write("{\"url\":\"\(server.url())\"}\n")
        #expect(tool.waitForErrors("a.png  50 %  ["))
        // This record fails immediately, so its message is printed while the other download's bar is shown.
        tool.write("{\"url\":\"http://10.0.0.1/b.png\"}\n")
        #expect(tool.waitForErrors("1 done, 1 failed"))
        tool.kill(SIGINT)
        let output = tool.wait(deadline: .seconds(20))
        let lines = output.stderr.split(separator: "\r\n")
        #expect(lines.count == 2, "\(output)")
        let begins = Self.clear + "img-cache: refusing to fetch http://10.0.0.1/b.png"
        #expect(lines.first?.contains(begins) == true, "\(output)")
        #expect(lines.first?.hasSuffix("--allow-private to allow it") == true, "\(output)")
        #expect(!output.stderr.contains("\u{1B}[32m") && output.stderr.hasSuffix(Self.clear), "\(output)")
    }

    @Test func plainProgressIsLoggedAsJSON() throws {
        let tool = try home.start(
            "img-cache", ["put", server.url(), "APOD_TOOLS_PROGRESS=plain", "APOD_TOOLS_LOG_FORMAT=json"], stdin: .empty
        )
        let line = try #require(tool.readErrorLine())
        #expect(line.contains("\"level\":\"progress\",\"message\":\"a.png, 50 %, "), "\(line)")
        tool.kill(SIGTERM)
        #expect(tool.wait().signal == SIGTERM)
    }

    @Test func progressBarEndsAt100Percent() throws {
        let home = try Sample.home(["TERM": "xterm", "NO_COLOR": "1"])
        let url = try Sample.url("a-bar-that-ends-and-has-a-rather-long-name.jpg", faults: ["slow-80"])
        let output = try home.run("img-cache", ["put", url], stderr: .terminal).expect(0)
        let bars = output.stderr.split(separator: Self.clear).filter { $0.contains("[") }
        #expect(bars.count > 3 && bars.allSatisfy { $0.hasPrefix("a-bar-that") }, "\(output)")
        #expect(bars.last?.contains("  100 %  [=") == true, "\(output)")
        #expect(output.stderr.hasSuffix(Self.clear), "\(output)")
    }

    @Test func progressShowsTheWaitForARateLimit() throws {
        let home = try Sample.home(["TERM": "xterm"])
        let url = try Sample.url("limited.jpg", faults: ["times-1", "retry-after-30"])
        let tool = try home.start("img-cache", ["put", url], stdin: .empty, stderr: .terminal)
        #expect(tool.waitForErrors("limited.jpg  rate limit: next request in 30 s"))
        tool.kill(SIGINT)
        let output = tool.wait(deadline: .seconds(20))
        #expect(output.signal == SIGINT && output.stderr.hasSuffix(Self.clear), "\(output)")
    }

    @Test func jsonLogReportsProgressAsNumbers() throws {
        let home = try Sample.home()
        let url = try Sample.url("numbers.jpg", faults: ["slow-80"])
        let output = try home.run("img-cache", ["put", url, "APOD_TOOLS_LOG_FORMAT=json"]).expect(0)
        let events = try output.errorLines.map { try Record(parsing: Array($0.utf8)) }
        let first = try #require(events.first)
        #expect(events.allSatisfy { $0.string("level") == "progress" }, "\(output)")
        #expect(first.integer("records_done") == 0 && first.integer("records_total") == 1, "\(output)")
        let (done, total) = try (#require(first.integer("bytes_done")), #require(first.integer("bytes_total")))
        #expect(done > 0 && done < total && first.has("rate"), "\(output)")
        #expect(events.last?.integer("records_done") == 1, "\(output)")
        #expect(events.last?.integer("bytes_done") == total, "\(output)")
    }

    // MARK: Days

    /// A service that takes 800 ms for each page.
    private func slowNASA() throws -> (server: SampleServer, home: ToolHome) {
        let server = try SampleServer()
        let slow = server.url("/wp-json/wp/v2/apod-basic", faults: ["wait-800"])
        let home = try ToolHome(
            environment: server.environment.merging(["TERM": "xterm", "APOD_SCIENCE_URL": slow]) { $1 })
        return (server, home)
    }

    @Test func progressOfARangeCountsItsDays() throws {
        let (server, home) = try slowNASA()
        defer { server.stop() }
        let tool = try home.start(
            "apod-fetch",
            ["--date", "2024-01-01..2024-04-09", "--jobs", "1", "APOD_TOOLS_SERVICE=science"],
            stdin: .empty, stderr: .terminal)
        #expect(tool.waitForErrors("0 of 100 days"))
        #expect(tool.waitForErrors("25 of 100 days"))
        #expect(tool.waitForErrors(" days/s"))
        #expect(tool.waitForErrors(" left"))
        tool.kill(SIGINT)
        let output = tool.wait(deadline: .seconds(20))
        #expect(output.signal == SIGINT && output.stderr.hasSuffix(Self.clear), "\(output)")
        #expect(!output.stderr.contains("B/s") && !output.stderr.contains("apod-basic"), "\(output)")
    }

    @Test func progressOfASingleDayShowsTheElapsedTime() throws {
        let (server, home) = try slowNASA()
        defer { server.stop() }
        let tool = try home.start("apod-fetch", ["--date", "2024-02-01"], stdin: .empty, stderr: .terminal)
        #expect(tool.waitForErrors("working for 0:0"))
        try tool.wait(deadline: .seconds(20)).expect(0)
    }

    @Test func plainProgressCountsDays() throws {
        let (server, home) = try slowNASA()
        defer { server.stop() }
        let days = [
            "--date", "2024-02-28..2024-03-26", "APOD_TOOLS_PROGRESS=plain", "--jobs", "1",
        ]
        let output = try home.run("apod-fetch", days).expect(0)
        #expect(output.errorLines.first == "apod-fetch: 0 of 28 days", "\(output)")
        #expect(output.errorLines.last?.hasPrefix("apod-fetch: 28 of 28 days, ") == true, "\(output)")
        let stream = try home.run("apod-fetch", ["-", "APOD_TOOLS_PROGRESS=plain"], stdin: .lines(["2023-02-03"]))
            .expect(0)
        #expect(stream.errorLines.last?.hasPrefix("apod-fetch: 1 day") == true, "\(stream)")
    }

    @Test func closedOutputClearsTheProgressLine() throws {
        // The reader waits for a line from this test, and then exits.
        let script = "exec 3<&0; img-cache put \(server.url()) </dev/null | read go <&3"
        let tool = try home.start("/bin/sh", ["-c", script], stderr: .terminal)
        #expect(tool.waitForErrors("a.png  50 %"))
        tool.write("go\n")
        let output = tool.wait(deadline: .seconds(20))
        #expect(output.status == 0 && output.stderr.hasSuffix(Self.clear), "\(output)")
    }

    @Test func shortOrQuietRunsLeaveNoProgressBar() throws {
        let good = try Sample.url("silent-progress.jpg")
        let home = try Sample.home(["TERM": "xterm"])
        let runs = [[], ["APOD_TOOLS_PROGRESS=none"], ["-q"], ["APOD_TOOLS_PROGRESS=plain"]]
        for options in runs {
            let output = try home.run("img-cache", ["put", good] + options, stderr: .terminal).expect(0)
            // Progress is first drawn after half a second. Either the run ended before that, or it cleared the bar.
            #expect(output.stderr == "" || options == [] && output.stderr.hasSuffix(Self.clear), "\(output)")
        }
        try home.run("img-cache", ["put", good, "APOD_TOOLS_PROGRESS=bar"])
            .expectRefusal(78, "img-cache", "APOD_TOOLS_PROGRESS", "bar")
    }
}
