import Testing

@testable import APOD
@testable import Articles
@testable import HTML

@Suite struct CaptionTextTests {
    private func explanation(_ lines: [String]) -> String {
        CaptionText.explanation(lines.map { LinkedText(PlainText.folded($0)) }).text
    }

    @Test(arguments: [
        "Explanation: Dust.", "Explanation:Dust.", " explanation : Dust. ", "Explanation: Explanation: Dust.", "Dust.",
    ])
    func labelOfTheExplanationIsRemoved(_ text: String) {
        #expect(explanation([text]) == "Dust.")
    }

    @Test func explanationMayBeginWithTheWordExplanation() {
        #expect(explanation(["Explanation wanted: why?"]) == "Explanation wanted: why?")
    }

    @Test func announcementOfTomorrowsPictureIsRemoved() {
        #expect(explanation(["Dust.", "Tomorrow's picture: open space"]) == "Dust.")
        #expect(
            explanation(["Dust.", "Tomorrow\u{2019}s Picture : open space", "A note."]) == "Dust. A note.")
        #expect(explanation(["Dust. Tomorrow's picture: open space"]) == "Dust.")
        #expect(explanation(["Dust.", "Tomorrow's picture:", "open space"]) == "Dust.")
    }

    @Test func aSentenceAboutTomorrowsPictureIsKept() {
        #expect(explanation(["Tomorrow's picture is dust."]) == "Tomorrow's picture is dust.")
    }

    @Test func codeOfTheDiggButtonIsRemoved() {
        #expect(
            explanation(["Dust. digg_url = 'http://x/y.html'; digg_skin = 'compact'; Note: more."])
                == "Dust. Note: more.")
        #expect(explanation(["Dust. digg_url = 'http://x"]) == "Dust.")
        #expect(explanation(["The digg_ prefix"]) == "The digg_ prefix")
    }

    @Test(arguments: [
        "A Ring\r\nCredit: NASA", "A Ring\nImage Credit & Copyright: X", "A\nRing\r\nCredit &\r\nCopyright: X",
    ])
    func creditsAfterATitleAreRemoved(_ title: String) {
        #expect(CaptionText.title(title) == "A Ring")
    }

    @Test func titleMayContainALineBreakOrTheWordCredit() {
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

    @Test(arguments: [
        ("\u{A9} 2009 Ada Example", "2009 Ada Example"), ("(C) Ada Example", "Ada Example"),
        ("Ada Example ,", "Ada Example"),
        ("Image Credit: : NASA;", "NASA"), ("(C. Example)", "(C. Example)"), ("Copyright: \u{A9} Ada", "Ada"),
        ("Video Credit & Copyright: Se\u{E1}n \u{141}uk", "Se\u{E1}n \u{141}uk"),
    ])
    func copyrightSignsAndStrayPunctuationAreRemoved(_ text: String, _ names: String) {
        #expect(CreditLine(text).names == names)
    }

    @Test(arguments: [
        (["Image Credit: NASA", "Music: Ada Example"], "Image Credit: NASA; Music: Ada Example"),
        (["Video Credit:", "NASA", "(JPL)"], "Video Credit: NASA (JPL)"), (["NASA;", "Text: Ada"], "NASA; Text: Ada"),
        (["Image Credit &", "Copyright: Ada"], "Image Credit & Copyright: Ada"), (["NASA,", "ESA"], "NASA, ESA"),
        ([], ""),
        (["Illustration: Ada", "Processing: Bob", "License: CC"], "Illustration: Ada; Processing: Bob; License: CC"),
        (["Ada Example Text: Bob"], "Ada Example; Text: Bob"), (["Ada, Music: Bob"], "Ada, Music: Bob"),
        (["NASA, JPL Image Processing: Bob"], "NASA, JPL; Image Processing: Bob"),
        (["NASA, SwRI Processing & License: Bob"], "NASA, SwRI; Processing & License: Bob"),
        (["NASA;", "Processing &", "License:", "Bob"], "NASA; Processing & License: Bob"),
        (["Image Processing & Copyright: Bob Text: Ada"], "Image Processing & Copyright: Bob; Text: Ada"),
        (["Drawing Credit & Copyright: Bob"], "Drawing Credit & Copyright: Bob"),
        (["Hubble Data: NASA"], "Hubble Data: NASA"), (["Ada (Text: Bob)"], "Ada (Text: Bob)"),
        (["Ada", "Text:", "Bob"], "Ada; Text: Bob"), (["Text: Ada"], "Text: Ada"),
    ])
    func linesOfCreditsAreJoined(_ lines: [String], _ text: String) { #expect(CreditLine.joined(lines) == text) }

    @Test func labelWithoutANameIsNotACredit() {
        #expect(CreditLine("Image Credit:").names == nil)
    }
}
