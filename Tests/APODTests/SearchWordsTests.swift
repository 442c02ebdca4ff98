import Testing

@testable import APOD

@Suite struct SearchWordsTests {
    private let title = "The \u{201C}Caf\u{E9}\u{201D} of the \u{C9}toile\u{2019}s Horsehead\u{2014}a Nebula (M31)"

    @Test(arguments: [
        "horsehead nebula", "NEBULA horse", "cafe", "CAF\u{C9}", "cafe\u{301}", "etoile's", "\u{E9}toile\u{2019}s",
        "m31", "(M31",
        "dust", "a", "star-forming", " dust\tnebula ",
    ])
    func allWordsMustMatchIgnoringCaseAndAccents(_ words: String) throws {
        #expect(try #require(SearchWords(words)).areIn(title, "A star-forming region of dust."))
    }

    @Test(arguments: ["ebula", "head", "horsehead galaxy", "31", "regional", "dusty", "nebula\u{301}x"])
    func searchDoesNotMatchInsideAWord(_ words: String) throws {
        #expect(try !#require(SearchWords(words)).areIn(title, "A star-forming region of dust."))
    }

    @Test(arguments: ["", " ", "\n\t"]) func textWithoutWordsIsNotASearch(_ words: String) {
        #expect(SearchWords(words) == nil)
    }
}
