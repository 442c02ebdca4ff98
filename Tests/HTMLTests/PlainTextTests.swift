import Testing

@testable import Articles
@testable import HTML

@Suite struct PlainTextTests {
    @Test func whiteSpaceIsFoldedToASingleBlank() {
        #expect(PlainText.folded("\n a\u{A0}\u{2003} b\r\n\tc ") == "a b c")
    }

    @Test func controlAndZeroWidthCharactersAreRemovedExceptJoiners() {
        #expect(PlainText.folded("\u{FEFF}a\u{1B}[31m\u{200B}b\u{7F}\u{9B}") == "a[31mb")
        for text in ["\u{1F468}\u{200D}\u{1F680}", "\u{6CC}\u{200C}\u{627}", "e\u{301}\u{323}", "\u{2764}\u{FE0F}"] {
            #expect(PlainText.folded(text) == text)
        }
    }

    @Test(arguments: [
        ("gal\u{AD}axy", "galaxy"), ("a\u{202E}b\u{202C}", "ab"), ("a\u{2066}b\u{2069}", "ab"),
        ("\u{200F}a\u{61C}", "a"),
        ("a\u{FFF9}b", "ab"), ("a\u{2028}b\u{2029}c\u{85}d", "a b c d"), ("a\u{E0041}b", "ab"),
        (
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}"
        ),
        ("It\u{92}s \u{93}dust\u{94} \u{96} here", "It\u{2019}s \u{201C}dust\u{201D} \u{2013} here"), ("", ""),
        (" ", ""), ("a", "a"),
        ("a  b", "a b"), ("a b ", "a b"), (" a b", "a b"), ("\u{FFFD}", "\u{FFFD}"),
    ])
    func invisibleContentIsDropped(_ text: String, _ folded: String) {
        #expect(PlainText.folded(text) == folded)
        #expect(PlainText.folded(folded) == folded)
    }

    @Test(arguments: [
        ("<b>M&amp;M</b>&#039;s &amp;lt; 5 &nbsp;&#8211; x", "M&M's < 5 \u{2013} x"),
        ("caf&eacute; &#xe9; &#233;", "caf\u{E9} \u{E9} \u{E9}"),
        ("caf&amp;eacute; &amp;amp;#8217;", "caf\u{E9} \u{2019}"), ("M&ampM caf&eacute x", "M&M caf\u{E9} x"),
        ("AT&T; R&D; a&b", "AT&T; R&D; a&b"),
        ("&amp;lt;b&amp;gt; &#146;", "<b> \u{2019}"), ("&#0; &#xD800; &#x110000;", "\u{FFFD} \u{FFFD} \u{FFFD}"),
        ("gal&shy;axy&amp;shy;", "galaxy"),
        ("&bogus; &;", "&bogus; &;"),
    ])
    func entitiesAreDecodedHoweverOftenTheyWereEncoded(_ html: String, _ text: String) {
        #expect(PlainText.line(ofHTML: html) == text)
    }

    @Test(arguments: [
        ("10<sup>11</sup> suns", "10\u{B9}\u{B9} suns"), ("10<SUP>-27</SUP>", "10\u{207B}\u{B2}\u{2077}"),
        ("H<sub>2</sub>O", "H\u{2082}O"),
        ("the 21<sup>st</sup>", "the 21st"), ("10<sup> 6 </sup>km", "10\u{2076}km"), ("a<sup> </sup>b", "a b"),
    ])
    func raisedAndLoweredDigitsBecomeSuperscriptsAndSubscripts(_ html: String, _ text: String) {
        #expect(PlainText.line(ofHTML: html) == text)
    }

    @Test(arguments: [
        ("<CENTER><B>A</B></CENTER>B<HR>C", ["A", "B", "C"]),
        ("<table><tr><td>A<td>B<tr><td>C</table>", ["A", "B", "C"]),
        ("<p>A<p>B", ["A", "B"]), ("<b>A<i>B</b>C</i>", ["ABC"]), ("A<BR CLEAR=ALL>B<br/>C", ["A", "B", "C"]),
        ("A<ul><li>B<li>C</ul>", ["A", "B", "C"]),
        ("<a href=\"x\"><a href='y'>A</a> B", ["A B"]), ("A <!-- B -- C --> D", ["A D"]),
        ("A<font color=red>B", ["AB"]), ("<h1 align=center>A</h1", ["A"]),
    ])
    func handWrittenPagesAreParsedAsInBrowsers(_ html: String, _ lines: [String]) {
        #expect(PlainText.lines(ofHTML: html) == lines)
    }

    @Test(arguments: [
        ("A &amp; B", "A & B"), ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"), ("<i>A</i> B<br>C", "A B C"),
        ("a <b and c> d", "a <b and c> d"),
        ("x</", "x</"), ("caf&eacute;", "caf\u{E9}"), ("&ampM", "&ampM"), ("<broken & x", "<broken & x"),
    ])
    func markupInAPlainFieldIsRemoved(_ text: String, _ line: String) { #expect(PlainText.line(ofText: text) == line) }

    @Test(arguments: [
        (
            "&lt;b&gt;Explanation:&lt;/b&gt; Dust &lt;a href=&quot;https://x.org/?a&amp;b=1&quot;&gt;here&lt;/a&gt;.",
            "Explanation: Dust here."
        ),
        ("A&lt;br&gt;&lt;BR /&gt;B &lt;p>C", "A B C"), ("&#60;i&#62;A&#x3C;/i&#x3e; B", "A B"),
        ("&amp;lt;b&amp;gt;A&amp;lt;/b&amp;gt; &amp;amp;lt;i&amp;amp;gt;B&amp;amp;lt;/i&amp;amp;gt;", "A B"),
        ("10&lt;sup&gt;6&lt;/sup&gt;", "10\u{2076}"), ("<p>&lt;strong&gt;A&lt;/strong&gt;</p>", "A"),
    ])
    func tagsThatWereEncodedTwiceAreDecoded(_ html: String, _ text: String) {
        #expect(PlainText.line(ofHTML: html) == text)
        #expect(PlainText.line(ofText: html) == text)
    }

    @Test(arguments: [
        ("1 &lt; 2 and 3 &gt; 2", "1 < 2 and 3 > 2"), ("a&lt;b and c&gt;d", "a<b and c>d"), ("z&lt;0.1", "z<0.1"),
        ("if a &lt;b&gt; c", "if a <b> c"), ("i&lt;n&gt;", "i<n>"), ("&lt;i x=1 y&gt;z&lt;/i", "<i x=1 y>z</i"),
        ("&lt;center of mass&gt;", "<center of mass>"), ("m &lt;&lt;b&gt;&gt; M", "m <<b>> M"), ("&lt;", "<"),
        ("&lt;b", "<b"), ("&lt;object&gt;", "<object>"),
    ])
    func lessThanSignInATextIsKept(_ html: String, _ text: String) {
        #expect(PlainText.line(ofHTML: html) == text)
    }

    @Test func onlyWhiteSpaceChangesInTextWithoutMarkup() {
        #expect(PlainText.lines(ofHTML: "2 > 1 \n and so on") == ["2 > 1 and so on"])
        #expect(PlainText.lines(ofHTML: " ") == [])
    }

    @Test func loneAngleBracketIsNotATag() {
        #expect(PlainText.line(ofHTML: "1 < 2 & 3 <4") == "1 < 2 & 3 <4")
    }

    @Test func breaksAndBlocksBeginNewLines() {
        #expect(
            PlainText.lines(ofHTML: "one<br/><br>two<p>three</p>four\nfive") == ["one", "two", "three", "four five"])
    }

    @Test func scriptsAndStylesAreOmitted() {
        #expect(PlainText.line(ofHTML: "a<script>b()</script><style>c{}</style><!-- d --> e") == "a e")
    }

    @Test func blankBetweenALinkAndPunctuationIsRemoved() {
        #expect(
            PlainText.line(
                ofHTML: "<a href=x>Saturn</a> 's moon <a>Rhea</a> , seen (by <a>Juno</a> ) from <a>Earth</a> .")
                == "Saturn's moon Rhea, seen (by Juno) from Earth.")
    }

    @Test func otherBlanksAfterLinksAreKept() {
        #expect(PlainText.line(ofHTML: "<a>x</a> .5 and <a>y</a> 'sun' and z , w") == "x .5 and y 'sun' and z , w")
    }

    @Test func htmlOverTheLimitsIsRefusedRatherThanParsed() {
        let tags = String(repeating: "<b>", count: HTMLTree.tagLimit)
        #expect(PlainText.line(ofHTML: tags + "x") == "x")
        #expect(PlainText.line(ofHTML: tags + "<b>x") == nil)
        #expect(PlainText.line(ofHTML: "<b>" + String(repeating: "x", count: HTMLTree.byteLimit)) == nil)
    }

    @Test func slowestHTMLWithinTheLimitsIsParsed() {
        // Tags with distinct attributes all stay in the parser's list of open formatting elements, and each paragraph
        // repeats the whole list.
        let half = HTMLTree.tagLimit / 2 - 1
        let bold = "<p>" + (0..<half).map { "<b id=\($0) x>" }.joined()
        let paragraphs = String(repeating: "<p>x", count: half)
        #expect(PlainText.lines(ofHTML: bold + paragraphs) != nil)
        #expect(HTMLElement.all(["img"], inPage: bold + paragraphs) != nil)
    }

    @Test func aTagWithThousandsOfAttributesIsRefused() {
        func tag(_ attributes: Int) -> String {
            "<p " + (0..<attributes).map { "a\($0)" }.joined(separator: " ") + ">x"
        }
        #expect(PlainText.line(ofHTML: tag(HTMLTree.attributeLimit)) == "x")
        #expect(PlainText.line(ofHTML: tag(HTMLTree.attributeLimit + 1)) == nil)
        #expect(PlainText.line(ofHTML: "</p " + tag(HTMLTree.attributeLimit + 1).dropFirst(3)) == nil)
    }

    @Test func totalNumberOfAttributesIsLimited() {
        // Each paragraph would repeat all these attributes: 60 KB of HTML took 1.3 GB of memory.
        let bold = "<p>" + (0..<400).map { tag in "<b" + (0..<30).map { " \(tag * 30 + $0)" }.joined() + ">" }.joined()
        #expect(PlainText.line(ofHTML: bold + String(repeating: "<p>x", count: 590)) == nil)
    }

    @Test(arguments: [
        ("", 0), ("1 < 2 a b", 0), ("<p>", 0), ("<p/>", 0), ("<p a>", 1), ("<p a b=c/d e>f g", 3),
        ("<p a=\">\" b='<'c>", 3),
        ("<p a = 'b c' d>", 2), ("<p\n=a/b\tc", 3), ("</p a>", 1), ("<p a=>b c", 1), ("<p a=\"b c", 1),
        ("<!-- <p a b> -->", 2),
        ("<p a><b c d></b>", 3),
    ])
    func attributesAreCountedAsByTheHTMLTokenizer(_ html: String, _ count: Int) {
        let counted = Array(html.utf8).withUnsafeBufferPointer { TagScanner.countAttributes(in: $0, atMost: 9) }
        #expect(counted == count)
    }
}
