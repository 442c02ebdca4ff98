import HTML
import Records
import Testing

@testable import APOD
@testable import Articles

@Suite struct ArticleTests {
    private let html =
        "<strong>Explanation:</strong> Dust <a href='/ring'>circles</a> a star.<br><br><b>Note:</b> The "
        + "<a href='https://x.org/'>site</a> moves.<br><b>Tomorrow's picture: </b><a href='https://x.org/b'>open space</a>"

    private func article(_ explanation: String) throws -> Article {
        let picture = try ScienceAnswer.picture(
            from: scienceAnswer("2026-11-20", ["explanation": .string(explanation)]))
        return Article(picture.explanation, layout: picture.layout)
    }

    @Test func articleHasTextParagraphsAndLinks() throws {
        let article = try article(html)
        #expect(article.text == "Dust circles a star. Note: The site moves.")
        #expect(article.paragraphs.map(\.text) == ["Dust circles a star.", "Note: The site moves."])
        #expect(
            article.paragraphs.map { $0.links.map(\.address) } == [
                ["https://science.example.org/ring"], ["https://x.org/"],
            ])
        #expect(article.paragraphs[1].parts.map(\.text) == ["Note: The ", "site", " moves."])
    }

    @Test func onlyWebAddressesBecomeLinks() throws {
        #expect(
            try article("<a href='javascript:alert(1)'>A</a> <a href='mailto:a@x.org'>B</a> <a href=''>C</a>").layout
                .isEmpty)
    }

    @Test func paragraphWithOnlyALabelIsDropped() throws {
        #expect(try article("<p><b>Explanation:</b></p><p>Dust.</p>").paragraphs == [LinkedText("Dust.")])
        #expect(try article("<p><a href=x>Explanation</a>: Dust</p>").paragraphs == [LinkedText("Dust")])
    }

    @Test func layoutRangesCountUTF8Bytes() throws {
        #expect(
            try article("<p>\u{C9}toile <a href='/d'>d\u{E9}j\u{E0}</a>.</p><p>Fin.</p>").layout.line
                == Array(
                    (#"{"paragraphs":[{"start":0,"end":15},{"start":16,"end":20}],"#
                        + #""marks":[{"start":8,"end":14,"href":"https://science.example.org/d"}]}"#).utf8))
        #expect(try article("<p>One.</p>").layout.line == Array("{}".utf8))
    }

    @Test(arguments: [
        #""0 4 https://x.org/""#, "7", "null", "[]", "[1,2]", #"[{"start":0,"end":4}]"#,
        #"[{"start":"0","end":"4","href":"x"}]"#, #"[{"start":4,"end":2,"href":"x"}]"#,
        #"[{"start":1,"end":1,"href":"x"}]"#, #"[{"start":0,"end":99,"href":"x"}]"#,
        #"[{"start":-1,"end":3,"href":"x"}]"#, #"[{"start":0,"end":99999999999999999999,"href":"x"}]"#,
        // These offsets are in the middle of a character.
        #"[{"start":0,"end":5,"href":"x"}]"#, #"[{"start":5,"end":8,"href":"x"}]"#,
        #"[{"start":0.0,"end":4.0,"href":"x"}]"#, #"{"start":9223372036854775807,"end":-9223372036854775808}"#,
    ])
    func invalidRangesAreIgnored(_ value: String) throws {
        for field in ["marks", "paragraphs"] {
            let layout = try Record(parsing: Array(#"{"\#(field)":\#(value)}"#.utf8))
            #expect(Article("Dust\u{E9} and gas", layout: layout).paragraphs == [LinkedText("Dust\u{E9} and gas")])
        }
    }

    @Test func paragraphsCoverTheWholeText() throws {
        for (ranges, texts) in [
            ([0..<3, 4..<7], ["One", "two three"]), ([4..<5, 8..<9], ["One", "two", "three"]),
            ([8..<13, 4..<7], ["One two", "three"]), ([5..<7], ["One two three"]), ([4..<99], ["One", "two three"]),
        ] {
            var layout = Record()
            layout.set("paragraphs", .array(ranges.map(paragraph)))
            #expect(Article("One two three", layout: layout).paragraphs.map(\.text) == texts)
        }
    }
}

func paragraph(_ range: Range<Int>) -> JSON {
    .object(["start": .integer(range.lowerBound), "end": .integer(range.upperBound)])
}

func mark(_ range: Range<Int>, _ address: String) -> JSON {
    .object(["start": .integer(range.lowerBound), "end": .integer(range.upperBound), "href": .string(address)])
}
