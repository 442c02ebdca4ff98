import Testing

@testable import APOD

@Suite struct PlainTextTests {
    @Test func whiteSpaceOfEveryKindIsFoldedToOneBlank() {
        #expect(PlainText.folded("\n a\u{A0}\u{2003} b\r\n\tc ") == "a b c")
    }

    @Test func controlAndZeroWidthCharactersAreDroppedButJoinersStay() {
        #expect(PlainText.folded("\u{FEFF}a\u{1B}[31m\u{200B}b\u{7F}\u{9B}") == "a[31mb")
        #expect(PlainText.folded("\u{1F468}\u{200D}\u{1F680}") == "\u{1F468}\u{200D}\u{1F680}")
    }

    @Test func tagsGoAndEntitiesAreDecodedOnce() {
        #expect(PlainText.line(ofHTML: "<b>M&amp;M</b>&#039;s &amp;lt; 5 &nbsp;&#8211; x") == "M&M's &lt; 5 \u{2013} x")
    }

    @Test func textWithoutMarkupIsLeftAsItIs() {
        #expect(PlainText.lines(ofHTML: "2 > 1 \n and so on") == ["2 > 1 and so on"])
        #expect(PlainText.lines(ofHTML: " ") == [])
    }

    @Test func aLoneAngleBracketIsNoTag() {
        #expect(PlainText.line(ofHTML: "1 < 2 & 3 <4") == "1 < 2 & 3 <4")
    }

    @Test func breaksAndBlocksMakeLines() {
        #expect(PlainText.lines(ofHTML: "one<br/><br>two<p>three</p>four\nfive") == ["one", "two", "three", "four five"])
    }

    @Test func scriptsAndStylesAreNotRead() {
        #expect(PlainText.line(ofHTML: "a<script>b()</script><style>c{}</style><!-- d --> e") == "a e")
    }

    @Test func theBlankThatTheMovePutBehindLinksGoesBeforePunctuation() {
        #expect(
            PlainText.line(ofHTML: "<a href=x>Saturn</a> 's moon <a>Rhea</a> , seen (by <a>Juno</a> ) from <a>Earth</a> .")
                == "Saturn's moon Rhea, seen (by Juno) from Earth.")
    }

    @Test func otherBlanksBehindLinksStay() {
        #expect(PlainText.line(ofHTML: "<a>x</a> .5 and <a>y</a> 'sun' and z , w") == "x .5 and y 'sun' and z , w")
    }

    @Test func htmlOverTheLimitsIsRefusedRatherThanParsed() {
        let tags = String(repeating: "<b>", count: HTMLPieces.tagLimit)
        #expect(PlainText.line(ofHTML: tags + "x") == "x")
        #expect(PlainText.line(ofHTML: tags + "<b>x") == nil)
        #expect(PlainText.line(ofHTML: "<b>" + String(repeating: "x", count: HTMLPieces.byteLimit)) == nil)
    }

    @Test func theWorstHTMLWithinTheLimitsEndsSoon() {
        // Distinct attributes keep every tag in the parser's list of open formatting, which each paragraph repeats.
        let half = HTMLPieces.tagLimit / 2 - 1
        let bold = "<p>" + (0..<half).map { "<b id=\($0)>" }.joined()
        let paragraphs = String(repeating: "<p>x", count: half)
        #expect(HTMLPieces.fragment(bold + paragraphs) != nil)
        #expect(HTMLPieces.page(bold + paragraphs) != nil)
    }
}

@Suite struct CaptionTextTests {
    @Test(arguments: [
        "Explanation: Dust.", "Explanation:Dust.", " explanation : Dust. ", "Explanation: Explanation: Dust.", "Dust.",
    ])
    func theLabelOfTheExplanationIsDropped(_ text: String) {
        #expect(CaptionText.explanation([text]) == "Dust.")
    }

    @Test func anExplanationMayBeginWithTheWord() {
        #expect(CaptionText.explanation(["Explanation wanted: why?"]) == "Explanation wanted: why?")
    }

    @Test func theAnnouncementOfTomorrowIsDropped() {
        #expect(CaptionText.explanation(["Dust.", "Tomorrow's picture: open space"]) == "Dust.")
        #expect(CaptionText.explanation(["Dust.", "Tomorrow\u{2019}s Picture : open space", "A note."]) == "Dust. A note.")
        #expect(CaptionText.explanation(["Dust. Tomorrow's picture: open space"]) == "Dust.")
        #expect(CaptionText.explanation(["Dust.", "Tomorrow's picture:", "open space"]) == "Dust.")
    }

    @Test func tomorrowsPictureInASentenceStays() {
        #expect(CaptionText.explanation(["Tomorrow's picture is dust."]) == "Tomorrow's picture is dust.")
    }

    @Test func theCodeOfTheVanishedButtonIsCutOut() {
        #expect(
            CaptionText.explanation(["Dust. digg_url = 'http://x/y.html'; digg_skin = 'compact'; Note: more."])
                == "Dust. Note: more.")
        #expect(CaptionText.explanation(["Dust. digg_url = 'http://x"]) == "Dust.")
        #expect(CaptionText.explanation(["The digg_ prefix"]) == "The digg_ prefix")
    }

    @Test(arguments: ["A Ring\r\nCredit: NASA", "A Ring\nImage Credit & Copyright: X", "A\nRing\r\nCredit &\r\nCopyright: X"])
    func creditsBehindATitleAreCutOff(_ title: String) {
        #expect(CaptionText.title(title) == "A Ring")
    }

    @Test func aTitleMayBreakOrSpeakOfCredit() {
        #expect(CaptionText.title(" A Ring:\n Dust ") == "A Ring: Dust")
        #expect(CaptionText.title("Credit: Where It Is Due") == "Credit: Where It Is Due")
    }

    @Test(arguments: [
        ("Image Credit: NASA, JPL", "NASA, JPL", true, false),
        ("Image Credit & Copyright: Ada Example", "Ada Example", true, true),
        ("Illustration Credit and License: Ada Example", "Ada Example", true, true),
        ("Image Credit: NASA; Processing & License: Ada", "NASA; Processing & License: Ada", true, true),
        ("Ada Example", "Ada Example", false, false),
        (": Ada Example", "Ada Example", false, false),
        ("Image Credit & Copyright: Image Credit: Ada", "Ada", true, true),
        ("Ada (Text: Bob)", "Ada (Text: Bob)", false, false),
    ])
    func creditLinesAreReadWithoutTheirLabels(text: String, names: String, hasLabel: Bool, mentionsRights: Bool) {
        let line = CreditLine(text)
        #expect(line.names == names)
        #expect(line.hasLabel == hasLabel)
        #expect(line.mentionsRights == mentionsRights)
    }

    @Test func aLabelAloneNamesNobody() {
        #expect(CreditLine("Image Credit:").names == nil)
    }
}
