import Support
import TestSupport
import Testing

@testable import HTTP

/// A server that takes `limit` requests within any `window`, and says so.
private struct MovingWindow {
    let limit: Int
    var window = Duration.seconds(3600)
    private(set) var times: [Timestamp] = []
    private(set) var refusals = 0

    init(limit: Int) { self.limit = limit }

    mutating func answer(at now: Timestamp) -> QuotaReport {
        times.removeAll { $0 + window <= now }
        guard times.count < limit else {
            refusals += 1
            return QuotaReport(limit: limit, remaining: 0, refusal: times[0] + window - now)
        }
        times.append(now)
        return QuotaReport(limit: limit, remaining: limit - times.count)
    }
}

/// A server that counts from one full hour to the next.
private struct FixedWindow {
    let limit: Int
    let tellsRenewal: Bool
    private var hour: Int64 = -1
    private var used = 0
    private(set) var refusals = 0

    init(limit: Int, tellsRenewal: Bool) {
        self.limit = limit
        self.tellsRenewal = tellsRenewal
    }

    mutating func answer(at now: Timestamp) -> QuotaReport {
        if now.milliseconds / 3_600_000 != hour { (hour, used) = (now.milliseconds / 3_600_000, 0) }
        let renewal = Duration.milliseconds(3_600_000 - now.milliseconds % 3_600_000)
        guard used < limit else {
            refusals += 1
            return QuotaReport(limit: limit, remaining: 0, refusal: renewal)
        }
        used += 1
        return QuotaReport(limit: limit, remaining: limit - used, renewal: tellsRenewal ? renewal : nil)
    }
}

@Suite struct RequestQuotaTests {
    private let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// Makes requests one after the other, each answered after 50 ms, and waits as told; gives how long all took.
    private func make(
        _ count: Int, from now: inout Timestamp, _ quota: inout RequestQuota, answer: (Timestamp) -> QuotaReport
    ) -> Duration {
        let begun = now
        var made = 0
        while made < count {
            switch quota.take(now: now) {
            case .go(let pause, let number):
                now = now + pause
                let report = answer(now)
                now = now + .milliseconds(50)
                quota.learn(report, number: number, now: now)
                made += 1
            case .refused(let until): now = until
            }
        }
        return now - begun
    }

    @Test(arguments: [
        (limit: 1000, remaining: 1000, seconds: 0.0), (1000, 250, 0), (1000, 200, 0.9), (1000, 125, 3.6),
        (1000, 25, 32.4),
        (1000, 14, 60), (1000, 1, 60), (2000, 499, 0.0036), (100, 20, 9), (60, 1, 60),
        // Even a pause of a minute would not keep these up.
        (50, 1, 0), (10, 2, 0), (10, 1, 0), (1, 1, 0),
    ])
    func requestsAreSpreadTheFurtherTheFewerAreLeft(_ row: (limit: Int, remaining: Int, seconds: Double)) {
        let spacing = RequestQuota.spacing(
            limit: row.limit, remaining: row.remaining, window: .seconds(3600), untilRenewal: nil)
        #expect(abs((spacing - .seconds(row.seconds)).milliseconds) <= 4)
    }

    @Test func spacingNeverShrinksAsRequestsGo() {
        for limit in [60, 100, 999, 1000, 2000, 100_000] {
            let pauses = (1...limit).reversed().map {
                RequestQuota.spacing(limit: limit, remaining: $0, window: .seconds(3600), untilRenewal: nil)
            }
            #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
            #expect(pauses.allSatisfy { $0 >= .zero && $0 <= .seconds(60) })
        }
    }

    @Test func noPauseIsLongerThanLetsTheRestLastUntilRenewal() {
        let spacing = RequestQuota.spacing(
            limit: 1000, remaining: 20, window: .seconds(3600), untilRenewal: .seconds(40))
        #expect(spacing == .seconds(2))
    }

