import Support
import TestSupport
import Testing

@Suite struct Base64Tests {
    /// The test vectors of RFC 4648 §10, and a text with the digit `/`.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("\u{FF}?>", "w78/Pg=="),
    ])
    func encodingMatchesRFC4648(text: String, digits: String) {
        #expect(Base64.encoded(text.utf8) == digits)
        #expect(Base64.decoded(digits) == Array(text.utf8))
    }

    @Test func decodingReversesEncoding() {
        var random = SeededRandom(name: "base64")
        for _ in 0..<500 {
            let bytes = random.bytes(random.below(40))
            #expect(Base64.decoded(Base64.encoded(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "====", "Z===", "Zh==", "Zm9=", "Zm 9", "Zg==Zg==", "Zm9\n", "Zm_-", "é",
    ])
    func invalidBase64IsRefused(_ text: String) { #expect(Base64.decoded(text) == nil) }
}
