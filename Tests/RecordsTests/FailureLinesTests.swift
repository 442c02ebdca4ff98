import Support
import Testing

@testable import Records

private struct Broken: Failure {
    var code = "broken"
    var message = "it is broken"
    var exitCode: ExitCode { .data }
}

@Suite struct FailureLinesTests {
    private let notJSON = Broken(code: "not-json", message: "invalid JSON")

    private func lines(
        _ failures: [(any Failure, String)], threshold: Log.Level = .error, format: Log.Format = .plain
    ) throws -> [String] {
        let written = Monitor<[String]>([])
        let log = Log(tool: "t", threshold: threshold, format: format) { line in written.update { $0.append(line) } }
        let lines = FailureLines(log: log)
        for (failure, record) in failures { lines.report(failure, about: RecordJob(try Record(parsing: record.utf8))) }
        lines.end()
        lines.end()
        return written.withLock { $0 }
    }

    private func days(_ days: ClosedRange<Int>) -> [(any Failure, String)] {
        days.map { (Broken(), #"{"date":"2024-01-\#($0 < 10 ? "0" : "")\#($0)","url":"https://e.org/\#($0)"}"#) }
    }

    @Test func differentFailuresAreReportedSeparately() throws {
        #expect(try lines([]) == [])
        let (a, b) = (Broken(code: "a", message: "a fault"), Broken(code: "b", message: "b fault"))
        #expect(try lines([(a, "{}"), (b, "{}"), (a, "{}")]) == ["t: a fault\n", "t: b fault\n", "t: a fault\n"])
    }

    @Test func lineNamesTheRecordUnlessTheMessageDoes() throws {
        func line(_ message: String, _ record: String) throws -> String {
            try lines([(Broken(message: message), record)]).joined()
        }
        #expect(try line("it is broken", #"{"id":"0001","path":"/x.gif"}"#) == "t: 0001: it is broken\n")
        #expect(try line("it is broken", #"{"date":"2024-02-03","id":7}"#) == "t: 2024-02-03: it is broken\n")
        #expect(try line("no day 2024-02-03 here", #"{"date":"2024-02-03"}"#) == "t: no day 2024-02-03 here\n")
        #expect(
            try line("cannot open /x.gif: gone", #"{"id":"0001","path":"/x.gif"}"#) == "t: cannot open /x.gif: gone\n")
        #expect(try line("exit 10", #"{"id":1}"#) == "t: 1: exit 10\n")
    }

    @Test func recordIsNamedByItsArgumentOrItsInputLine() throws {
        let written = Monitor<[String]>([])
        let lines = FailureLines(log: Log(tool: "t") { line in written.update { $0.append(line) } })
        lines.report(Broken(code: "a"), about: RecordJob(Record(), argument: "moon.png"))
        lines.report(Broken(code: "b"), about: RecordJob(Record(), line: 7))
        lines.report(
            Broken(code: "c", message: "cannot open /tmp/moon.png"), about: RecordJob(Record(), argument: "moon.png"))
        #expect(
            written.withLock { $0 } == [
                "t: moon.png: it is broken\n", "t: line 7: it is broken\n", "t: cannot open /tmp/moon.png\n",
            ])
    }

    @Test func secretsInAnAddressAreNotPrinted() throws {
        let record = #"{"url":"https://user:word@e.org:8/a/b.jpg?key=secret#x"}"#
        #expect(try lines([(Broken(), record)]) == ["t: https://e.org:8/a/b.jpg?key=***: it is broken\n"])
        #expect(
            try lines([(Broken(), #"{"url":"https://e.org?key=secret@x"}"#)])
                == ["t: https://e.org?key=***: it is broken\n"])
    }

    @Test(arguments: [
        ("https://e.org/a?width=800", "https://e.org/a?width=800"),
        ("https://e.org/a?id=7&token=abc&page=2", "https://e.org/a?id=7&token=***&page=2"),
        ("https://me:word@e.org/a?id=7#token=abc", "https://e.org/a?id=7"),
        ("https://e.org/a?id=1 2&token=abc", "https://e.org/a?id=1 2&token=***"),
    ]) func secretsInAQueryAreMasked(address: String, shown: String) throws {
        for message in ["it is broken", "\(shown) answered 404"] {
            let line = try lines([(Broken(message: message), "{\"url\":\"\(address)\"}")], format: .json)
            #expect(try Record(parsing: line[0].utf8).string("url") == shown)
            #expect(try Record(parsing: line[0].utf8).string("message")?.ranges(of: shown).count == 1)
        }
    }

    @Test func consecutiveFailuresWithTheSameCodeAreFolded() throws {
        let first = "t: 2024-01-01: it is broken\n"
        #expect(try lines(days(1...2)) == [first, "t: (and 1 more day, 2024-01-02: broken)\n"])
        #expect(try lines(days(1...3)) == [first, "t: (and 2 more days, 2024-01-02, 2024-01-03: broken)\n"])
        #expect(try lines(days(1...31)) == [first, "t: (and 30 more days, 2024-01-02 to 2024-01-31: broken)\n"])
        let ids = (1...6).map { (Broken(message: "fault \($0)") as any Failure, "{\"id\":\"000\($0)\"}") }
        #expect(
            try lines(ids) == [
                "t: 0001: fault 1\n", "t: (and 5 more like this, 0002, 0003, 0004, …: broken)\n",
            ])
        #expect(
            try lines([(Broken(), "{}"), (Broken(), "{}")]) == [
                "t: it is broken\n", "t: (and 1 more like this: broken)\n",
            ])
    }

    @Test func failureWithASuggestionIsNotFolded() throws {
        let meant = SuggestingFailure(Broken(), meant: "that")
        let folded: [any Failure] = [Broken(), Broken(), meant, LineFailure(meant, line: 7), Broken()]
        #expect(
            try lines(folded.map { ($0, "{}") }) == [
                "t: it is broken\n", "t: (and 1 more like this: broken)\n", "t: it is broken; did you mean that?\n",
                "t: (and 1 more line, 7: broken)\n", "t: it is broken\n",
            ])
    }

    @Test func foldedLineFailuresAreListedByLineNumber() throws {
        let bad = [3, 5, 9].map { (LineFailure(notJSON, line: $0) as any Failure, "{}") }
        #expect(try lines(bad) == ["t: line 3: invalid JSON\n", "t: (and 2 more lines, 5, 9: not-json)\n"])
    }

    @Test func detailedLogReportsEachFailureInFull() throws {
        #expect(
            try lines(days(1...2), threshold: .detail) == [
                "t: 2024-01-01: it is broken\n", "t: 2024-01-02: it is broken\n",
                "t: (and 1 more day, 2024-01-02: broken)\n",
            ])
    }

