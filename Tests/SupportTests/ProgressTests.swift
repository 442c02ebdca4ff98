import Testing

@testable import Support

/// The progress line and the JSON fields of a progress state.
struct ProgressTests {
    private func second(_ count: Int) -> Duration { .seconds(count) }

    /// Returns the state of a download that has received 1000 bytes per second.
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

    // MARK: A single download

    @Test func downloadLineHasABarAndFigures() {
        let bar = "[" + String(repeating: "=", count: 5) + String(repeating: " ", count: 17) + "]"
        #expect(
            line(download(seconds: 4, total: 16_000))
                == "m31.jpg  25 %  \(bar)  4.0 kB of 16.0 kB  1.0 kB/s  0:12 left")
        #expect(line(download(seconds: 4, total: nil)) == "m31.jpg  4.0 kB  1.0 kB/s")
        #expect(line(download(seconds: 0, total: nil)) == "m31.jpg  waiting")
    }

    @Test func bytesOfAnEarlierAttemptCountForThePercentageButNotTheRate() {
        let text = line(download(seconds: 4, total: 16_000, already: 4000))
        #expect(text.contains("50 %") && text.contains("8.0 kB of 16.0 kB") && text.contains("1.0 kB/s"), "\(text)")
        #expect(text.hasSuffix("0:08 left"), "\(text)")
        // The line has an estimate only after four samples.
        #expect(!line(download(seconds: 3, total: 16_000)).contains("left"))
    }

    @Test func emptyDownloadIsCompleteAndImpossibleTotalsAreIgnored() {
        #expect(line(download(seconds: 0, total: 0)).contains("100 %"))
        // If the server sends more than its total, or the total is less than the existing bytes, the total is ignored.
        #expect(line(download(seconds: 3, total: 2000)) == "m31.jpg  3.0 kB  1.0 kB/s")
        #expect(line(download(seconds: 1, total: 10, already: 20)) == "m31.jpg  1.0 kB  1.0 kB/s")
        let huge = line(download(seconds: 1, total: .max))
        #expect(huge.contains("0 %") && huge.contains("of 9.2 EB") && !huge.contains("left"), "\(huge)")
        #expect(!line(download(seconds: 3, total: 3000)).contains("101"))
    }

    @Test func narrowTerminalsOmitTheLeastImportantParts() {
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

    @Test func untrustedNamesNeitherMoveTheCursorNorBreakTheLine() {
        let text = line(download("a\u{1B}[2J\r\n\u{202E}b.jpg", seconds: 1, total: nil))
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E }, "\(text)")
        // Wide characters are never cut in half.
        let wide = download(String(repeating: "星", count: 60), seconds: 1, total: 2000)
        for columns in 1...100 {
            let (text, count) = ProgressLine.drawn(wide.state, at: wide.now, columns: columns, hasColour: false)
            #expect(count == TerminalText.columns(text) && count <= max(columns - 1, 1), "\(columns): \(text)")
        }
    }

    @Test(arguments: [0, 1, 30, 59])
    func nameBarAndFiguresFitIntoEightyColumns(_ share: Int) {
        var state = ProgressState(began: second(0), expected: 1)
        let number = state.begin("heic2007a-the-tarantula-nebula-in-the-large-magellanic-cloud.tif")
        state.expect(number, bytes: 999_900_000 / 60 * share, total: 999_900_000)
        for time in 1...20 {
            state.receive(number, 1000)
            state.sampleRate(at: second(time))
        }
        let (text, columns) = ProgressLine.drawn(state, at: second(20), columns: 80, hasColour: false)
        #expect(text.contains("  [") && text.contains("]  ") && columns <= 79, "\(text)")
    }

    @Test func downloadStaysAt100PercentUntilItsRecordIsFinished() {
        var (state, now) = download(seconds: 8, total: 8000)
        state.end(1)
        let bar = line((state, now))
        #expect(bar.hasPrefix("m31.jpg  100 %  [=") && !bar.contains("= "), "\(bar)")
        state.finishRecord(failed: false)
        now += second(1)
        #expect(ProgressLine.plain(state, at: now).hasPrefix("1 of 1 done"))
    }

    @Test func redirectWithoutBytesIsNotShown() {
        var state = ProgressState(began: second(0), expected: 1)
        state.end(state.begin("moved.jpg"))
        #expect(ProgressLine.plain(state, at: second(3)) == "working for 0:03")
    }

    // MARK: Pauses

    @Test func lineShowsThePauseBeforeARequest() {
        var (state, now) = download(seconds: 4, total: 16_000)
        state.end(1)
        let wait = state.beginWait(.retry, host: "e.org", until: now + .milliseconds(11_200))
        #expect(line((state, now)).hasSuffix("]  4.0 kB of 16.0 kB  retry in 12 s"), "\(line((state, now)))")
        #expect(line((state, now + second(5))).hasSuffix("retry in 7 s"))
        state.endWait(wait)
        #expect(!line((state, now)).contains("retry"))

        var fresh = ProgressState(began: second(0), expected: 1)
        fresh.end(fresh.begin("a.jpg"))
        _ = fresh.beginWait(.rateLimit, host: "e.org", until: second(40))
        #expect(ProgressLine.plain(fresh, at: second(6)) == "a.jpg, rate limit: next request in 34 s")
        fresh = ProgressState(began: second(0), expected: 1)
        _ = fresh.beginWait(.retry, host: "e.org", until: second(4))
        #expect(ProgressLine.plain(fresh, at: second(1)) == "e.org: retry in 3 s")
    }

    @Test func pauseThatEndsFirstIsShown() {
        var (state, now) = days(4, of: 366)
        let far = state.beginWait(.retry, host: "e.org", until: now + second(20))
        let near = state.beginWait(.rateLimit, host: "e.org", until: now + second(5))
        #expect(
            line((state, now)).hasPrefix("100 of 366 days, 1 failed  e.org: rate limit: next request in 5 s  25 days/s")
        )
        state.endWait(near)
        #expect(line((state, now)).contains("retry in 20 s"))
        state.endWait(far)
        #expect(!line((state, now)).contains(" in "))
    }

    // MARK: JSON fields

    @Test func jsonLogContainsTheFigures() {
        func facts(_ made: (state: ProgressState, now: Duration)) -> [String: Fact] {
            Dictionary(
                uniqueKeysWithValues: made.state.facts(at: made.now).compactMap { name, fact in fact.map { (name, $0) }
                })
        }
        #expect(
            facts(download(seconds: 4, total: 16_000)) == [
                "records_done": .integer(0), "records_failed": .integer(0), "records_total": .integer(1),
                "bytes_done": .integer(4000), "bytes_total": .integer(16_000), "rate": .decimal(1000),
                "eta_s": .integer(12),
            ])
        var (state, now) = days(4, of: 366)
        _ = state.beginWait(.rateLimit, host: "e.org", until: now + second(5))
        let days = facts((state, now))
        #expect(days["records_done"] == .integer(100) && days["records_failed"] == .integer(1), "\(days)")
        #expect(days["records_total"] == .integer(366) && days["eta_s"] == .integer(11), "\(days)")
        #expect(days["waiting_for"] == .text("rate-limit") && days["wait_s"] == .integer(5), "\(days)")
        #expect(days["bytes_total"] == nil)
    }

    @Test func bytesHaveATotalOnceAllRecordsHaveBegun() {
        var state = ProgressState(began: second(0), expected: 3)
        func total() -> Fact? { state.facts(at: second(1)).first { $0.key == "bytes_total" }?.value }
        for number in 0..<3 {
            #expect(total() == nil)
            let transfer = state.begin("\(number).jpg")
            state.expect(transfer, bytes: 0, total: 1000)
            state.receive(transfer, 300)
            if number == 0 {
                state.receive(transfer, 700)
                state.end(transfer)
                state.finishRecord(failed: false)
            }
        }
        #expect(total() == .integer(3000))
    }

    @Test func progressHasASeparateLevelInAJSONLog() {
        let lines = Monitor<[String]>([])
        let log = Log(tool: "t", format: .json) { line in lines.update { $0.append(line) } }
        log.progress("a", facts: ["rate": .decimal(1234.56), "eta_s": nil, "bytes_done": .integer(7)])
        let line = lines.withLock { $0.first } ?? ""
        #expect(
            line.hasSuffix(",\"level\":\"progress\",\"message\":\"a\",\"rate\":1234.6,\"bytes_done\":7}\n"), "\(line)")
    }

    // MARK: Several records

    @Test func severalRecordsShowCountsAndTimeLeft() {
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

    @Test func streamHasNoTotalAndNoTimeLeft() {
        var state = ProgressState(began: second(0))
        state.finishRecord(failed: false)
        #expect(ProgressLine.plain(state, at: second(9)) == "1 done")
        // The first download may be the only record of the stream.
        var fresh = ProgressState(began: second(0))
        _ = fresh.begin("a.jpg")
        #expect(ProgressLine.plain(fresh, at: second(1)) == "a.jpg, waiting")
    }

    @Test func runWithoutDownloadsShowsItsDuration() {
        #expect(ProgressLine.plain(ProgressState(began: second(5), expected: 1), at: second(68)) == "working for 1:03")
    }

    // MARK: Days

    /// Returns the state after pages of 25 days, which arrive at intervals of `rate`.
    private func days(_ pages: Int, of expected: Int?, at rate: Duration = .seconds(1)) -> (
        state: ProgressState, now: Duration
    ) {
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

    @Test func daysAreCountedRatherThanDownloads() {
        #expect(line(days(4, of: 366)) == "100 of 366 days, 1 failed  25 days/s  0:11 left")
        #expect(line(days(1, of: nil)) == "25 days  25 days/s")
        #expect(line(days(2, of: 75, at: .seconds(20))) == "50 of 75 days, 1 failed  1.3 days/s  0:20 left")
        let made = days(4, of: 100)
        #expect(ProgressLine.plain(made.state, at: made.now) == "100 of 100 days, 1 failed, 25 days/s")
    }

    @Test func noRateIsShownBeforeTheFirstDay() {
        var state = ProgressState(began: second(5), expected: 366)
        state.unit = .days
        _ = state.begin("apod-basic")
        #expect(ProgressLine.plain(state, at: second(8)) == "0 of 366 days")
        // A run of a single day shows no count, before and after its response begins.
        state.expected = 1
        #expect(ProgressLine.plain(state, at: second(8)) == "working for 0:03")
        state.receive(1, 400)
        #expect(ProgressLine.plain(state, at: second(9)) == "working for 0:04")
        state.expected = nil
        state.finishRecord(failed: false)
        #expect(ProgressLine.plain(state, at: second(9)) == "1 day")
    }

    @Test func cachedDaysDoNotShortenTheEstimate() {
        var state = ProgressState(began: second(0), expected: 10_000)
        state.unit = .days
        for _ in 0..<5000 { state.finishRecord(failed: false) }
        state.sampleRate(at: second(1))
        for time in 2...60 {
            for _ in 0..<10 { state.finishRecord(failed: false) }
            state.sampleRate(at: second(time))
        }
        let left = state.secondsLeft(at: second(60)) ?? 0
        // 4410 days are left, at 10 per second. The fast beginning may shorten the estimate a little.
        #expect((300...441).contains(left), "\(left)")
    }

    // MARK: Rate

    @Test func rateDecaysDuringAStall() {
        var rate = Rate()
        for time in 1...10 { rate.sample(1000 * time, at: second(time)) }
        #expect(abs(rate.perSecond - 1000) < 1)
        for time in 11...30 { rate.sample(10_000, at: second(time)) }
        #expect(rate.perSecond < 5)
        // A second sample at the same time changes nothing.
        let before = rate
        rate.sample(20_000, at: second(30))
        #expect(rate == before)
    }

    @Test(arguments: [(0, "0:00"), (7, "0:07"), (754, "12:34"), (3723, "1:02:03"), (359_999, "99:59:59")])
    func timesAreFormattedLikeAClock(_ seconds: Int, _ text: String) { #expect(ProgressLine.time(seconds) == text) }
}
