import Records
import Support
import TestSupport
import Testing

@testable import APOD

@Suite struct DayInputTests {
    private let nasa = FakeNASA.complete(through: "2026-11-20")

    /// Reads lines of days. Returns the date of each picture, and `date code` or `line N: code` for each failure.
    private func read(_ text: String, log: Log = .silent) throws -> [String] {
        let input = DayInput(LineReader(bytes: Array(text.utf8)), client: try nasa.client(log: log))
        var result: [String] = []
        while let item = try input.next() {
            switch item {
            case .job(let job): result.append(job.record.string("date") ?? "?")
            case .bad(let failure as LineFailure, _): result.append("line \(failure.line): \(failure.code)")
            case .bad(let failure, let record): result.append("\(record.string("date") ?? "?") \(failure.code)")
            }
        }
        return result
    }

    @Test func eachLineIsADay() throws {
        #expect(try read("2024-02-03\n1996-01-01\n") == ["2024-02-03", "1996-01-01"])
        #expect(try read("today\nyesterday") == ["2026-11-20", "2026-11-19"])
        #expect(try read("") == [] && read("\n \n") == [] && nasa.asked.count == 4)
    }

    @Test func linesMayNameMonthsAndYears() throws {
        #expect(try read("2024-02\n2024-02-03").count == 30)
        let years = try read("1995\n2026\n")
        #expect(years.first == "1995-06-16" && years.last == "2026-11-20" && years.count == 196 + 324)
    }

    @Test func blanksCommentsAndCarriageReturnsAreIgnored() throws {
        let text = "\u{FEFF}# days\r\n\r\n  2024-02-03 \r\n\t2024-02-04\t# a comet\r\n#2024-02-05\r\n"
        #expect(try read(text) == ["2024-02-03", "2024-02-04"])
    }

    @Test func invalidLineFailsAtItsPosition() throws {
        let text = "2024-02-03\nbanana\n\n2024-02-30\n2999-01-01\n1995-06-15\n2024-02-04\ntoday today\n"
        #expect(
            try read(text) == [
                "2024-02-03", "line 2: bad-date", "line 4: bad-date", "line 5: bad-date", "line 6: bad-date",
                "2024-02-04",
                "line 8: bad-date",
            ])
        let input = DayInput(LineReader(bytes: Array("banana".utf8)), client: try nasa.client())
        guard case .bad(let failure, let record) = try input.next() else {
            Issue.record("\"banana\" was accepted as a day")
            return
        }
        #expect(record.isEmpty && failure.exitCode == .data && !failure.isTransient)
        #expect(failure.message.hasPrefix("line 1: \"banana\" is not a day"))
        #expect(failure.message.hasSuffix("1995-06-16 to 2026-11-21"))
    }

    @Test func messageDoesNotQuoteALineOfMegabytes() throws {
        let line = String(repeating: "x", count: 1 << 20)
        let input = DayInput(LineReader(bytes: Array(line.utf8)), client: try nasa.client())
        guard case .bad(let failure, _) = try input.next() else { return }
        #expect(failure.message.utf8.count < 200)
        #expect(
            try read(String(repeating: "x", count: 17 << 20) + "\n2024-02-03") == [
                "line 1: record-too-long", "2024-02-03",
            ])
    }

    @Test func dayWithoutAPictureFailsIfNamedButIsSkippedInAMonth() throws {
        #expect(try read("2020-06-10") == ["2020-06-10 no-picture"])
        let lines = Lines()
        #expect(try read("2020-06\n1995-06\n2020-06\n", log: lines.log).count == 29 + 12 + 29)
        let notes = lines.all.filter { $0.contains("skipped") }
        #expect(notes.count == 1)
        #expect(
            notes.first?.contains("on 1995-06-17, 1995-06-18, 1995-06-19 and 2020-06-10; skipped") == true, "\(notes)")
    }

    @Test func adjacentDaysShareARequest() throws {
        let days = PublishedDays.days(from: day("2021-01-01"), through: day("2021-02-19")).map(\.description)
        #expect(try read(days.joined(separator: "\n") + "\n") == days)
        #expect(nasa.asked.count == 2)
    }

    @Test func inputRecordsPassUnchanged() throws {
        let input = DayInput(
            LineReader(bytes: Array("\n[{\"date\":\"2024-02-03\"},{\"n\":1.10}]".utf8)), client: try nasa.client())
        var lines: [String] = []
        while case .job(let job) = try input.next() {
            #expect(job.argument == nil)
            lines.append(String(decoding: job.record.line, as: UTF8.self))
        }
        #expect(lines == ["{\"date\":\"2024-02-03\"}", "{\"n\":1.10}"])
        #expect(nasa.asked.isEmpty)
    }

    @Test func longInputIsRequestedInParts() throws {
        let lines = String(repeating: "2024-02-03\n", count: 5000)
        let input = DayInput(LineReader(bytes: Array(lines.utf8)), client: try nasa.client())
        #expect(try input.next() != nil)
        #expect(nasa.asked.count <= 40)
    }
}

