extension TerminalText {
    /// The words of the text on lines of at most so many columns, at least 1. A word that is longer than a line is
    /// broken between characters. An empty text makes no line.
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

    /// As many characters as fit, at least one.
    private static func prefix(of text: String, columns limit: Int) -> Substring {
        var used = 0
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            used += columns(String(text[end..<next]))
            if used > limit, end > text.startIndex { break }
            end = next
        }
        return text[..<end]
    }
}
