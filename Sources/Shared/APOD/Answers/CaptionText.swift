import Articles
import HTML

/// Cleans a picture's title and explanation, whose tags are already removed. The same rules apply to the answers of
/// both services.
enum CaptionText {
    /// Returns the paragraphs of an explanation without the label `Explanation:`, the announcement of tomorrow's
    /// picture, and the code of a removed button that the old service read as text (`digg_url = '…';`, about 2009).
    static func explanation(_ lines: [LinkedText]) -> Article {
        var kept: [LinkedText] = []
        var dropsNext = false
        for line in lines {
            if dropsNext {
                dropsNext = false
                continue
            }
            let text = line.text
            guard let label = tomorrowLabel(in: text) else {
                kept.append(line)
                continue
            }
            kept.append(line[0..<text.utf8.distance(from: text.startIndex, to: label.lowerBound)])
            // If the line ends with the label, the next line is the announcement.
            dropsNext = text[label.upperBound...].isEmpty
        }
        kept = kept.map(withoutButtonCode).filter { !$0.text.isEmpty }
        while let first = kept.first, let rest = dropping(label: "Explanation", from: first.text[...]) {
            kept[0] = first[first.text.utf8.count - rest.utf8.count..<first.text.utf8.count]
            if kept[0].text.isEmpty { kept.removeFirst() }
        }
        return Article(paragraphs: kept)
    }

    /// Returns the title on one line. Drops a line of credits after the title, as on 184 old days.
    static func title(_ text: String) -> String {
        var kept: [String] = []
        let lines = lines(of: text).map { PlainText.line(ofText: String($0)) }
        for line in lines where !line.isEmpty {
            let isCredit =
                CreditLine.label(of: line) != nil
                || ["credit", "copyright", "\u{A9}"].contains { line.hasPrefix(ignoringCase: $0) }
            if !kept.isEmpty, isCredit { break }
            kept.append(line)
        }
        return kept.joined(separator: " ")
    }

    /// Returns the non-empty lines of a text.
    static func lines(of text: String) -> [Substring] {
        text.unicodeScalars.split { scalar in
            switch scalar.value {
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
            default: false
            }
        }.map { Substring($0) }
    }

    /// Returns the text after `label:`, or nil if the text does not begin with that label.
    private static func dropping(label: String, from text: Substring) -> Substring? {
        guard text.hasPrefix(ignoringCase: label) else { return nil }
        let rest = text.dropFirst(label.count).drop { $0 == " " }
        guard rest.first == ":" else { return nil }
        return rest.dropFirst().drop { $0 == " " }
    }

    /// Returns the range of `Tomorrow's picture:`, with a straight or a curved apostrophe. Without a colon, the words
    /// are part of an ordinary sentence.
    private static func tomorrowLabel(in line: String) -> Range<String.Index>? {
        for words in ["Tomorrow's picture", "Tomorrow\u{2019}s picture"] {
            guard let range = line.firstRange(ofIgnoringCase: words) else { continue }
            let rest = line[range.upperBound...].drop { $0 == " " }
            if rest.first == ":" { return range.lowerBound..<rest.index(after: rest.startIndex) }
        }
        return nil
    }

    /// Removes all assignments to names with the prefix `digg_`, each up to its semicolon.
    private static func withoutButtonCode(_ text: LinkedText) -> LinkedText {
        var kept = ""
        var rest = text.text[...]
        while let name = rest.firstRange(ofIgnoringCase: "digg_") {
            let word = rest[name.upperBound...].drop { $0.isLetter || $0 == "_" }.drop { $0 == " " }
            guard word.first == "=" else { break }
            kept += rest[..<name.lowerBound]
            rest = word.firstIndex(of: ";").map { word[$0...].dropFirst() } ?? ""
        }
        // Only texts of the old service contain such code, and they have no links to preserve.
        return kept.isEmpty && rest.utf8.count == text.text.utf8.count
            ? text : LinkedText(PlainText.folded(kept + rest))
    }
}
