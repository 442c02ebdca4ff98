import CGumbo
import TestSupport
import Testing

@testable import Articles
@testable import HTML

/// What is read without a parser is read as the parser reads it.
@Suite struct SimpleHTMLTests {
    /// Everything that a visitor is told.
    private struct Steps: HTMLVisitor {
        var steps: [String] = []

        mutating func open(_ tag: GumboTag, _ attributes: TagAttributes) {
            steps.append("<\(tag.rawValue) \(attributes["href"] ?? "")>")
        }
        mutating func close(_ tag: GumboTag) { steps.append("</\(tag.rawValue)>") }
        mutating func text(_ text: UnsafeBufferPointer<UInt8>) { steps.append(String(decoding: text, as: UTF8.self)) }
    }

    private func simple(_ html: String) -> [String]? {
        var html = html
        var steps = Steps()
        return html.withUTF8 { SimpleHTML.visit($0, &steps) } ? steps.steps : nil
    }

    private func tree(_ html: String) -> [String]? {
        var html = html
        var steps = Steps()
        guard html.withUTF8({ HTMLTree.visit($0, as: .fragment, &steps) }) else { return nil }
        // Around all stands the root.
        return Array(steps.steps.dropFirst().dropLast())
    }

    @Test(arguments: [
        "<strong> Explanation: </strong> Dust &amp; <a href=\"https://x.org/?a=1&b=2\" target=_blank>gas</a> , seen.",
        "<p>a &#039;b&#8217; &lt;c&gt;</p> <B>d</b><br/>e<BR CLEAR=ALL>f &nbsp; & g", "10<sup>11</sup> \u{A0}\u{2019}",
        "<center><b><i>a</i></b></center>",
    ])
    func captionsNeedNoParser(_ html: String) {
        #expect(simple(html) != nil)
        #expect(simple(html) == tree(html))
    }

    @Test(arguments: [
        "<b>a<i>b</b>c</i>", "<p>a<p>b", "<p>a<div>b</div></p>", "<a>b<a>c</a></a>", "</p>", "</br>", "<br",
        "a<b/>c</b>",
        "<a b='<c>'>d</a>", "&eacute", "&amp", "&#146;", "&#0;", "a\u{0}b", "a\u{92}b", "a\u{FFFE}", "<!-- a -->",
        "<b>a",
        "<script>a</script>", "<b\u{0}>a</b>", "<table>a</table>", "\u{1F30C}",
    ])
    func theRestIsLeftToTheParser(_ html: String) { #expect(simple(html) == nil) }

    @Test func randomHTMLIsReadAsTheParserReadsIt() {
        let pieces = [
            "a", " ", "b c", ".", "\n", "\t", "<", ">", "&", "&amp;", "&lt;", "&#233;", "&#1234567;", "&copy;", "&amp",
            "\u{A0}", "\u{2019}", "\u{E9}", "<p>", "</p>", "<P >", "<a href=x>", "<a href='y z' b=\"c\">", "</a>",
            "</A>",
            "<b>", "</b>", "<i>", "</i>", "<sup>", "</sup>", "<br>", "<br />", "<div>", "</div>", "<center>",
            "</center>",
            "<font color=red>", "</font>", "<hr>", "<li>", "'", "\"", "/", "=", "</", "<!",
        ]
        var read = 0
        for seed in 0..<4000 {
            var random = SeededRandom(seed: UInt64(seed))
            var html = ""
            var open: [String] = []
            for _ in 0..<1 + random.below(12) {
                let piece = pieces[random.below(pieces.count)]
                html += piece
                // Half of the tags are closed in order, so that a good part needs no parser.
                if piece.hasPrefix("<"), piece.hasSuffix(">"),
                    let name = piece.split(whereSeparator: { "< >".contains($0) }).first,
                    name.first != "/", name != "br", random.below(2) == 0
                {
                    open.append(String(name))
                }
                if !open.isEmpty, random.below(3) == 0 { html += "</\(open.removeLast())>" }
            }
            for name in open.reversed() { html += "</\(name)>" }
            guard let steps = simple(html) else { continue }
            read += 1
            #expect(steps == tree(html), "seed \(seed): \(html)")
            #expect(
                PlainText.linkedLines(ofHTML: html)?.map(\.text) == PlainText.lines(ofHTML: html),
                "seed \(seed): \(html)")
        }
        #expect(read > 300)
    }
}
