import Testing

@testable import Support

@Suite struct TextOutputTests {
    private func escaped(_ bytes: [UInt8], _ form: TextOutput.Form) -> String {
        String(decoding: TextOutput.escaped(bytes, as: form), as: UTF8.self)
    }

    @Test(arguments: [
        ("a\u{1B}]0;title\u{7}b", #"a\u{1b}]0;title\u{7}b"#), ("\u{9B}31m\u{85}\u{7F}", #"\u{9b}31m\u{85}\u{7f}"#),
        (
            "a\u{202E}b\u{2066}c\u{200B}d\u{200D}e\u{FEFF}f\u{AD}",
            #"a\u{202e}b\u{2066}c\u{200b}d\u{200d}e\u{feff}f\u{ad}"#
        ),
        ("\u{2028}\u{E0041}\u{0}", #"\u{2028}\u{e0041}\u{0}"#), ("two\nlines\tand a tab\n", "two\nlines\tand a tab\n"),
        ("over\rwritten", "over written"), ("Über M31 ☄ 銀河", "Über M31 ☄ 銀河"), ("", ""),
    ])
    func textIsEscapedForATerminal(_ text: String, _ shown: String) {
        #expect(escaped(Array(text.utf8), .plain) == shown)
    }

    @Test(arguments: [
        ("{\"a\":\"\u{9B}31m\u{7F}\"}", #"{"a":"\u009b31m\u007f"}"#), ("\"\u{202E}\u{200B}\"", #""\u202e\u200b""#),
        ("\"\u{E0041}\"", #""\udb40\udc41""#), ("{\n  \"ä\": \"銀\"\n}", "{\n  \"ä\": \"銀\"\n}"),
    ])
    func escapedJSONKeepsItsValue(_ json: String, _ shown: String) {
        #expect(escaped(Array(json.utf8), .json) == shown)
    }

    @Test func invalidUTF8IsEscaped() {
        // Terminals that do not use UTF-8 read 0x9B as a C1 control.
        #expect(escaped([0x61, 0x9B, 0x33, 0xC3], .plain) == #"a\x9b3\xc3"#)
        #expect(escaped([0x22, 0x9B, 0x22], .json) == "\"\u{FFFD}\"")
    }

    @Test func everyUnseenCharacterIsEscaped() {
        for value: UInt32 in 0...0xE0100 {
            guard let scalar = Unicode.Scalar(value), scalar.isUnseen, scalar != "\n", scalar != "\t" else { continue }
            for form in [TextOutput.Form.plain, .json] {
                let shown = escaped(Array("a\(scalar)b".utf8), form)
                #expect(shown.unicodeScalars.allSatisfy { !$0.isUnseen })
            }
        }
    }
}
