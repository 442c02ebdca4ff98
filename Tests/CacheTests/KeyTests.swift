import HTTP
import Support
import Testing

@testable import Cache

@Suite struct KeyTests {
    @Test func digestIsThatOfTheStandard() {
        #expect(SHA256.hex(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(SHA256.hex(of: "") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func keyOfAnAddressIsItsNormalForm() throws {
        let written = CacheKey(url: try WebURL("HTTPS://user:word@Pictures.example:443/a/../b.jpg?x=1#top"))

        #expect(written.text == "https://pictures.example/b.jpg?x=1")
    }

    @Test func ignoredQueryParametersAreLeftOut() throws {
        let url = try WebURL("https://pictures.example/a.jpg?w=100&v=2&h=50")

        #expect(CacheKey(url: url, ignoringQuery: ["w", "h"]).text == "https://pictures.example/a.jpg?v=2")
        #expect(CacheKey(url: url, ignoringQuery: ["w", "h", "v"]).text == "https://pictures.example/a.jpg")
    }

    @Test func secretsOfAnAddressAreNotInItsKeyYetTellKeysApart() throws {
        let mars = CacheKey(url: try WebURL("https://pictures.example/a?api_key=opensesame&x=1"))
        let moon = CacheKey(url: try WebURL("https://pictures.example/a?api_key=abracadabra&x=1"))

        #expect(!mars.text.contains("opensesame"))
        #expect(mars != moon)
        #expect(mars.text.hasSuffix("&x=1"))
    }

    @Test func keyThatIsReadAsAnAddressAgainIsTheSame() throws {
        let key = CacheKey(url: try WebURL("https://pictures.example/a?token=opensesame"))

        #expect(CacheKey(url: try WebURL(key.text)) == key)
        #expect(try CacheKey(custom: key.text).name == key.name)
    }

    @Test(arguments: ["", "a\nb", "a\u{0}b", String(repeating: "x", count: 65_537)])
    func unusableKeyIsRefused(_ text: String) {
        #expect(throws: CacheFailure.self) { try CacheKey(custom: text) }
    }

    @Test func scopeNameMayBeAnythingPrintable() throws {
        let name = try ScopeName("../../Ünïcode scope / 1")

        #expect(name.hash.count == 32)
        #expect(name.hash.allSatisfy { "0123456789abcdef".contains($0) })
    }

    @Test(arguments: ["", "a\tb", String(repeating: "x", count: 256)])
    func unusableScopeNameIsRefused(_ text: String) {
        #expect(throws: CacheFailure.self) { try ScopeName(text) }
    }

    @Test func variantNeverHasTheNameOfAnOriginal() throws {
        #expect(try key("a").variantName("b") != key("ab").name)
        #expect(try key("a").variantName("bc") != key("ab").variantName("c"))
    }
}
