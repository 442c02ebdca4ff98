import HTML
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
        return Article(picture.explanation, marks: picture.marks)
    }

    @Test func paragraphsAndLinksAreKeptBesideTheText() throws {
        let article = try article(html)
        #expect(article.text == "Dust circles a star. Note: The site moves.")
        #expect(article.paragraphs.map(\.text) == ["Dust circles a star.", "Note: The site moves."])
        #expect(
            article.paragraphs.map { $0.links.map(\.address) } == [
                ["https://science.example.org/ring"], ["https://x.org/"],
            ])
        #expect(article.paragraphs[1].parts.map(\.text) == ["Note: The ", "site", " moves."])
    }

    @Test func addressesThatAreNotForTheWebAreNoLinks() throws {
        #expect(
            try article("<a href='javascript:alert(1)'>A</a> <a href='mailto:a@x.org'>B</a> <a href=''>C</a>").marks
                == nil)
    }

    @Test func aLabelInAParagraphOfItsOwnIsDropped() throws {
        #expect(try article("<p><b>Explanation:</b></p><p>Dust.</p>").paragraphs == [LinkedText("Dust.")])
        #expect(try article("<p><a href=x>Explanation</a>: Dust</p>").paragraphs == [LinkedText("Dust")])
    }

    @Test(arguments: [
        "x", "0", "-1", "5", "99", "4 2 https://x.org/", "0 99 https://x.org/", "1 1 https://x.org/",
        "-1 3 https://x.org/",
        "99999999999999999999 1 x", "2", "", "\n\n", "5\n5\n3",
    ])
    func marksThatDoNotFitAreNone(_ marks: String) {
        #expect(Article("Dust\u{E9} and gas", marks: marks).paragraphs == [LinkedText("Dust\u{E9} and gas")])
    }
}
