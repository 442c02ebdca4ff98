import Testing

@testable import Support

/// The width of text on a terminal.
struct TerminalColumnsTests {
    @Test(arguments: [
        ("abc", 3), ("", 0), ("星雲", 4), ("é", 1), ("e\u{301}", 1), ("👩‍🚀", 2), ("❤️", 2), ("ｱ", 1), ("Ａ", 2),
    ])
    func widthsMatchTerminals(_ text: String, _ columns: Int) { #expect(TerminalText.columns(text) == columns) }

    @Test func truncatedTextHasAnEllipsis() {
        #expect(TerminalText.cut("nebula", toColumns: 6).text == "nebula")
        #expect(TerminalText.cut("nebula", toColumns: 5).text == "nebu…")
        #expect(TerminalText.cut("nebula", toColumns: 1).text == "…")
        #expect(TerminalText.cut("nebula", toColumns: 0).text == "")
        #expect(TerminalText.cut("星雲星", toColumns: 5).text == "星雲…")
        #expect(TerminalText.cut("星雲星", toColumns: 4).text == "星…")
        #expect(TerminalText.cut("星雲星", toColumns: 4).columns == 3)
        #expect(TerminalText.cut(middleOf: "nebula", toColumns: 6) == "nebula")
        #expect(TerminalText.cut(middleOf: "nebulae", toColumns: 6) == "ne…lae")
        #expect(TerminalText.cut(middleOf: "星雲星雲", toColumns: 7) == "星…星雲")
    }

    @Test(arguments: [
        ("a ring of dust", 7, ["a ring", "of dust"]), ("a ring", 6, ["a ring"]), ("a ring", 5, ["a", "ring"]),
        ("", 5, []), (" a  b ", 5, ["a b"]), ("nebulae of", 4, ["nebu", "lae", "of"]), ("星雲 星雲", 6, ["星雲", "星雲"]),
        ("星雲星", 4, ["星雲", "星"]), ("星", 1, ["星"]), ("a\u{301}b\u{301}c", 2, ["a\u{301}b\u{301}", "c"]),
        ("ab", 0, ["a", "b"]),
        ("👩‍🚀👩‍🚀 x", 3, ["👩‍🚀", "👩‍🚀", "x"]),
    ])
    func textIsWrappedAtSpacesByColumns(_ text: String, _ limit: Int, _ lines: [String]) {
        #expect(TerminalText.wrapped(text, toColumns: limit) == lines)
    }
}
