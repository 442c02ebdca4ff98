extension TerminalText {
    /// The text, cut to so many columns of a terminal, including `…`, and how many it takes. The text must not have
    /// control characters.
    public static func cut(_ text: String, toColumns limit: Int) -> (text: String, columns: Int) {
        var columns = 0
        // Where the text would have to be cut to leave room for the `…`.
        var end = text.startIndex
        var endColumns = 0
        var index = text.startIndex
        while index < text.endIndex {
            let width = self.columns(text[index])
            guard columns + width <= limit else {
                return limit > 0 ? (text[..<end] + "…", endColumns + 1) : ("", 0)
            }
            columns += width
            text.formIndex(after: &index)
            if columns < limit { (end, endColumns) = (index, columns) }
        }
        return (text, columns)
    }

    /// The text, with its middle cut so that it takes so many columns and both ends show. The text must not have
    /// control characters.
    public static func cut(middleOf text: String, toColumns limit: Int) -> String {
        if columns(text) <= limit { return text }
        let head = cut(text, toColumns: limit / 2)
        var room = limit - head.columns
        var start = text.endIndex
        while start > text.startIndex {
            let before = text.index(before: start)
            room -= columns(text[before])
            if room < 0 { break }
            start = before
        }
        return head.text + text[start...]
    }

    /// How many columns the text takes.
    public static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// 2 for what East Asian typography sets wide and for pictures, 0 for combining marks on their own, else 1.
    /// Terminals differ on the rare ones, but agree on those of the common blocks (Unicode Standard Annex 11, W and F).
    private static func columns(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        switch first.value {
        case 0x20...0x7E: return 1
        case 0x1100...0x115F, 0x231A...0x231B, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F1E6...0x1F1FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
            0x1FA70...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            let category = first.properties.generalCategory
            let isMark = category == .nonspacingMark || category == .enclosingMark || category == .format
            // The variation selector 16 asks for a picture.
            return isMark ? 0 : character.unicodeScalars.contains { $0.value == 0xFE0F } ? 2 : 1
        }
    }
}
