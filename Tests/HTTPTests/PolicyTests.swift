import Support
import TestSupport
import Testing

@testable import HTTP

@Suite struct RedirectPolicyTests {
    private func next(
        _ from: String, _ status: Int = 302, to location: String?, followed: Int = 0,
        policy: RedirectPolicy = RedirectPolicy()
    ) throws -> HTTPRequest {
        let url = try WebURL(from)
        let headers = HTTPHeaders(location.map { [HTTPHeaders.Field(name: "location", value: $0)] } ?? [])
        let request = HTTPRequest(
            url: url,
            headers: [
                HTTPHeader("Authorization", "secret"),
                HTTPHeader("Accept", "image/*", survivesCrossOriginRedirect: true),
            ])
        return try policy.next(
            after: HTTPResponse(status: status, headers: headers, url: url), to: request, followed: followed)
    }

    @Test func userHeadersStayWithinTheirOrigin() throws {
        #expect(try next("https://a/x", to: "/y").headers.count == 2)
        #expect(try next("https://a/x", to: "https://a:443/y").headers.count == 2)
        for other in ["https://b/", "https://a:444/", "//b/"] {
            #expect(try next("https://a/x", to: other).headers.map(\.name) == ["Accept"])
        }
        #expect(try next("http://a/x", to: "https://a/").headers.map(\.name) == ["Accept"])
    }

    @Test func credentialsStayWithinTheirOrigin() throws {
        #expect(try next("https://u:p@a/x", to: "/y").url.credentials != nil)
        #expect(try next("https://u:p@a/x", to: "https://b/y").url.credentials == nil)
    }

    @Test func fragmentIsInheritedUnlessTheTargetHasOne() throws {
        #expect(try next("http://a/x#f", to: "/y").url.fragment == "f")
        #expect(try next("http://a/x#f", to: "/y#g").url.fragment == "g")
    }

    @Test func redirectFromHTTPSToHTTPIsRefused() throws {
        let failure = #expect(throws: FetchFailure.self) { try next("https://a/", to: "http://a/") }
        #expect(failure?.code == "insecure-redirect")
        #expect(failure?.exitCode == .notAllowed)
        #expect(
            try next("https://a/", to: "http://a/", policy: RedirectPolicy(allowsInsecure: true)).url.scheme == .http)
    }

    @Test func eleventhRedirectIsTooMany() throws {
        _ = try next("http://a/", to: "/b", followed: 9)
        let failure = #expect(throws: FetchFailure.self) { try next("http://a/", to: "/b", followed: 10) }
        #expect(failure?.code == "too-many-redirects")
        #expect(failure?.isTransient == false)
    }

    @Test(arguments: [nil, ""])
    func redirectWithoutATargetFails(location: String?) {
        let failure = #expect(throws: FetchFailure.self) { try next("http://a/", to: location) }
        #expect(failure?.code == "bad-redirect")
    }

    @Test func redirectToAFileIsBlocked() {
        #expect(throws: WebURLFailure.blockedScheme(of: "file:///etc/passwd")) {
            try next("http://a/", to: "file:///etc/passwd")
        }
    }

    @Test func onlyFiveStatusesAreRedirects() {
        #expect((300...399).filter(RedirectPolicy.isRedirect) == [301, 302, 303, 307, 308])
    }
}

@Suite struct RetryScheduleTests {
    private let full = RetrySchedule(random: { 1 })
    private let url: WebURL

    init() throws { url = try WebURL("http://a/") }
    private let plenty = Duration.seconds(1000)

    private func answer(_ status: Int, retryAfter: Duration? = nil) -> FetchFailure {
        .status(FetchFailure.Answer(status: status, headers: HTTPHeaders(), url: url, retryAfter: retryAfter))
    }

    @Test func delayDoublesUpToThirtySeconds() {
        let schedule = RetrySchedule(retries: 10, random: { 1 })
        let pauses = (1...9).map { schedule.delay(after: answer(500), attempt: $0, remaining: plenty)!.milliseconds }
        #expect(pauses == [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000])
    }

