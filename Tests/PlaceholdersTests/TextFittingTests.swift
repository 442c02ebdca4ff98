import TestSupport
import Testing

@testable import Placeholders

@Suite struct TextFittingTests {
    /// A text whose characters are all half an em wide.
    private func fitting(_ text: String) -> TextFitting {
        let characters = Array(text)
        let parts = LineBreaking.parts(of: characters).map {
            TextFitting.Part(
                characters: $0, width: 0.5 * Double($0.count),
                endsClause: LineBreaking.endsClause(characters[$0.upperBound - 1]))
        }
        return TextFitting(parts: parts, blankWidth: 0.5, ellipsisWidth: 0.5, lineHeight: 1.25) { range in
            range.map { _ in 0.5 }
        }
    }

    private func lines(_ text: String, _ result: TextFitting.Result?) -> [String] {
        let characters = Array(text)
        return (result?.lines ?? []).map { String(characters[$0.characters]) + ($0.endsInEllipsis ? "…" : "") }
    }

    @Test func aShortTextIsOneLineOfTheLargestSize() {
        let text = "No picture"
        let result = fitting(text).fitted(width: 200, height: 100, sizes: 10...20)
        #expect(result?.size == 20)
        #expect(lines(text, result) == [text])
    }

    @Test func linesAreEvenRatherThanFull() {
        let text = "aaaa bbbb cccc dddd"
        // Three of the words would fit in the first line.
        let result = fitting(text).fitted(width: 150, height: 100, sizes: 20...20)
        #expect(lines(text, result) == ["aaaa bbbb", "cccc dddd"])
    }

    @Test func aLineRatherEndsWithAClause() {
        let text = "本日の画像はない。後でもう一度試してください。"
        let result = fitting(text).fitted(width: 150, height: 100, sizes: 20...20)
        #expect(lines(text, result) == ["本日の画像はない。", "後でもう一度試してください。"])
    }

    @Test func aLineIsSavedBySlightlySmallerLetters() {
        let text = "aaaa bbbb cccc dddd eeee ffff"
        // Two of the words fit in a line at 20, three of them at 18.
        let result = fitting(text).fitted(width: 127, height: 100, sizes: 10...20)
        #expect(lines(text, result) == ["aaaa bbbb cccc", "dddd eeee ffff"])
        #expect(result.map { $0.size >= 16 } == true)
    }

    @Test func lettersShrinkBeforeAWordIsBroken() {
        let text = "Donaudampfschiff"
        let result = fitting(text).fitted(width: 100, height: 100, sizes: 10...20)
        #expect(result.map { $0.size < 13 && $0.size >= 10 } == true)
        #expect(lines(text, result) == [text])
    }

    @Test func aWordIsBrokenWhenThereIsNoOtherWay() {
        let text = "Donaudampfschiff"
        let result = fitting(text).fitted(width: 30, height: 100, sizes: 10...20)
        #expect(lines(text, result).joined() == text)
        #expect(lines(text, result).count > 1)
    }

    @Test func whatIsStillTooLongEndsInAnEllipsis() {
        let text = "one two three four five six seven eight nine ten"
        let result = fitting(text).fitted(width: 60, height: 26, sizes: 10...20)
        #expect(result?.size == 10)
        #expect(lines(text, result) == ["one two", "three four …"])
    }

    @Test func withoutRoomForALineThereIsNone() {
        #expect(fitting("text").fitted(width: 100, height: 12, sizes: 10...20) == nil)
        #expect(fitting("").fitted(width: 100, height: 100, sizes: 10...20) == nil)
    }

    @Test func noLineIsWiderThanTheBoxAndNoCharacterIsLostBeforeTheEllipsis() {
        var random = SeededRandom(name: "fitting")
        for _ in 0..<300 {
            let words = (0...random.below(40)).map { _ in String(repeating: "x", count: 1 + random.below(14)) }
            let text = words.joined(separator: " ")
            let (width, height) = (20 + Double(random.below(400)), 15 + Double(random.below(200)))
            let top = 10 + Double(random.below(30))
            guard let result = fitting(text).fitted(width: width, height: height, sizes: 10...top) else {
                Issue.record("a line of the smallest letters fits \(width)x\(height)")
                continue
            }
            #expect((10...top).contains(result.size))
            #expect(Double(result.lines.count) * 1.25 * result.size <= height + 1e-6)
            for line in result.lines { #expect(line.width * result.size <= width + 1e-6) }
            let shown = lines(text, result).joined().filter { $0 == "x" }
            let all = text.filter { $0 == "x" }
            if result.lines.last?.endsInEllipsis == true {
                #expect(shown.count < all.count)
            } else {
                #expect(shown == all)
            }
        }
    }
}
