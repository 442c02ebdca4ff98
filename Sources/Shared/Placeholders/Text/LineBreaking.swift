/// Where a text may be wrapped: the part of Unicode's line breaking (UAX #14) that messages need.
enum LineBreaking {
    /// The parts that lines are made of, as places in `text`, without the blanks between them.
    ///
    /// A part ends at a blank, between ideographs and kana as far as punctuation allows it, and after the hyphens and
    /// slashes within a word. Korean is wrapped at its blanks.
    static func parts(of text: [Character]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start: Int?
        for index in text.indices {
            if isBlank(text[index]) {
                if let begun = start { parts.append(begun..<index) }
                start = nil
                continue
            }
            if let begun = start, mayBreak(between: text[index - 1], and: text[index]) {
                parts.append(begun..<index)
                start = index
            }
            if start == nil { start = index }
        }
        if let begun = start { parts.append(begun..<text.count) }
        return parts
    }

    /// Whether a clause ends with the character, after which a reader pauses.
    static func endsClause(_ character: Character) -> Bool { clauseEnds.contains(character) }

    private static let clauseEnds = Set(".,:;!?。、，：；！？．…،؛؟۔")

    static func isBlank(_ character: Character) -> Bool {
        character.unicodeScalars.count == 1 && MessageText.isBlank(character.unicodeScalars.first!)
    }

    private static func mayBreak(between before: Character, and after: Character) -> Bool {
        if mayNotBegin.contains(after) || mayNotEnd.contains(before) { return false }
        if before == "-" || before == "/" || before == "‐" { return after.isLetter }
        if before == "–" || before == "—" { return true }
        return isIdeographic(before) || isIdeographic(after)
    }

    /// Characters that a line may begin and end with wherever it likes.
    private static func isIdeographic(_ character: Character) -> Bool {
        switch character.unicodeScalars.first!.value {
        case 0x2E80...0x303F, 0x3041...0x312F, 0x31A0...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFE30...0xFE4F,
            0xFF00...0xFF9F, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// Closing punctuation, and the small kana and marks that belong to what stands before (JIS X 4051; UAX #14 CL, CP,
    /// EX, IS, NS, CJ).
    private static let mayNotBegin = Set(
        "、。，．・：；？！ゝゞ々〻ーァィゥェォッャュョヮヵヶぁぃぅぇぉっゃゅょゎゕゖ〜～」』】〕〉》）］｝〗〙〛〟’”»›…‥％℃‰"
            + ")]},.!?:;%'\"、،؛؟۔")

    /// Opening punctuation and what is put before a number (UAX #14 OP, PR).
    private static let mayNotEnd = Set("「『【〔〈《（［｛〖〘〚〝‘“«‹([{¿¡$¥€£#№")
}