    @Test func jitterShortensTheDelay() {
        #expect(RetrySchedule(random: { 0 }).delay(after: answer(500), attempt: 1, remaining: plenty) == .zero)
        #expect(
            RetrySchedule(random: { 0.5 }).delay(after: answer(500), attempt: 2, remaining: plenty)
                == .milliseconds(500))
    }

    @Test func threeRetriesAreTheDefault() {
        #expect(full.delay(after: answer(503), attempt: 3, remaining: plenty) != nil)
        #expect(full.delay(after: answer(503), attempt: 4, remaining: plenty) == nil)
        #expect(RetrySchedule(retries: 0).delay(after: answer(503), attempt: 1, remaining: plenty) == nil)
    }

    @Test(arguments: [202, 304, 408, 425, 429, 500, 501, 502, 503, 504, 599])
    func transientStatusesAreRetried(status: Int) {
        #expect(full.delay(after: answer(status), attempt: 1, remaining: plenty) != nil)
    }

    @Test(arguments: [204, 400, 401, 403, 404, 407, 410, 418, 451, 511])
    func permanentStatusesAreNotRetried(status: Int) {
        #expect(full.delay(after: answer(status), attempt: 1, remaining: plenty) == nil)
    }

    @Test func retryAfterIsHonouredUpToAMinute() {
        #expect(full.delay(after: answer(429, retryAfter: .seconds(60)), attempt: 1, remaining: plenty) == .seconds(60))
        #expect(full.delay(after: answer(429, retryAfter: .seconds(61)), attempt: 1, remaining: plenty) == nil)
        #expect(full.delay(after: answer(429, retryAfter: .zero), attempt: 1, remaining: plenty) == .milliseconds(500))
    }

    @Test func noRetryIfTheDelayReachesTheRemainingTime() {
        #expect(full.delay(after: answer(429, retryAfter: .seconds(5)), attempt: 1, remaining: .seconds(5)) == nil)
    }

    @Test func cancelledWorkIsNotRetried() {
        #expect(full.delay(after: Cancelled(), attempt: 1, remaining: plenty) == nil)
        #expect(full.delay(after: FetchFailure.noLibcurl(detail: ""), attempt: 1, remaining: plenty) == nil)
        #expect(full.delay(after: FetchFailure.cutShort(url: url, detail: ""), attempt: 1, remaining: plenty) != nil)
    }
}

@Suite struct HTTPDateTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "SUN, 06 NOV 1994 08:49:37 gmt", "sun nov  6 08:49:37 1994", "sunday, 06-NOV-94 08:49:37 Gmt",
    ])
    func allThreeDateFormsAreParsed(text: String) {
        #expect(HTTPDate.timestamp(text, now: now)?.iso8601 == "1994-11-06T08:49:37Z")
    }

    @Test func twoDigitYearIsAtMostFiftyYearsAhead() {
        #expect(HTTPDate.timestamp("Sunday, 06-Nov-77 08:49:37 GMT", now: now)?.iso8601 == "2077-11-06T08:49:37Z")
        #expect(HTTPDate.timestamp("Sunday, 06-Nov-78 08:49:37 GMT", now: now)?.iso8601 == "1978-11-06T08:49:37Z")
    }

    @Test(arguments: [
        "", "soon", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
        "1994-11-06T08:49:37Z", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov  1994 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun, Nov  6 08:49:37 1994", " Sun, 06 Nov 1994 08:49:37 GMT", ",", "     ",
    ])
    func invalidDatesAreRefused(text: String) { #expect(HTTPDate.timestamp(text, now: now) == nil) }

    /// The preferred form of a date. The day of the week, which the parser ignores, is always Sunday.
    private func text(_ time: Timestamp) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = CalendarDay(at: time)
        let (written, clock) = (day.description, time.iso8601.dropFirst(11).prefix(8))
        return "Sun, \(written.suffix(2)) \(months[day.month - 1]) \(written.prefix(4)) \(clock) GMT"
    }

    @Test func datesBeforeAndAfter1970AreExact() {
        #expect(text(Timestamp(milliseconds: 784_111_777_000)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.timestamp("Thu, 01 Jan 1970 00:00:00 GMT") == Timestamp(milliseconds: 0))
        var random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let time = Timestamp(milliseconds: Int64.random(in: -2_000_000_000...20_000_000_000, using: &random) * 1000)
            #expect(HTTPDate.timestamp(text(time)) == time)
        }
    }

    @Test func retryAfterIsSecondsOrADate() {
        func duration(_ value: String) -> Duration? {
            HTTPHeaders(["Retry-After": value]).retryAfter(now: Timestamp(milliseconds: 784_111_777_000))
        }
        #expect(duration("120") == .seconds(120))
        #expect(duration("0") == .zero)
        #expect(duration("99999999999999999999") == .seconds(31_536_000))
        #expect(duration("Sun, 06 Nov 1994 08:50:37 GMT") == .seconds(60))
        #expect(duration("Sun, 06 Nov 1994 08:00:00 GMT") == .zero)
        #expect(duration("-5") == nil)
        #expect(duration("later") == nil)
        #expect(HTTPHeaders().retryAfter(now: now) == nil)
    }
}

