import Support
import Testing

@Suite struct ParsingTests {
    @Test(arguments: [
        ("0", 0), ("4096", 4096), ("1b", 1), ("200MB", 200_000_000), ("64MiB", 67_108_864), ("64M", 67_108_864),
        ("1.5GB", 1_500_000_000), ("1k", 1024), ("2 kB", 2000), ("1TiB", 1_099_511_627_776),
    ]) func sizesAreParsed(text: String, bytes: Int) { #expect(ByteCount.parse(text) == bytes) }

    @Test(arguments: ["", "MB", "-1", "1.", ".5", "1.2.3", "1XB", "1e3", "9999999999GB", "99999999999999999999", "١"])
    func invalidSizesAreRefused(text: String) { #expect(ByteCount.parse(text) == nil) }

    @Test func sizesAreFormatted() {
        #expect(ByteCount.description(999) == "999 B")
        #expect(ByteCount.description(1000) == "1.0 kB")
        #expect(ByteCount.description(1_249_999) == "1.2 MB")
        #expect(ByteCount.description(999_960) == "1.0 MB")
        #expect(ByteCount.description(200_000_000) == "200.0 MB")
    }

    @Test(
        arguments: [
            ("90s", .seconds(90)), ("14d", .seconds(14 * 86_400)), ("1.5h", .seconds(5400)),
            ("250ms", .milliseconds(250)),
            ("1h30m", .seconds(5400)), ("5", .seconds(5)), ("0", .zero), ("2w", .seconds(14 * 86_400)),
            ("0.5", .milliseconds(500)),
        ] as [(String, Duration)]) func durationsAreParsed(text: String, span: Duration)
    { #expect(TimeSpan.parse(text) == span) }

    @Test(arguments: ["", "d", "-1s", "1y", "1h30", "1.s", "1 h", "99999999999999w", "ten"])
    func invalidDurationsAreRefused(text: String) { #expect(TimeSpan.parse(text) == nil) }

    @Test func nearMatchesAreFound() {
        #expect(NearMatch.suggestion(for: "pagr", among: ["pager", "overlay"]) == "pager")
        #expect(NearMatch.suggestion(for: "OVERLAY", among: ["pager", "overlay"]) == "overlay")
        #expect(NearMatch.suggestion(for: "xyz", among: ["pager", "overlay"]) == nil)
    }

    @Test(arguments: [
        ("bne", "ben", true), ("be", "ben", true), ("benn", "ben", true), ("bon", "ben", true), ("Ben", "ben", true),
        ("e\u{301}", "\u{e9}", true), ("a", "b", true), ("u1o01", "u1001", true),
        ("u1001", "u1002", true), ("bob", "ben", false), ("nbe", "ben", false), ("benny", "ben", false),
        ("", "ben", false),
    ])
    func singleEditIsATypo(_ name: String, _ other: String, _ isTypo: Bool) {
        #expect(NearMatch.isTypo(name, of: other) == isTypo)
        #expect(NearMatch.isTypo(other, of: name) == isTypo)
    }

    @Test(arguments: [
        ("u1001", "u1002", true), ("u1001", "u101", true), ("alice2", "alice", true), ("u1001", "u1001", false),
        ("e\u{301}1", "\u{e9}2", false), ("u1o01", "u1001", false),
    ])
    func numberedNamesDifferOnlyInDigits(_ a: String, _ b: String, _ differOnlyInDigits: Bool) {
        #expect(NearMatch.differOnlyInDigits(a, b) == differOnlyInDigits)
    }
}

@Suite struct CalendarTests {
    @Test(arguments: ["1995-06-16", "2000-02-29", "2024-02-29", "1970-01-01", "1999-12-31", "9999-12-31", "0001-01-01"])
    func daysAreParsedAndFormatted(text: String) throws {
        let day = try #require(CalendarDay(text))
        #expect(day.description == text)
        #expect(CalendarDay(daysSince1970: day.daysSince1970) == day)
    }

    @Test(arguments: [
        "2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "24-01-01", "2024/01/01", "",
        "2024-01-0x",
    ])
    func invalidDaysAreRefused(text: String) { #expect(CalendarDay(text) == nil) }

    @Test func dayNumbersAreConsecutive() throws {
        var day = try #require(CalendarDay("1995-06-16"))
        let first = day.daysSince1970
        for offset in 0..<12_000 {
            #expect(day.daysSince1970 == first + offset)
            let next = day.advanced(by: 1)
            guard next > day else { break }
            day = next
        }
        #expect(day.description == "2028-04-23")
    }

    @Test func timestampsAreFormattedInUTC() {
        #expect(Timestamp(milliseconds: 0).iso8601 == "1970-01-01T00:00:00Z")
        #expect(Timestamp(milliseconds: 951_782_399_999).iso8601 == "2000-02-28T23:59:59Z")
        #expect(Timestamp(milliseconds: -1).iso8601 == "1969-12-31T23:59:59Z")
    }

    @Test func dayDependsOnTheTimeZone() {
        let noon = Timestamp(milliseconds: 1_700_000_000_000)
        #expect(CalendarDay(at: noon).description == "2023-11-14")
        #expect(CalendarDay(at: noon, offset: .seconds(14 * 3600)).description == "2023-11-15")
    }

    @Test func timeSaturatesInsteadOfOverflowing() {
        #expect(Timestamp(milliseconds: .max) + .seconds(1) == Timestamp(milliseconds: .max))
        #expect(Timestamp(milliseconds: .min) - .seconds(1) == Timestamp(milliseconds: .min))
    }
}

@Suite struct ExitTests {
    private struct Fault: Failure {
        let exitCode: ExitCode
        var code: String { "fault" }
        var message: String { "fault" }
    }

    @Test func firstPermanentFailureDeterminesTheStatus() {
        var tally = ExitTally()
        #expect(tally.status == 0)
        tally.add(Fault(exitCode: .temporary))
        #expect(tally.status == 75)
        tally.add(Fault(exitCode: .notAllowed))
        tally.add(Fault(exitCode: .data))
        #expect(tally.status == 77)
    }

    @Test func untrustedTextCannotMoveTheCursor() {
        #expect(TerminalText.escaped("a\u{1B}[2Jb\nc\u{202E}d\u{200B}é") == "a\\u{1b}[2Jb c\\u{202e}d\\u{200b}é")
        #expect(
            TerminalText.jsonString("\u{9B}2Jé\u{202E}\u{E0041}")
                == "\"\\u009b2Jé\\u202e\\udb40\\udc41\"")
        #expect(TerminalText.jsonString("a\"\\\n\u{1}é") == "\"a\\\"\\\\\\n\\u0001é\"")
    }

    @Test func logWritesLevelsUpToItsThreshold() {
        let lines = Monitor([String]())
        let log = Log(tool: "t", threshold: .warning) { line in lines.update { $0.append(line) } }
        log.error("one")
        log.warning("two")
        log.detail("three")
        #expect(lines.withLock { $0 } == ["t: one\n", "t: warning: two\n"])
    }
}
