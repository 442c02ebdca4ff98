import Articles
import HTML

/// The rules for the texts around a picture, the same for both services once tags are gone.
enum CaptionText {
    /// Returns the explanation's paragraphs: without its `Explanation:` label, the announcement of tomorrow's picture,
    /// and the code of a vanished button that the old service read as text (`digg_url = '…';`, about 2009).
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
            // The label alone on its line announces what the next one says.
            dropsNext = text[label.upperBound...].isEmpty
        }
        kept = kept.map(withoutButtonCode).filter { !$0.text.isEmpty }
        while let first = kept.first, let rest = dropping(label: "Explanation", from: first.text[...]) {
            kept[0] = first[first.text.utf8.count - rest.utf8.count..<first.text.utf8.count]
            if kept[0].text.isEmpty { kept.removeFirst() }
        }
        return Article(paragraphs: kept)
    }

    /// Returns the title on one line. 184 old titles go on with a line of credits, which is cut off.
    static func title(_ text: String) -> String {
        var kept: [String] = []
        let lines = lines(of: text).map { PlainText.line(ofText: String($0)) }
        for line in lines where !line.isEmpty {
            if !kept.isEmpty, isCreditLine(line) { break }
            kept.append(line)
        }
        return kept.joined(separator: " ")
    }

    /// Returns the lines of a text but empty ones.
    static func lines(of text: String) -> [Substring] {
        text.unicodeScalars.split { scalar in
            switch scalar.value {
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
            default: false
            }
        }.map { Substring($0) }
    }

    private static func isCreditLine(_ line: String) -> Bool {
        if CreditLine.label(of: line) != nil { return true }
        return ["credit", "copyright", "\u{A9}"].contains { line.hasPrefix(ignoringCase: $0) }
    }

    /// Returns what follows `label:` at the beginning of the text; nil if it doesn't stand there.
    private static func dropping(label: String, from text: Substring) -> Substring? {
        guard text.hasPrefix(ignoringCase: label) else { return nil }
        let rest = text.dropFirst(label.count).drop { $0 == " " }
        guard rest.first == ":" else { return nil }
        return rest.dropFirst().drop { $0 == " " }
    }

    /// `Tomorrow's picture:`, with either apostrophe. Without a colon it is a sentence like any other.
    private static func tomorrowLabel(in line: String) -> Range<String.Index>? {
        for words in ["Tomorrow's picture", "Tomorrow\u{2019}s picture"] {
            guard let range = line.firstRange(ofIgnoringCase: words) else { continue }
            let rest = line[range.upperBound...].drop { $0 == " " }
            if rest.first == ":" { return range.lowerBound..<rest.index(after: rest.startIndex) }
        }
        return nil
    }

    /// Returns the text without assignments to names that begin with `digg_`, each up to its semicolon.
    private static func withoutButtonCode(_ text: LinkedText) -> LinkedText {
        var kept = ""
        var rest = text.text[...]
        while let name = rest.firstRange(ofIgnoringCase: "digg_") {
            let word = rest[name.upperBound...].drop { $0.isLetter || $0 == "_" }.drop { $0 == " " }
            guard word.first == "=" else { break }
            kept += rest[..<name.lowerBound]
            rest = word.firstIndex(of: ";").map { word[$0...].dropFirst() } ?? ""
        }
        // The old service, which has such code, has no links.
        return kept.isEmpty && rest.utf8.count == text.text.utf8.count
            ? text : LinkedText(PlainText.folded(kept + rest))
    }
}
