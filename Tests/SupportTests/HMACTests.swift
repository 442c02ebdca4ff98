import Support
import Testing

@Suite struct HMACTests {
    /// RFC 4231, test cases 1, 2 and 6.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func signaturesMatchRFC4231(_ key: [UInt8], _ text: String, _ signature: String) {
        #expect(HMAC.hex(of: Array(text.utf8), key: key) == signature)
        #expect(HMAC.matches(signature, Array(text.utf8), key: key))
    }

    @Test func signatureMatchesOnlyItsBytesAndKey() {
        let signature = HMAC.hex(of: [1, 2, 3], key: [4])
        #expect(!HMAC.matches(signature, [1, 2, 4], key: [4]))
        #expect(!HMAC.matches(signature, [1, 2, 3], key: [5]))
        #expect(!HMAC.matches("", [1, 2, 3], key: [4]))
        #expect(!HMAC.matches(String(signature.dropLast()), [1, 2, 3], key: [4]))
    }
}
