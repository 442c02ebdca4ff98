import Testing

@testable import Placeholders

@Suite struct MessageTextTests {
    @Test func whiteSpaceAndLineBreaksBecomeOneBlank() {
        #expect(MessageText.cleaned("  one\n\ttwo\r\n\u{3000}three\u{2028} ") == "one two three")
        #expect(MessageText.cleaned(" \n ") == "")
    }

    @Test func noBreakSpaceIsKept() {
        #expect(MessageText.cleaned("10\u{A0}km") == "10\u{A0}km")
    }

    @Test func controlsAndDirectionalCharactersAreRemoved() {
        #expect(MessageText.cleaned("a\u{0}b\u{1B}c\u{7F}d\u{9B}e") == "abcde")
        #expect(MessageText.cleaned("safe\u{202E}gpj.exe\u{202C}\u{2066}\u{2069}\u{200F}\u{FEFF}") == "safegpj.exe")
        #expect(MessageText.cleaned("soft\u{AD}hyphen\u{200B}\u{E0041}\u{E000}") == "softhyphen")
    }

    @Test func zeroWidthNonJoinerIsKept() {
        #expect(MessageText.cleaned("می\u{200C}خواهم") == "می\u{200C}خواهم")
    }

    @Test func stackedCombiningMarksAreLimited() {
        let tower = "e" + String(repeating: "\u{301}", count: 300)
        #expect(MessageText.cleaned(tower).unicodeScalars.count == 1 + MessageText.markLimit)
    }

    @Test func anOverlongMessageEndsInAnEllipsis() {
        let cleaned = MessageText.cleaned(String(repeating: "x", count: 1_000_000))
        #expect(cleaned.unicodeScalars.count == MessageText.limit + 1)
        #expect(cleaned.hasSuffix("x…"))
    }

    @Test func languageIsRecognisedByItsLetters() {
        #expect(MessageText.language(of: "画像はありません") == "ja")
        #expect(MessageText.language(of: "图片") == "zh-cn")
        #expect(MessageText.language(of: "이미지 畵像") == "ko")
        #expect(MessageText.language(of: "Größe σ") == nil)
    }

    @Test func koreanWrapsOnlyAtBlanks() {
        #expect(MessageText.joined("이미지 a가b") == "이\u{2060}미\u{2060}지 a가b")
    }

    @Test func charactersWithoutAFontAreRemovedAndNamedOnce() {
        let (text, missing) = MessageText.covered("a\u{301}xbx c\u{A0}d") { $0 != "x" }
        #expect(text == "a\u{301}b c\u{A0}d")
        #expect(missing == ["x"])
        let many = MessageText.warning(["\u{10AC0}", "A", "B", "C", "D"])
        #expect(many == "no font contains U+10AC0, U+0041, U+0042 and 2 more; the message is drawn without them")
    }
}