    @Test func numbersBeyondAllReasonDoNoHarm() {
        #expect(
            RequestQuota.spacing(limit: .max, remaining: 1, window: .seconds(3600), untilRenewal: .zero) == .zero)
        #expect(RequestQuota.spacing(limit: 0, remaining: 1, window: .seconds(3600), untilRenewal: nil) == .zero)
        #expect(RequestQuota.spacing(limit: 1000, remaining: 0, window: .seconds(3600), untilRenewal: nil) == .zero)
    }

    @Test func singleRequestsOfTheDemonstrationKeyAreNotHeldUp() {
        var server = MovingWindow(limit: 10)
        var quota = RequestQuota()
        var now = start
        #expect(make(10, from: &now, &quota) { server.answer(at: $0) } == .milliseconds(500))
        // Then all are used up, and the hour of the first one tells until when at the latest.
        #expect(quota.take(now: now) == .refused(until: start + .milliseconds(50) + .seconds(3600)))
    }

    @Test func requestsThatWereMadeOverTheHourComeBackOneByOne() {
        var server = MovingWindow(limit: 10)
        var quota = RequestQuota()
        var now = start
        for _ in 0..<50 {
            _ = make(1, from: &now, &quota) { server.answer(at: $0) }
            now = now + .seconds(330)
        }
        #expect(server.refusals == 0)
        // 10 an hour are asked for 11 times: every now and then one waits for half a minute.
        #expect(now - start < .seconds(330 * 50 + 50 * 60))
    }

    @Test func thousandRequestsOfAThousandMeetNoRefusal() {
        var server = MovingWindow(limit: 1000)
        var quota = RequestQuota()
        var now = start
        let time = make(1000, from: &now, &quota) { server.answer(at: $0) }
        #expect(server.refusals == 0)
        #expect(time < .seconds(3600))
    }

    @Test(arguments: [300, 700, 1000]) func norDoManyMoreThanTheLimit(before: Int) {
        var server = MovingWindow(limit: 1000)
        for second in 0..<before { _ = server.answer(at: start - .seconds(before - second)) }
        var quota = RequestQuota()
        var now = start
        if before == 1000 {
            // The first one is refused, since nothing was known.
            _ = make(1, from: &now, &quota) { server.answer(at: $0) }
        }
        let known = server.refusals
        _ = make(4000, from: &now, &quota) { server.answer(at: $0) }
        #expect(server.refusals == known)
        // Four hours' requests, and at most the rest of the hour before them.
        #expect(now - start < .seconds(5 * 3600 + 600))
    }

    @Test(arguments: [true, false]) func hoursByTheClockAreKeptToo(tellsRenewal: Bool) {
        var server = FixedWindow(limit: 1000, tellsRenewal: tellsRenewal)
        var quota = RequestQuota()
        var now = start + .seconds(1800)
        let time = make(5000, from: &now, &quota) { server.answer(at: $0) }
        // Where the server does not say when it begins anew, it may have to say once an hour that it has not yet.
        #expect(server.refusals <= (tellsRenewal ? 0 : Int(time / .seconds(3600))))
    }

    @Test func thoseWhoAskAtTheSameMomentGetSlotsOfTheirOwn() throws {
        var quota = RequestQuota()
        quota.learn(QuotaReport(limit: 1000, remaining: 20), number: 0, now: start)
        let turns = (0..<30).map { _ in quota.take(now: start) }
        let pauses = turns.compactMap { turn -> Duration? in
            if case .go(let pause, _) = turn { return pause }
            return nil
        }
        // Of the slots of a minute each, none that lies more than five minutes ahead is given.
        #expect(pauses.count == 6)
        #expect(pauses.first == .zero)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $1 - $0 >= .seconds(40) })
        #expect(turns.dropFirst(6).allSatisfy { if case .refused(let until) = $0 { until > start } else { false } })
        #expect(quota.remaining == 14)
    }

    @Test func whatWasLetGoSinceIsTakenOffWhatIsTold() {
        var quota = RequestQuota()
        quota.learn(QuotaReport(limit: 100, remaining: 90), number: 0, now: start)
        for number in 1...4 { #expect(quota.take(now: start) == .go(after: .zero, number: number)) }
        #expect(quota.remaining == 86)
        // The server has seen the second one only.
        quota.learn(QuotaReport(limit: 100, remaining: 89), number: 2, now: start)
        #expect(quota.remaining == 87)
        // The first one's answer is late and tells nothing new.
        quota.learn(QuotaReport(limit: 100, remaining: 88), number: 1, now: start)
        #expect(quota.remaining == 87)
        quota.learn(QuotaReport(limit: 100, remaining: 40), number: 4, now: start)
        #expect(quota.remaining == 40)
    }

    @Test func answersToThoseThatStartedBeforeAnythingWasKnownComeInAnyOrder() {
        var quota = RequestQuota()
        for _ in 0..<4 { #expect(quota.take(now: start) == .go(after: .zero, number: 0)) }
        for left in [39, 36, 38] { quota.learn(QuotaReport(limit: 40, remaining: left), number: 0, now: start) }
        #expect(quota.remaining == 36)
        #expect(quota.take(now: start) == .go(after: .zero, number: 1))
        quota.learn(QuotaReport(limit: 40, remaining: 37), number: 0, now: start)
        #expect(quota.remaining == 35)
    }

    @Test func answersThatAreOutAreWaitedForBeforeNoneIsLeft() {
        var quota = RequestQuota()
        quota.learn(QuotaReport(limit: 10, remaining: 1), number: 0, now: start)
        #expect(quota.take(now: start) == .go(after: .zero, number: 1))
        #expect(quota.take(now: start) == .refused(until: start + .milliseconds(250)))
        quota.learn(QuotaReport(limit: 10, remaining: 3), number: 1, now: start)
        #expect(quota.take(now: start) == .go(after: .zero, number: 2))
    }

    @Test func answersThatNeverComeAreNotWaitedForLong() {
        var quota = RequestQuota()
        quota.learn(QuotaReport(limit: 10, remaining: 1), number: 0, now: start)
        _ = quota.take(now: start)
        #expect(quota.take(now: start + .seconds(10)) == .refused(until: start + .seconds(3600)))
    }

    @Test func refusalHoldsForItsTimeAndNotLonger() {
        var quota = RequestQuota()
        quota.learn(QuotaReport(limit: 10, remaining: 0, refusal: .seconds(30)), number: 0, now: start)
        #expect(quota.take(now: start + .seconds(29)) == .refused(until: start + .seconds(30)))
        #expect(quota.take(now: start + .seconds(30)) == .go(after: .zero, number: 0))
    }

    @Test func monthsQuotaIsNotSpreadOverAnHour() {
        var quota = RequestQuota()
        let month = Duration.seconds(30 * 86_400)
        quota.learn(QuotaReport(limit: 10_000, remaining: 100, renewal: month), number: 0, now: start)
        #expect(quota.take(now: start) == .go(after: .zero, number: 1))
        #expect(quota.take(now: start) == .go(after: .zero, number: 2))
        quota.learn(QuotaReport(limit: 10_000, remaining: 0, renewal: month), number: 2, now: start)
        #expect(quota.take(now: start) == .refused(until: start + month))
        #expect(quota.take(now: start + month) == .go(after: .zero, number: 3))
    }

    @Test func clockThatWasSetBackMakesAllBeginAnew() {
        var quota = RequestQuota()
        quota.learn(QuotaReport(limit: 10, remaining: 0, refusal: .seconds(3600)), number: 0, now: start)
        #expect(quota.take(now: start - .seconds(60)) == .go(after: .zero, number: 0))
    }

    @Test func nothingIsChangedWhereNothingIsKnown() {
        var quota = RequestQuota()
        #expect(quota.take(now: start) == .go(after: .zero, number: 0))
        #expect(quota == RequestQuota())
    }

    @Test func textGivesTheSameQuotaAgain() throws {
        var random = SeededRandom(name: "quota")
        for _ in 0..<300 {
            var quota = RequestQuota()
            var now = start
            for _ in 0..<random.below(40) {
                now = now + .seconds(random.below(900))
                if case .go(_, let number) = quota.take(now: now), random.below(4) > 0 {
                    let report = QuotaReport(
                        limit: random.below(2000), remaining: random.below(2000),
                        renewal: random.below(3) == 0 ? .seconds(random.below(3600)) : nil,
                        refusal: random.below(9) == 0 ? .seconds(random.below(100)) : nil)
                    quota.learn(report, number: number, now: now)
                }
            }
            #expect(RequestQuota(quota.description) == quota)
            #expect(quota.description.utf8.count < 700)
        }
    }

    @Test func laterVersionsMayAddToTheText() {
        #expect(RequestQuota("limit=7 colour=3 window=1000")?.limit == 7)
    }

    @Test(arguments: [
        "limit", "limit=", "limit=x", "limit=-1 window=1", "window=0", "count=1 answered=2",
        "remaining=99999999999999999",
        String(repeating: "start=1 ", count: 33),
    ]) func textWithoutSenseIsNoQuota(_ text: String) {
        #expect(RequestQuota(text) == nil)
    }
}

@Suite struct QuotaReportTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func report(_ fields: KeyValuePairs<String, String>, status: Int = 200) throws -> QuotaReport {
        QuotaReport(
            HTTPResponse(status: status, headers: HTTPHeaders(fields), url: try WebURL("https://a.example/")), now: now)
    }

    @Test func gatewayOfNASA() throws {
        #expect(
            try report(["X-Ratelimit-Limit": "2000", "X-Ratelimit-Remaining": "1998"])
                == QuotaReport(limit: 2000, remaining: 1998))
        #expect(
            try report(["Retry-After": "2870", "X-Ratelimit-Limit": "2000", "X-Ratelimit-Remaining": "0"], status: 429)
                == QuotaReport(limit: 2000, remaining: 0, refusal: .seconds(2870)))
    }

    @Test func gatewayOfRapidAPI() throws {
        #expect(
            try report([
                "X-RateLimit-Requests-Limit": "500", "X-RateLimit-Requests-Remaining": "499",
                "X-RateLimit-Requests-Reset": "2591999",
            ]) == QuotaReport(limit: 500, remaining: 499, renewal: .seconds(2_591_999)))
    }

    @Test func fieldsOfTheDrafts() throws {
        #expect(
            try report(["RateLimit-Limit": "100, 100;w=60", "RateLimit-Remaining": "7", "RateLimit-Reset": "12"])
                == QuotaReport(limit: 100, remaining: 7, renewal: .seconds(12), window: .seconds(60)))
        #expect(
            try report([
                "RateLimit-Limit": "100", "RateLimit-Remaining": "7", "RateLimit-Policy": "\"hour\";q=100; w=3600",
            ])
                == QuotaReport(limit: 100, remaining: 7, window: .seconds(3600)))
    }

    @Test func resetMayBeATime() throws {
        #expect(
            try report(["X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "1800000090"])
                == QuotaReport(limit: 60, remaining: 1, renewal: .seconds(90)))
    }

    @Test func theScarcestCounts() throws {
        #expect(
            try report([
                "X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "900", "X-RateLimit-Requests-Limit": "50",
                "X-RateLimit-Requests-Remaining": "3",
            ]) == QuotaReport(limit: 50, remaining: 3))
    }

    @Test func refusalAloneIsAReportToo() throws {
        #expect(try report(["Retry-After": "5"], status: 429) == QuotaReport(refusal: .seconds(5)))
        // Of 503 it says when the server is back, which concerns no quota.
        #expect(try report(["Retry-After": "5"], status: 503).isEmpty)
    }

    @Test(arguments: ["", "many", "-1", "1e9", "٣", "0x10", "12monkeys"]) func wordsAreNoNumbers(_ text: String) throws
    {
        #expect(try report(["X-RateLimit-Remaining": text]).isEmpty)
    }

    @Test func noNumberIsTooLarge() throws {
        let digits = String(repeating: "9", count: 40)
        let report = try report([
            "X-RateLimit-Limit": digits, "X-RateLimit-Remaining": digits, "X-RateLimit-Reset": digits,
        ])
        #expect(report.remaining == 1_000_000_000_000)
        #expect(report.renewal == .seconds(31_536_000))
        var quota = RequestQuota()
        quota.learn(report, number: 0, now: now)
        #expect(quota.take(now: now) == .go(after: .zero, number: 1))
    }
}
