import HTTP
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

@Suite struct AddressPatternTests {
    private func matches(_ pattern: String, _ address: String) throws -> Bool {
        try #require(AddressPattern(pattern)).matches(WebURL(address).normalized)
    }

    @Test(arguments: [
        ("sensitive", "https://pictures.example/sensitive/a.jpg"),
        ("pictures.example", "https://pictures.example/a.jpg"),
        ("Pictures.EXAMPLE/a", "https://pictures.example/a.jpg"),
        ("/a.jpg", "https://pictures.example/a.jpg"),
        ("id=7", "https://pictures.example/a?id=7"),
        ("à la carte", "https://pictures.example/%C3%A0%20la%20carte.jpg"),
        ("bu\u{308}cher.example", "https://bücher.example/a.jpg"),
        ("https://BÜCHER.example/ä", "https://bücher.example/ä.jpg"),
    ])
    func patternWithoutWildcardsMatchesASubstring(_ pattern: String, _ address: String) throws {
        #expect(try matches(pattern, address))
    }

    @Test(arguments: [
        ("Sensitive", "https://pictures.example/sensitive/a.jpg"),
        ("example/A", "https://pictures.example/a.jpg"),
        ("sensitive", "https://pictures.example/a.jpg"),
        ("https://pictures.example/a.jpg/and/more", "https://pictures.example/a.jpg"),
    ])
    func patternWithoutWildcardsDoesNotMatchOtherAddresses(_ pattern: String, _ address: String) throws {
        #expect(try !matches(pattern, address))
    }

    @Test(arguments: [
        ("https://*.example/*", "https://pictures.example/a.jpg"),
        ("HTTPS://Pictures.Example/*", "https://pictures.example/a.jpg"),
        ("pictures.example/*", "https://pictures.example/a.jpg"),
        ("/private/*", "https://pictures.example/private/a.jpg?v=2"),
        ("*.jpg", "https://pictures.example/a/b/c.jpg"),
        ("/?.jpg", "https://pictures.example/a.jpg"),
        ("*", "https://pictures.example/"),
        ("*v=?", "https://pictures.example/a.jpg?v=2"),
        ("/a*b*c**", "https://pictures.example/aXbXbXc"),
        ("https://*.bücher.example/*/ä?", "https://a.bücher.example/private/äb"),
        ("bücher.*/ä*", "https://bücher.example/ä.jpg"), ("*/ä*", "https://bücher.example/ä.jpg"),
    ])
    func globMatchesAWholeAddressHostOrPath(_ pattern: String, _ address: String) throws {
        #expect(try matches(pattern, address))
    }

    @Test(arguments: [
        ("private/*", "https://pictures.example/private/a.jpg"),
        ("/private/*", "https://pictures.example/public/private/a.jpg"),
        ("*.png", "https://pictures.example/a.jpg"),
        ("/A*", "https://pictures.example/a.jpg"),
        ("/a.jpg?", "https://pictures.example/a.jpg"),
        ("http://*", "https://pictures.example/a.jpg"),
        ("/a*b*c", "https://pictures.example/aXcXb"),
        ("bücher.example/*", "https://pictures.example/bücher.example/"),
        ("/bücher.example", "https://bücher.example/"),
    ])
    func globDoesNotMatchPartOfAnAddress(_ pattern: String, _ address: String) throws {
        #expect(try !matches(pattern, address))
    }

    @Test func patternMatchesFileAddressesAndCustomKeys() throws {
        #expect(try #require(AddressPattern("file:///home/me/*")).matches("file:///home/me/a.jpg"))
        #expect(try #require(AddressPattern("/home/me/*")).matches("file:///home/me/a.jpg"))
        #expect(try #require(AddressPattern("my-*")).matches("my-photo"))
        #expect(try !#require(AddressPattern("*photo?")).matches("my-photo"))
    }

    @Test(arguments: ["", "a\nb", String(repeating: "x", count: 4097)])
    func invalidPatternIsRefused(_ text: String) {
        #expect(AddressPattern(text) == nil)
    }

    /// Backtracking at each star would take exponential time.
    @Test func hostilePatternTakesLinearTime() throws {
        let pattern = String(repeating: "*a", count: 1000) + "b"
        let address = "https://pictures.example/" + String(repeating: "a", count: 4000)

        #expect(try !matches(pattern, address))
    }
}
