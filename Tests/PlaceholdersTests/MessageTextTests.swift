import Testing

@testable import Placeholders

@Suite struct MessageTextTests {
    @Test func blanksAndLineBreaksBecomeOneBlank() {
        #expect(MessageText.cleaned("  one\n\ttwo\r\n\u{3000}three\u{2028} ") == "one two three")
        #expect(MessageText.cleaned(" \n ") == "")
    }

    @Test func whatHoldsWordsTogetherStays() {
        #expect(MessageText.cleaned("10\u{A0}km") == "10\u{A0}km")
    }

    @Test func controlsAndMarksOfDirectionAreDropped() {
        #expect(MessageText.cleaned("a\u{0}b\u{1B}c\u{7F}d\u{9B}e") == "abcde")
        #expect(MessageText.cleaned("safe\u{202E}gpj.exe\u{202C}\u{2066}\u{2069}\u{200F}\u{FEFF}") == "safegpj.exe")
        #expect(MessageText.cleaned("soft\u{AD}hyphen\u{200B}\u{E0041}\u{E000}") == "softhyphen")
    }

    @Test func joinersStayAsLettersDependOnThem() {
        #expect(MessageText.cleaned("می\u{200C}خواهم") == "می\u{200C}خواهم")
    }

    @Test func towersOfMarksAreLevelled() {
        let tower = "e" + String(repeating: "\u{301}", count: 300)
        #expect(MessageText.cleaned(tower).unicodeScalars.count == 1 + MessageText.markLimit)
    }

    @Test func aVeryLongMessageIsCut() {
        let cleaned = MessageText.cleaned(String(repeating: "x", count: 1_000_000))
        #expect(cleaned.unicodeScalars.count == MessageText.limit + 1)
        #expect(cleaned.hasSuffix("x…"))
    }

    @Test func theLettersTellWhichIdeographsAreMeant() {
        #expect(MessageText.language(of: "画像はありません") == "ja")
        #expect(MessageText.language(of: "图片") == "zh-cn")
        #expect(MessageText.language(of: "이미지 畵像") == "ko")
        #expect(MessageText.language(of: "Größe σ") == nil)
    }
}

@Suite struct LineBreakingTests {
    private func parts(_ text: String) -> [String] {
        let characters = Array(text)
        return LineBreaking.parts(of: characters).map { String(characters[$0]) }
    }

    @Test func linesBreakAtBlanks() {
        #expect(parts("No picture  today") == ["No", "picture", "today"])
        #expect(parts(" one ") == ["one"])
        #expect(parts("") == [])
    }

    @Test func blanksThatHoldWordsTogetherDoNotBreak() {
        #expect(parts("10\u{A0}km away") == ["10\u{A0}km", "away"])
    }

    @Test func linesBreakBetweenIdeographsButNotBeforeClosingPunctuation() {
        #expect(parts("画像。「今日」です") == ["画", "像。", "「今", "日」", "で", "す"])
        #expect(parts("データー") == ["デー", "ター"])
        #expect(parts("本日のAPOD画像") == ["本", "日", "の", "APOD", "画", "像"])
    }

    @Test func koreanBreaksAtItsBlanks() {
        #expect(parts("이미지를 불러올 수 없습니다") == ["이미지를", "불러올", "수", "없습니다"])
    }

    @Test func linesBreakBehindHyphensAndSlashesOfWordsButNotOfNumbers() {
        let expected = ["well-", "known", "2026-11-21", "-5", "https://", "a.b/", "c"]
        #expect(parts("well-known 2026-11-21 -5 https://a.b/c") == expected)
    }
}
