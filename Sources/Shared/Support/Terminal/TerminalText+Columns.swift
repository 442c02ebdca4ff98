extension TerminalText {
    /// Truncates a text to at most `limit` columns of a terminal, including `…`. Returns the text and its columns. The
    /// text must not contain control characters.
    public static func cut(_ text: String, toColumns limit: Int) -> (text: String, columns: Int) {
        var columns = 0
        // The last position for a cut that leaves room for the `…`.
        var end = text.startIndex
        var endColumns = 0
        var index = text.startIndex
        while index < text.endIndex {
            let width = self.columns(text[index])
            guard columns + width <= limit else { return limit > 0 ? (text[..<end] + "…", endColumns + 1) : ("", 0) }
            columns += width
            text.formIndex(after: &index)
            if columns < limit { (end, endColumns) = (index, columns) }
        }
        return (text, columns)
    }

    /// Replaces the middle of a text by `…` if it has more than `limit` columns. The text must not contain control
    /// characters.
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

    public static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// Returns 2 for wide East Asian characters and emoji, 0 for isolated combining marks, else 1. Terminals disagree
    /// on rare characters, but not on the common blocks (Unicode Standard Annex 11, W and F).
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
            // Variation selector 16 requests an emoji.
            return isMark ? 0 : character.unicodeScalars.contains { $0.value == 0xFE0F } ? 2 : 1
        }
    }

    /// Wraps a text at spaces into lines of at most `limit` columns (at least 1). Breaks a word that is longer than a
    /// line between characters. Returns no lines for an empty text.
    public static func wrapped(_ text: String, toColumns limit: Int) -> [String] {
        let limit = max(limit, 1)
        var lines: [String] = []
        var line = ""
        var used = 0
        for word in text.split(separator: " ") {
            var word = String(word)
            var width = columns(word)
            if !line.isEmpty, used + 1 + width <= limit {
                line += " " + word
                used += 1 + width
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while width > limit {
                let head = prefix(of: word, columns: limit)
                lines.append(String(head))
                word.removeSubrange(..<head.endIndex)
                width = columns(word)
            }
            (line, used) = (word, width)
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }

    /// Returns the longest prefix of at most `limit` columns, at least one character.
    private static func prefix(of text: String, columns limit: Int) -> Substring {
        var used = 0
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            used += columns(text[end])
            if used > limit, end > text.startIndex { break }
            end = next
        }
        return text[..<end]
    }
}
