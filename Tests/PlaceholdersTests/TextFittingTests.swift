import TestSupport
import Testing

@testable import Placeholders

@Suite struct TextFittingTests {
    /// Wraps words in a font whose characters and blanks are all half an em wide.
    private func wrap(_ text: String, _ width: Double, _ breaksWords: Bool) -> [String] {
        let columns = max(1, Int(width / 0.5 + 1e-9))
        var lines: [String] = []
        for word in text.split(separator: " ").map(String.init) {
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
                continue
            }
            var rest = word
            while breaksWords && rest.count > columns {
                lines.append(String(rest.prefix(columns)))
                rest.removeFirst(columns)
            }
            lines.append(rest)
        }
        return lines
    }

    private func fitted(
        _ text: String, width: Double, height: Double, sizes: ClosedRange<Double>
    ) -> (size: Double, lines: [String], lineLimit: Int)? {
        let fitting = TextFitting(width: 0.5 * Double(text.count), lineHeight: 1.25) { width, breaksWords in
            let lines = wrap(text, width, breaksWords)
            return TextFitting.Lines(count: lines.count, width: 0.5 * Double(lines.map(\.count).max() ?? 0))
        }
        return fitting.fitted(width: width, height: height, sizes: sizes).map { result in
            (result.size, wrap(text, result.width, result.breaksWords), result.lineLimit)
        }
    }

    @Test func aShortTextFitsOnOneLineAtTheLargestSize() {
        let result = fitted("No picture", width: 200, height: 100, sizes: 10...20)
        #expect(result?.size == 20)
        #expect(result?.lines == ["No picture"])
    }

    @Test func linesHaveSimilarWidths() {
        // Three words would fit on the first line.
        let result = fitted("aaaa bbbb cccc dddd", width: 150, height: 100, sizes: 20...20)
        #expect(result?.lines == ["aaaa bbbb", "cccc dddd"])
    }

    @Test func smallerLettersAreUsedToAvoidAThirdLine() {
        // Two words fit on a line at size 20, three at size 18.
        let result = fitted("aaaa bbbb cccc dddd eeee ffff", width: 127, height: 100, sizes: 10...20)
        #expect(result?.lines == ["aaaa bbbb cccc", "dddd eeee ffff"])
        #expect(result.map { $0.size >= 16 } == true)
    }

    @Test func moreThanThreeLinesHaveSmallLetters() {
        let text = Array(repeating: "aaaa", count: 30).joined(separator: " ")
        let result = fitted(text, width: 160, height: 400, sizes: 10...20)
        #expect(result.map { $0.size <= 12.4 && $0.lines.count > 3 } == true)
    }

    @Test func lettersShrinkBeforeAWordIsBroken() {
        let result = fitted("Donaudampfschiff", width: 100, height: 100, sizes: 10...20)
        #expect(result.map { $0.size < 13 && $0.size >= 10 } == true)
        #expect(result?.lines == ["Donaudampfschiff"])
    }

    @Test func aWordTooWideAtTheSmallestSizeIsBroken() {
        let result = fitted("Donaudampfschiff", width: 30, height: 100, sizes: 10...20)
        #expect(result?.lines.joined() == "Donaudampfschiff")
        #expect(result.map { $0.lines.count > 1 && $0.lines.count <= $0.lineLimit } == true)
    }

    @Test func aTextTooLongForTheBoxHasTheSmallestSizeAndALineLimit() {
        let text = "one two three four five six seven eight nine ten"
        let result = fitted(text, width: 60, height: 26, sizes: 10...20)
        #expect(result?.size == 10)
        #expect(result?.lineLimit == 2)
    }

    @Test func boxTooSmallForALineHasNoFit() {
        #expect(fitted("text", width: 100, height: 12, sizes: 10...20) == nil)
        #expect(fitted("", width: 100, height: 100, sizes: 10...20) == nil)
    }

    @Test func allLinesFitTheBox() {
        var random = SeededRandom(name: "fitting")
        for _ in 0..<300 {
            let words = (0...random.below(40)).map { _ in String(repeating: "x", count: 1 + random.below(14)) }
            let text = words.joined(separator: " ")
            let (width, height) = (20 + Double(random.below(400)), 15 + Double(random.below(200)))
            let top = 10 + Double(random.below(30))
            guard let result = fitted(text, width: width, height: height, sizes: 10...top) else {
                Issue.record("a line of the smallest letters fits \(width)x\(height)")
                continue
            }
            #expect((10...top).contains(result.size))
            #expect(Double(result.lineLimit) * 1.25 * result.size <= height + 1e-6)
            for line in result.lines { #expect(0.5 * Double(line.count) * result.size <= width + 1e-6) }
            #expect(result.lines.count <= result.lineLimit || result.size == 10)
        }
    }

    @Test func aLongTextIsWrappedAtMostTwice() {
        var count = 0
        let text = Array(repeating: "aaaa", count: 400).joined(separator: " ")
        let fitting = TextFitting(width: 0.5 * Double(text.count), lineHeight: 1.25) { width, breaksWords in
            count += 1
            return TextFitting.Lines(count: wrap(text, width, breaksWords).count, width: width)
        }
        #expect(fitting.fitted(width: 300, height: 200, sizes: 10...20) != nil)
        #expect(count <= 2)
    }
}
