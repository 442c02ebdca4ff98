import Support
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
        "", "cache.example.org", "ftp://cache.example.org/", "rediss://cache.example.org", "redis://", "redis://h/x",
        "redis://h/-1", "redis://h/99999999999999999999", "redis://h/0?a=b", "https://h/?key=1", "https://h/#x",
        "file:",
        "file:relative", "file://", "file:///a%00b", "http://", "https://h//pictures",
    ])
    func invalidAddressesAreRefused(_ text: String) {
        #expect(throws: RemoteFailure.self) { try RemoteAddress(text) }
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
