import Testing

@testable import Placeholders

@Suite struct WritingDirectionTests {
    /// The text as it is seen, from left to right, character by character.
    private func seen(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        let base = WritingDirection.isRightToLeft(scalars)
        let levels = WritingDirection.levels(scalars, isRightToLeft: base)
        var result = String.UnicodeScalarView()
        for place in WritingDirection.visualOrder(levels) { result.append(scalars[place]) }
        return String(result)
    }

    @Test func latinTextStaysAsItIs() {
        #expect(seen("No picture (503), today.") == "No picture (503), today.")
    }

    @Test func hebrewIsReversedAndItsFullStopIsAtTheLeft() {
        #expect(seen("אבג.") == ".גבא")
    }

    @Test func latinWordsAndNumbersKeepTheirOrderWithinHebrew() {
        #expect(seen("אב NASA גד") == "דג NASA בא")
        #expect(seen("אב 12.5% גד") == "דג 12.5% בא")
    }

    @Test func hebrewWithinLatinIsReversedInItsPlace() {
        #expect(seen("see אב גד now") == "see דג בא now")
        #expect(seen("see אב 503 now") == "see 503 בא now")
    }

    @Test func bothBracketsRunAlike() {
        // HarfBuzz draws the mirror image of those that run to the left, which is why they stay as they are here.
        #expect(seen("אב NASA (APOD) גד") == "דג NASA (APOD) בא")
        #expect(seen("see אב (2 x 3) now") == "see בא (2 x 3) now")
        #expect(seen("אב (גד)") == ")דג( בא")
        #expect(seen("אב (NASA)") == ")NASA( בא")
    }

    @Test func theFirstLetterSaysHowTheTextRuns() {
        #expect(WritingDirection.isRightToLeft("503: صورة NASA".unicodeScalars))
        #expect(!WritingDirection.isRightToLeft("503: NASA صورة".unicodeScalars))
        #expect(!WritingDirection.isRightToLeft("503".unicodeScalars))
    }

    @Test func marksStayWithTheirLetter() {
        let levels = WritingDirection.levels(Array("aבּ".unicodeScalars), isRightToLeft: false)
        #expect(levels == [0, 1, 1])
    }

    @Test func everyPlaceIsVisitedOnce() {
        for levels: [UInt8] in [[], [0], [1], [2, 1, 2], [0, 1, 2, 1, 0], [1, 1, 2, 2, 1, 0, 1]] {
            #expect(WritingDirection.visualOrder(levels).sorted() == Array(levels.indices))
        }
    }
}