@Suite struct PictureToolTests {
    private let nasa = FakeNASA.complete(through: "2026-11-20")

    private func process(_ text: String) throws -> Record {
        var record = try Record(parsing: Array(text.utf8))
        try PictureTool(client: try nasa.client()).perform(on: &record)
        return record
    }

    @Test func otherFieldsKeepTheirPositionsAndBytes() throws {
        let record = try process(#"{"n": 1.10, "date":"2024-02-03","big":12345678901234567890,"u":"\u00e9"}"#)
        let line = String(decoding: record.line, as: UTF8.self)
        #expect(
            line.hasPrefix(#"{"n": 1.10, "date":"2024-02-03","big":12345678901234567890,"u":"\u00e9","title":"#),
            "\(line)")
        let made = try #require(try nasa.client().results(.day(day("2024-02-03"))).first).record(tool: "apod-fetch")
        #expect(record.names == ["n", "date", "big", "u"] + made.names.filter { $0 != "date" })
        for name in made.names { #expect(record.raw(FieldPath(name) ?? "date") == made.raw(FieldPath(name) ?? "date")) }
    }

    @Test func olderTitleIsReplacedInPlace() throws {
        let record = try process(#"{"title":"old","mine":true,"date":"2024-02-03"}"#)
        #expect(record.names.prefix(3) == ["title", "mine", "date"])
        #expect(record.string("title") != "old" && record.bool("mine") == true)
    }

    @Test(arguments: [
        ("2024-02-03", "2024-02-03"), ("2024-02-03T10:00:00Z", "2024-02-03"), ("2024-02-03 23:59", "2024-02-03"),
        ("2024-02-03T", "2024-02-03"),
    ])
    func aDateMayHaveATime(_ text: String, _ date: String) throws {
        #expect(try process("{\"date\":\"\(text)\"}").string("date") == date)
    }

    @Test(arguments: [
        ("{}", "the record has no date; "), (#"{"date":null}"#, "the record's date is not a string; "),
        (#"{"date":20240203}"#, "not a string"),
        (#"{"date":"banana"}"#, "not a day"), (#"{"date":"2024-02-30"}"#, "no day 2024-02-30"),
        (#"{"date":"2024-02-03Z"}"#, "not a day"),
        (#"{"date":"2024-02"}"#, "the record's date is \"2024-02\", which is not a day; "),
        (#"{"date":"today"}"#, "which is not a day"), (#"{"date":"2999-01-01"}"#, "in the future"),
        (#"{"date":"1995-06-15T00:00"}"#, "before the first"), (#"{"date":""}"#, "not a day"),
        (#"{"date":["2024-02-03"]}"#, "not a string"), (#"{"date":" 2024-02-03"}"#, "not a day"),
    ])
    func aRecordWithoutADayIsRefused(_ text: String, _ words: String) throws {
        let failure = #expect(throws: APODFailure.self) { try process(text) }
        #expect(failure?.code == "bad-date" && failure?.exitCode == .data)
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("1995-06-16 to 2026-11-21") == true)
        #expect(nasa.asked.isEmpty)
    }

    @Test func recordIsUnchangedIfTheDayHasNoPicture() throws {
        var record = try Record(parsing: Array(#"{"date":"2020-06-10","mine":1}"#.utf8))
        let before = record
        let tool = PictureTool(client: try nasa.client())
        #expect(throws: APODFailure.noPicture(day("2020-06-10"))) { try tool.perform(on: &record) }
        #expect(record == before)
    }

    @Test func recordsMadeFromArgumentsAreNotProcessed() throws {
        let tool = PictureTool(client: try nasa.client())
        #expect(!tool.accepts(RecordJob(Record(), argument: "2024-02-03")))
        #expect(tool.accepts(RecordJob(Record())))
    }
}
