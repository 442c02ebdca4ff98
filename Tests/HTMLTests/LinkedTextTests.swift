import Testing

@testable import Articles
@testable import HTML

@Suite struct LinkedTextTests {
    private func links(_ html: String) -> [[String]] {
        PlainText.linkedLines(ofHTML: html)?.map { line in
            line.parts.map { part in part.address.map { "\(part.text)>\($0)" } ?? part.text }
        } ?? []
    }

    @Test func linksHaveTheirTextAndAddress() {
        #expect(
            links("From <a href=\"https://x.org/?a=1&amp;b=2&c\"> the\n hill</a> , <A HREF=y>seen</A>'s")
                == [["From ", "the hill>https://x.org/?a=1&b=2&c", ", ", "seen>y", "'s"]])
        #expect(links("<a>no</a> <a href='x'></a><a href='x'> </a>b") == [["no b"]])
        #expect(links("<a href=x>A\u{301}</a>\u{301}B") == [["A\u{301}>x", "\u{301}B"]])
    }

    @Test func linkOverTwoLinesIsDividedAtTheLineBreak() {
        #expect(links("<a href=x>one<br>two</a> three") == [["one>x"], ["two>x", " three"]])
    }

    @Test func linkInATableIsFound() {
        #expect(links("<table><tr><td>a <a href='x&amp;y'>b</a></table>") == [["a ", "b>x&y"]])
    }

    @Test func invalidLinksAreOmitted() {
        func link(_ range: Range<Int>) -> LinkedText.Link { .init(range: range, address: "x") }
        let text = LinkedText("a\u{E9}b", links: [link(0..<1), link(0..<3), link(1..<2), link(3..<3), link(3..<5)])
        #expect(text.links == [link(0..<1)])
    }

    @Test func partOfATextKeepsItsLinks() {
        let text = LinkedText("one two three", links: [.init(range: 4..<7, address: "x")])
        #expect(text[3..<6] == LinkedText("tw", links: [.init(range: 0..<2, address: "x")]))
        #expect(text[8..<13] == LinkedText("three"))
        #expect(text[3..<4] == LinkedText(""))
    }
}
