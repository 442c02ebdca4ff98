/// Matches text with the expected lines of a case: `*` matches any characters within a line, and a line `...` matches
/// any number of lines.
enum LinePattern {
    /// Returns whether the text matches the expected lines.
    static func fits(_ text: String, _ wanted: String) -> Bool { fits(lines(text)[...], lines(wanted)[...]) }

    private static func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func fits(_ lines: ArraySlice<String>, _ wanted: ArraySlice<String>) -> Bool {
        guard let first = wanted.first else { return lines.isEmpty }
        if first == "..." {
            return fits(lines, wanted.dropFirst()) || !lines.isEmpty && fits(lines.dropFirst(), wanted)
        }
        guard let line = lines.first, matches(Substring(line), Substring(first)) else { return false }
        return fits(lines.dropFirst(), wanted.dropFirst())
    }

    private static func matches(_ line: Substring, _ pattern: Substring) -> Bool {
        guard let star = pattern.firstIndex(of: "*") else { return line == pattern }
        let head = pattern[..<star]
        guard line.hasPrefix(head) else { return false }
        var rest = line.dropFirst(head.count)
        let tail = pattern[pattern.index(after: star)...]
        while true {
            if matches(rest, tail) { return true }
            if rest.isEmpty { return false }
            rest = rest.dropFirst()
        }
    }
}
