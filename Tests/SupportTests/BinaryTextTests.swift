import Support
import Testing

@Suite struct BinaryTextTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test func canonicallyEquivalentTextsDiffer() {
        #expect(composed == decomposed)
        #expect(BinaryText(composed) != BinaryText(decomposed))
        #expect(Set([composed, decomposed].map { BinaryText($0) }).count == 2)
        #expect(!composed.hasSameBytes(as: decomposed) && composed.hasSameBytes(as: composed))
    }

    @Test func prefixIsComparedByItsBytes() {
        #expect("\(composed)/x".removing(bytePrefix: decomposed) == nil)
        #expect("\(composed)/x".removing(bytePrefix: composed) == "/x")
        // The accent combines with the colon into one character.
        #expect("key:\u{301}x".removing(bytePrefix: "key:") == "\u{301}x")
    }
}