@Suite struct ProxyChoiceTests {
    private func choice(_ url: String, _ environment: [String: String]) throws -> ProxyChoice {
        ProxyChoice(for: try WebURL(url), environment: Environment(environment))
    }

    @Test func schemeSelectsTheVariable() throws {
        let environment = ["http_proxy": "p:1", "HTTPS_PROXY": "p:2"]
        #expect(try choice("http://a/", environment) == .proxy("p:1"))
        #expect(try choice("https://a/", environment) == .proxy("p:2"))
        #expect(try choice("https://a/", ["https_proxy": "p:3", "HTTPS_PROXY": "p:2"]) == .proxy("p:3"))
        #expect(try choice("http://a/", [:]) == .direct)
    }

    @Test func upperCaseHTTPProxyIsIgnored() throws {
        #expect(try choice("http://a/", ["HTTP_PROXY": "p:1"]) == .direct)
    }

    @Test func allProxyIsTheFallback() throws {
        #expect(try choice("http://a/", ["ALL_PROXY": "p:1", "http_proxy": ""]) == .proxy("p:1"))
        #expect(try choice("http://a/", ["all_proxy": "p:2", "http_proxy": "p:1"]) == .proxy("p:1"))
    }

    @Test(arguments: [
        ("http://example.org/", "example.org", true), ("http://a.example.org/", "example.org", true),
        ("http://a.example.org/", ".example.org", true), ("http://example.org/", ".example.org", true),
        ("http://badexample.org/", "example.org", false), ("http://EXAMPLE.org./", "x, Example.ORG.", true),
        ("http://a/", "*", true), ("http://a/", "b *", false), ("http://10.1.2.3/", "10.0.0.0/8", true),
        ("http://11.1.2.3/", "10.0.0.0/8", false), ("http://127.0.0.1/", "localhost 127.0.0.1", true),
        ("http://[::1]/", "[::1]", true), ("http://[::1]/", "::1", true), ("http://a/", "", false),
        ("http://a/", ".", false), ("http://bu\u{308}cher.example/", "BÜCHER.example", true),
    ])
    func hostsInNoProxyAreReachedDirectly(url: String, list: String, isDirect: Bool) throws {
        let expected: ProxyChoice = isDirect ? .direct : .proxy("p:1")
        #expect(try choice(url, ["http_proxy": "p:1", "no_proxy": list]) == expected)
        #expect(try choice(url, ["http_proxy": "p:1", "NO_PROXY": list]) == expected)
    }

    @Test func proxiedHostsAreJudgedByTheirAddresses() throws {
        func judge(_ url: String, _ addresses: [String], _ guarding: AddressGuard = .standard) throws {
            let found = addresses.compactMap { IPAddress($0) }
            _ = try ProxiedHosts(addressGuard: guarding, resolve: { _, _, _ in found }).judge(
                WebURL(url), over: .proxy("p:1"), connectLimit: .seconds(30), interruption: Interruption())
        }
        try judge("http://example.org/", ["8.8.8.8"])
        try judge("http://example.org/", [])
        try judge("http://10.0.0.1/", [], .allowingAll)
        #expect(throws: FetchFailure.self) { try judge("http://example.org/", ["8.8.8.8", "10.0.0.1"]) }
        #expect(throws: FetchFailure.self) { try judge("http://10.0.0.1/", []) }
        for name in ["localhost", "printer", "db.internal", "nas.local", "x.home.arpa", "a.localhost"] {
            #expect(throws: FetchFailure.self) { try judge("http://\(name)/", []) }
        }
    }
}
