import Support
import TestSupport
import Testing

@testable import Remote
@testable import Store

@Suite struct RemoteAddressTests {
    @Test(arguments: [
        ("https://cache.example.org/pictures", "https://cache.example.org/pictures"),
        ("http://user:secret@10.0.0.5:8080/", "http://10.0.0.5:8080/"),
        ("redis://cache.example.org", "redis://cache.example.org:6379/0"),
        ("redis://user:secret@[::1]:6380/3", "redis://[::1]:6380/3"),
        ("REDIS://cache.example.org/", "redis://cache.example.org:6379/0"),
        ("file:///mnt/pictures", "file:///mnt/pictures"), ("file:/mnt/a%20b", "file:///mnt/a b"),
    ])
    func addressesArePrintedWithoutSecrets(_ text: String, _ shown: String) throws {
        let address = try RemoteAddress(text)
        #expect(address.description == shown)
    }

    @Test(arguments: [
        (
            ["", "cache.example.org", "ftp://cache.example.org/", "rediss://cache.example.org"],
            "it must begin with http:, https:, redis: or file:"
        ),
        (
            ["redis://h/x", "redis://h/-1", "redis://h/99999999999999999999"],
            "the path of a redis address must be a database number, such as /0"
        ),
        (["redis://h/0?a=b", "https://h/?key=1", "https://h/#x"], "it must not have a query or a fragment"),
        (
            ["file:", "file:relative", "file://", "file:///a%00b"],
            "a file address must have an absolute path, such as file:///mnt/pictures"
        ),
        (["https://h//pictures"], "its path begins with two slashes"),
        (
            ["http://", "redis://"],
            "\"http://\" names no server; write the server after the two slashes, as in https://example.org/"
        ),
    ])
    func invalidAddressesAreRefused(_ texts: [String], _ fault: String) {
        for text in texts {
            #expect(
                summary { _ = try RemoteAddress(text) } == "78 bad-remote: invalid address of a remote: \(fault)",
                "\(text)")
        }
    }

    @Test func everyFailureHasASubject() {
        let rows: [(RemoteFailure, String)] = [
            (.badKey("R"), "78 bad-remote-key: invalid key of the remote: R"),
            (.refused("R"), "77 remote-refused: R"), (.failed("R"), "75 remote-failed: R"),
            (.damaged("R"), "65 remote-damaged: damaged entry: R"),
            (.givenUp, "75 remote-given-up: the time limit for the remote has expired"),
            (
                SyncList.tooLong,
                """
                75 remote-failed: the remote's list of entries is too long; share several smaller scopes \
                (remote_scopes)
                """
            ),
            (
                RedisServer.unexpected,
                "75 remote-failed: the Redis server sent a reply of an unexpected type"
            ),
            (
                RedisConnection.failure(ofRefusal: "ERR unknown command 'SECRET'"),
                "77 remote-refused: the Redis server does not support a required command"
            ),
            (
                RedisConnection.failure(ofRefusal: "NOPERM no"),
                "77 remote-refused: the Redis server reported an error: NOPERM no"
            ),
            (
                RedisConnection.failure(ofRefusal: "OOM no"),
                "75 remote-failed: the Redis server reported an error: OOM no"
            ),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }

    @Test func scopesAreAListOfNamesOrAnAsterisk() throws {
        let alice = try ScopeName("alice")
        #expect(RemoteScopes.standard.contains(.standard) && !RemoteScopes.standard.contains(alice))
        #expect(try RemoteScopes("default,alice").contains(alice))
        #expect(try RemoteScopes("*").contains(alice))
        #expect(try !RemoteScopes("").contains(.standard))
        #expect(throws: CacheFailure.self) { try RemoteScopes("a\u{7}b") }
    }

    @Test func timeoutsAreDerivedFromTheConnectTimeout() {
        let timeouts = RemoteSettings.Timeouts(connect: .milliseconds(250))
        #expect(timeouts.connect == .milliseconds(250))
        #expect(timeouts.answer == .seconds(1))
        #expect(timeouts.stall == .seconds(2))
        #expect(timeouts.patience == .seconds(4))
        #expect(timeouts.claims == .seconds(25))
        #expect(RemoteSettings.Timeouts(connect: .seconds(1)).stall == .seconds(8))
    }
}

@Suite struct CircuitTests {
    /// Returns whether each failure opened the breaker.
    private func failures(_ count: Int, _ breaker: inout CircuitBreaker) -> [Bool] {
        (0..<count).map { _ in breaker.noteFailure(isFinal: false) }
    }

    @Test func fiveConsecutiveFailuresOpenTheBreaker() {
        var breaker = CircuitBreaker()
        let first = failures(4, &breaker)
        breaker.noteSuccess()
        let second = failures(4, &breaker)
        #expect(!(first + second).contains(true) && !breaker.isOpen)
        // The breaker reports its opening once, and stays open.
        let third = failures(2, &breaker)
        #expect(third == [true, false])
        breaker.noteSuccess()
        #expect(breaker.isOpen)
    }

    @Test func finalFailureOpensTheBreaker() {
        var breaker = CircuitBreaker()
        let hasOpened = breaker.noteFailure(isFinal: true)
        #expect(hasOpened && breaker.isOpen)
    }
}
