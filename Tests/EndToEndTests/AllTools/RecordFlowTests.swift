import Records
import Support
import TestSupport
import Testing

/// Order, failures and memory use of a stream of records.
struct RecordFlowTests {
    private func put(_ home: ToolHome, _ options: [String], _ lines: [String]) throws -> ToolOutput {
        try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0"] + options, stdin: .lines(lines))
    }

    private func line(_ number: Int, _ url: String) -> String { "{\"n\":\(number),\"url\":\"\(url)\"}" }

    @Test(arguments: [1, 2, 5, 16])
    func recordsKeepTheirOrderWithAnyNumberOfJobs(_ jobs: Int) throws {
        let home = try Sample.home()
        // Every fourth record is delayed, earlier records longer than later records.
        let lines = try (0..<24).map { number in
            let faults = number % 4 == 0 ? ["wait-\(40 - number)"] : number % 7 == 3 ? ["status-404"] : []
            return line(number, try Sample.url("order-\(number).jpg?w=8&h=8", faults: faults))
        }
        let output = try put(home, ["--jobs", "\(jobs)"], lines)
        #expect(output.status == 69)
        #expect(try output.records.map { $0.integer("n") } == Array(0..<24))
    }

    @Test func recordsFromATerminalAreRefused() throws {
        for (tool, arguments, items) in [
            ("img-cache", ["put"], "addresses, files or keys"), ("img-cache", ["pin"], "addresses, files or keys"),
            ("img-downsample", ["--variant", "pager"], "pictures"),
            ("gif-cache", ["put", "--offline"], "ids of exercises"), ("gif-cache", ["info"], "exercise ids or files"),
        ] {
            let output = try run(tool, arguments, stdin: .terminal, deadline: .seconds(20))
            let command = tool == "img-downsample" ? tool : "\(tool) \(arguments[0])"
            let words =
                "no input; give \(items) as arguments, or as lines or records on standard input; see "
                + "\(command) --help"
            #expect(output.status == 64 && output.errorLines == ["\(tool): \(words)"])
        }
    }

    @Test func unorderedWritesFasterRecordsFirst() throws {
        let server = try StallingServer(stalls: 1)
        let home = try Sample.home()
        let running = try home.start("img-cache", ["put", "--unordered", "--jobs", "2", "--timeout", "30s"])
        running.write(line(1, server.url()) + "\n")
        #expect(server.waitUntilStalled())
        running.write(line(2, try Sample.url("quick.jpg")) + "\n")
        #expect(running.readLine()?.hasPrefix("{\"n\":2,") == true)
        running.kill()
    }

    @Test func recordIsWrittenBeforeTheNextArrives() throws {
        let home = try Sample.home()
        let tools = [
            ("img-cache", ["put"]), ("img-cache", ["put", "--jobs", "1"]), ("img-cache", ["put", "--unordered"]),
        ]
        for (tool, arguments) in tools {
            let running = try home.start(tool, arguments)
            for number in 0..<3 {
                running.write(line(number, try Sample.url("live-\(number).jpg")) + "\n")
                let answer = running.readLine()
                #expect(answer?.hasPrefix("{\"n\":\(number),") == true && answer?.contains("\"path\":") == true)
            }
            _ = try running.wait().expect(0)
        }
    }

    @Test func pipelineWritesARecordBeforeTheNextArrives() throws {
        let home = try Sample.home()
        let running = try home.start("/bin/sh", ["-c", "img-cache put | img-downsample --variant pager"])
        for number in 0..<2 {
            running.write(line(number, try Sample.url("live-pipe-\(number).jpg")) + "\n")
            #expect(running.readLine()?.contains("\"pager\":") == true)
        }
        _ = try running.wait().expect(0)
    }

    @Test func failedRecordsCanBeRetried() throws {
        let home = try Sample.home()
        let once = try Sample.url("retried.jpg", faults: ["once-503"])
        let gone = try Sample.url("retried.jpg", faults: ["status-404"])
        let first = try put(home, [], [line(1, once), line(2, gone)]).expect(69)
        #expect(try first.records.map { $0.bool("error.transient") } == [true, false])
        // By default failed records pass through; `--retry-errors` retries only transient failures.
        #expect(try put(home, [], first.lines).expect(0).lines == first.lines)
        let second = try put(home, ["--retry-errors"], first.lines).expect(0)
        #expect(try second.records.map { $0.has("error") } == [false, true])
        #expect(try second.records[0].names == ["n", "url", "path", "cache"])
        #expect(second.lines[1] == first.lines[1])
        #expect(try Sample.requests(gone) == 1)
        // A tool does not retry failures of other tools.
        let foreign = #"{"url":"\#(once)","error":{"tool":"x","transient":true}}"#
        #expect(try put(home, ["--retry-errors"], [foreign]).expect(0).lines == [foreign])
    }

    @Test(.enabled(if: !Sanitizer.isActive)) func memoryDoesNotGrowWithTheNumberOfRecords() throws {
        let home = try ToolHome()
        let block = Array(
            String(repeating: "{\"title\":\"some words that make up a record\",\"n\":123456}\n", count: 2000).utf8)
        var peaks: [Int] = []
        let running = try home.start("img-downsample", ["--variant", "pager"], stdout: .file("/dev/null"))
        for round in 1...100 {
            #expect(running.write(block))
            if round == 10 || round == 100, let peak = running.peakMemory { peaks.append(peak) }
        }
        _ = try running.wait().expect(0)
        // The 200,000 records have 12 MB in total. The limit detects a leak of their contents, but not of one byte per
        // record.
        if peaks.count == 2 { #expect(peaks[1] - peaks[0] < 2 << 20, "\(peaks)") }
    }
}