    @Test func jsonLogNamesTheOutput() throws {
        let written = Monitor<[String]>([])
        let log = Log(tool: "t", format: .json) { line in written.update { $0.append(line) } }
        FailureLines(log: log).report(Broken(), about: RecordJob(Record(), argument: "moon.png"), output: "small.jpg")
        let line = try Record(parsing: try #require(written.withLock { $0.first }).utf8)
        #expect(line.string("name") == "moon.png" && line.string("output") == "small.jpg")
        #expect(line.string("code") == "broken" && line.string("message") == "moon.png: it is broken")
    }

    @Test func jsonLogHasFieldsForCodeSubjectAndCount() throws {
        let lines = try lines(days(1...9), format: .json).map { try Record(parsing: $0.utf8) }
        #expect(lines.map { $0.string("code") } == ["broken", "broken"])
        #expect(lines[0].string("date") == "2024-01-01")
        #expect(lines[1].integer("count") == 8)
        #expect(lines[1].string("first_date") == "2024-01-02" && lines[1].string("last_date") == "2024-01-09")
        let bad = try Record(parsing: try self.lines([(LineFailure(notJSON, line: 3), "{}")], format: .json)[0].utf8)
        #expect(bad.integer("line") == 3 && bad.string("level") == "error")
    }
}
