import Testing

@testable import Support

/// What progress says of a state, and how it is shown.
struct ProgressTests {
    private func second(_ count: Int) -> Duration { .seconds(count) }

    /// A download of which so many bytes came, 1000 each second.
    private func download(
        _ name: String = "m31.jpg", seconds: Int, total: Int?, already: Int = 0
    ) -> (state: ProgressState, now: Duration) {
        var state = ProgressState(began: second(100), expected: 1)
        let number = state.begin(name)
        state.expect(number, bytes: already, total: total)
        for time in 0..<seconds {
            state.receive(number, 1000)
            state.sampleRate(at: second(101 + time))
        }
        return (state, second(100 + seconds))
    }

    private func line(_ made: (state: ProgressState, now: Duration), _ columns: Int = 80) -> String {
        ProgressLine.drawn(made.state, at: made.now, columns: columns, hasColour: false).text
    }

    // MARK: One download

    @Test func aDownloadHasABarWithAllThatIsKnown() {
        let bar = "[" + String(repeating: "=", count: 5) + String(repeating: " ", count: 17) + "]"
        #expect(
            line(download(seconds: 4, total: 16_000))
                == "m31.jpg  25 %  \(bar)  4.0 kB of 16.0 kB  1.0 kB/s  0:12 left")
        #expect(line(download(seconds: 4, total: nil)) == "m31.jpg  4.0 kB  1.0 kB/s")
        #expect(line(download(seconds: 0, total: nil)) == "m31.jpg  waiting")
    }

    @Test func whatAnEarlierRunLeftCountsForTheShareButNotForTheRate() {
        let text = line(download(seconds: 2, total: 16_000, already: 6000))
        #expect(text.contains("50 %") && text.contains("8.0 kB of 16.0 kB") && text.contains("1.0 kB/s"), "\(text)")
        #expect(text.hasSuffix("0:08 left"), "\(text)")
    }

    @Test func anEmptyAndAnImpossibleTotalAreBorne() {
        #expect(line(download(seconds: 0, total: 0)).contains("100 %"))
        // More came than was promised, or there is more than was to come: nothing is known.
        #expect(line(download(seconds: 3, total: 2000)) == "m31.jpg  3.0 kB  1.0 kB/s")
        #expect(line(download(seconds: 1, total: 10, already: 20)) == "m31.jpg  1.0 kB  1.0 kB/s")
        let huge = line(download(seconds: 1, total: .max))
        #expect(huge.contains("0 %") && huge.contains("of 9.2 EB") && !huge.contains("left"), "\(huge)")
        #expect(!line(download(seconds: 3, total: 3000)).contains("101"))
    }

    @Test func narrowTerminalsLoseWhatMattersLeast() {
        let made = download("a-rather-long-name-of-a-picture.jpg", seconds: 4, total: 16_000)
        for columns in 1...120 {
            let (text, count) = ProgressLine.drawn(made.state, at: made.now, columns: columns, hasColour: false)
            #expect(count == TerminalText.columns(text), "\(columns): \(text)")
            #expect(count <= max(columns - 1, 1), "\(columns): \(text)")
            if columns > 20 { #expect(text.contains("25 %"), "\(columns): \(text)") }
        }
    }

    @Test func coloursTakeNoColumns() {
        let made = download(seconds: 4, total: 16_000)
        let plain = ProgressLine.drawn(made.state, at: made.now, columns: 80, hasColour: false)
        let coloured = ProgressLine.drawn(made.state, at: made.now, columns: 80, hasColour: true)
        #expect(coloured.columns == plain.columns)
        #expect(coloured.text.contains("\u{1B}[32m=====\u{1B}[0m"))
    }

    @Test func namesOfStrangersNeitherMoveTheCursorNorBreakTheLine() {
        let text = line(download("a\u{1B}[2J\r\n\u{202E}b.jpg", seconds: 1, total: nil))
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E }, "\(text)")
        // Wide letters are never cut in half.
        let wide = download(String(repeating: "星", count: 60), seconds: 1, total: 2000)
        for columns in 1...100 {
            let (text, count) = ProgressLine.drawn(wide.state, at: wide.now, columns: columns, hasColour: false)
            #expect(count == TerminalText.columns(text) && count <= max(columns - 1, 1), "\(columns): \(text)")
        }
    }

    // MARK: Many

    @Test func manyAreCountedWithWhatIsLeft() {
        var state = ProgressState(began: second(0), expected: 40)
        for number in 0..<8 {
            let transfer = state.begin("\(number).jpg")
            state.receive(transfer, 1_000_000)
            state.end(transfer)
            state.finishRecord(failed: number % 4 == 3)
        }
        state.sampleRate(at: second(4))
        let drawn = ProgressLine.drawn(state, at: second(4), columns: 80, hasColour: true).text
        #expect(drawn == "8 of 40 done, 2 failed  8.0 MB  2.0 MB/s  0:16 left")
        #expect(ProgressLine.plain(state, at: second(4)) == "8 of 40 done, 2 failed, 8.0 MB, 2.0 MB/s, 0:16 left")
        #expect(ProgressLine.drawn(state, at: second(4), columns: 30, hasColour: true).text == "8 of 40 done, 2 failed")
    }

    @Test func aStreamHasNoTotalAndNoEnd() {
        var state = ProgressState(began: second(0))
        state.finishRecord(failed: false)
        #expect(ProgressLine.plain(state, at: second(9)) == "1 done")
        // The first download of a stream may be all of it.
        var fresh = ProgressState(began: second(0))
        _ = fresh.begin("a.jpg")
        #expect(ProgressLine.plain(fresh, at: second(1)) == "a.jpg, waiting")
    }

    @Test func onePictureThatTakesLongSaysForHowLong() {
        #expect(ProgressLine.plain(ProgressState(began: second(5), expected: 1), at: second(68)) == "working for 1:03")
    }

    // MARK: Days

    /// Days that come as pages of 25, one each second.
    private func days(_ pages: Int, of expected: Int?, at rate: Duration = .seconds(1)) -> (state: ProgressState, now: Duration) {
        var state = ProgressState(began: second(0), expected: expected)
        state.unit = .days
        for page in 0..<pages {
            let transfer = state.begin("apod-basic")
            state.receive(transfer, 300_000)
            state.end(transfer)
            for day in 0..<25 { state.finishRecord(failed: page == 1 && day == 3) }
            state.sampleRate(at: rate * (page + 1))
        }
        return (state, rate * pages)
    }

    @Test func daysAreCountedRatherThanTheirDownloads() {
        #expect(line(days(4, of: 366)) == "100 of 366 days, 1 failed  25 days/s  0:11 left")
        #expect(line(days(1, of: nil)) == "25 days  25 days/s")
        #expect(line(days(2, of: 75, at: .seconds(20))) == "50 of 75 days, 1 failed  1.3 days/s  0:20 left")
        let made = days(4, of: 100)
        #expect(ProgressLine.plain(made.state, at: made.now) == "100 of 100 days, 1 failed, 25 days/s")
    }

    @Test func beforeTheFirstDayComesThereIsNoRate() {
        var state = ProgressState(began: second(5), expected: 366)
        state.unit = .days
        _ = state.begin("apod-basic")
        #expect(ProgressLine.plain(state, at: second(8)) == "0 of 366 days")
        // A single day is no count, whether its answer has begun or not.
        state.expected = 1
        #expect(ProgressLine.plain(state, at: second(8)) == "working for 0:03")
        state.receive(1, 400)
        #expect(ProgressLine.plain(state, at: second(9)) == "working for 0:04")
        state.expected = nil
        state.finishRecord(failed: false)
        #expect(ProgressLine.plain(state, at: second(9)) == "1 day")
    }

    @Test func daysFromTheCacheDontSpeedUpThoseStillToCome() {
        var state = ProgressState(began: second(0), expected: 10_000)
        state.unit = .days
        for _ in 0..<5000 { state.finishRecord(failed: false) }
        state.sampleRate(at: second(1))
        for time in 2...60 {
            for _ in 0..<10 { state.finishRecord(failed: false) }
            state.sampleRate(at: second(time))
        }
        let left = state.secondsLeft(at: second(60)) ?? 0
        // 4410 days at ten a second, give or take what is remembered of the beginning.
        #expect((300...441).contains(left), "\(left)")
    }

    // MARK: Rate

    @Test func theRateForgetsAndShowsAStall() {
        var rate = Rate()
        for time in 1...10 { rate.sample(1000 * time, at: second(time)) }
        #expect(abs(rate.perSecond - 1000) < 1)
        for time in 11...30 { rate.sample(10_000, at: second(time)) }
        #expect(rate.perSecond < 5)
        // A clock that stands still changes nothing.
        let before = rate
        rate.sample(20_000, at: second(30))
        #expect(rate == before)
    }

    @Test(arguments: [(0, "0:00"), (7, "0:07"), (754, "12:34"), (3723, "1:02:03"), (359_999, "99:59:59")])
    func timesAreReadAsOnAClock(_ seconds: Int, _ text: String) { #expect(ProgressLine.time(seconds) == text) }

    // MARK: Where it is shown

    private func style(
        _ wish: ProgressStyle.Wish = .auto, terminal: Bool = true, quiet: Bool = false, format: Log.Format = .plain,
        in environment: Environment = ["TERM": "xterm"]
    ) -> ProgressStyle {
        ProgressStyle(wish, isTerminal: terminal, isQuiet: quiet, logFormat: format, environment: environment)
    }

    @Test func itIsDrawnOnATerminalAlone() {
        #expect(style() == .drawn(hasColour: true))
        #expect(style(terminal: false) == .hidden)
        #expect(style(quiet: true) == .hidden)
        #expect(style(.plain, quiet: true) == .hidden)
        #expect(style(.none) == .hidden)
        #expect(style(.plain, terminal: false) == .lines)
        #expect(style(format: .json) == .hidden)
        #expect(style(.plain, format: .json) == .lines)
    }

    @Test func theEnvironmentSaysWhatATerminalCan() {
        #expect(style(in: ["TERM": "dumb"]) == .lines)
        #expect(style(in: [:]) == .lines)
        #expect(style(in: ["TERM": "xterm", "NO_COLOR": "1"]) == .drawn(hasColour: false))
        #expect(style(in: ["TERM": "xterm", "CLICOLOR": "0"]) == .drawn(hasColour: false))
        #expect(style(in: ["TERM": "xterm", "CLICOLOR": "0", "CLICOLOR_FORCE": "1"]) == .drawn(hasColour: true))
        #expect(style(in: ["TERM": "xterm", "NO_COLOR": "1", "CLICOLOR_FORCE": "1"]) == .drawn(hasColour: false))
    }

    @Test(arguments: [
        (true, ["TERM": "xterm"], true), (false, ["TERM": "xterm"], false), (true, [:], false), (true, ["TERM": "dumb"], false),
        (true, ["TERM": "xterm", "NO_COLOR": "1"], false), (true, ["TERM": "xterm", "CLICOLOR": "0"], false),
        (false, ["CLICOLOR_FORCE": "1"], true), (false, ["CLICOLOR_FORCE": "0"], false),
        (false, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
    ])
    func coloursAreForTerminalsThatHaveThem(isTerminal: Bool, variables: [String: String], expected: Bool) {
        #expect(Terminal.hasColour(isTerminal: isTerminal, environment: Environment(variables)) == expected)
    }

    @Test func aLineThatWrapsIsClearedFromItsFirstRowOn() {
        #expect(StandardError.clearing(columns: 60, width: 80) == "\r\u{1B}[K")
        #expect(StandardError.clearing(columns: 80, width: 80) == "\r\u{1B}[K")
        #expect(StandardError.clearing(columns: 79, width: 30) == "\r\u{1B}[2A\u{1B}[J")
        #expect(StandardError.clearing(columns: 10, width: 0) == "\r\u{1B}[K")
    }
}

/// How wide text is on a terminal.
struct TerminalColumnsTests {
    @Test(arguments: [("abc", 3), ("", 0), ("星雲", 4), ("é", 1), ("e\u{301}", 1), ("👩‍🚀", 2), ("❤️", 2), ("ｱ", 1), ("Ａ", 2)])
    func widthsAreThoseOfTerminals(_ text: String, _ columns: Int) { #expect(TerminalText.columns(text) == columns) }

    @Test func textIsCutWithASignOfIt() {
        #expect(TerminalText.cut("nebula", toColumns: 6).text == "nebula")
        #expect(TerminalText.cut("nebula", toColumns: 5).text == "nebu…")
        #expect(TerminalText.cut("nebula", toColumns: 1).text == "…")
        #expect(TerminalText.cut("nebula", toColumns: 0).text == "")
        #expect(TerminalText.cut("星雲星", toColumns: 5).text == "星雲…")
        #expect(TerminalText.cut("星雲星", toColumns: 4).text == "星…")
        #expect(TerminalText.cut("星雲星", toColumns: 4).columns == 3)
        #expect(TerminalText.cut(middleOf: "nebula", toColumns: 6) == "nebula")
        #expect(TerminalText.cut(middleOf: "nebulae", toColumns: 6) == "ne…lae")
        #expect(TerminalText.cut(middleOf: "星雲星雲", toColumns: 7) == "星…星雲")
    }

    @Test(arguments: [
        ("a ring of dust", 7, ["a ring", "of dust"]), ("a ring", 6, ["a ring"]), ("a ring", 5, ["a", "ring"]),
        ("", 5, []), (" a  b ", 5, ["a b"]), ("nebulae of", 4, ["nebu", "lae", "of"]), ("星雲 星雲", 6, ["星雲", "星雲"]),
        ("星雲星", 4, ["星雲", "星"]), ("星", 1, ["星"]), ("a\u{301}b\u{301}c", 2, ["a\u{301}b\u{301}", "c"]), ("ab", 0, ["a", "b"]),
        ("👩‍🚀👩‍🚀 x", 3, ["👩‍🚀", "👩‍🚀", "x"]),
    ])
    func textIsWrappedByColumnsBetweenWords(_ text: String, _ limit: Int, _ lines: [String]) {
        #expect(TerminalText.wrapped(text, toColumns: limit) == lines)
    }
}
