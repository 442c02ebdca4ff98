import Articles
import HTML

/// A line of credits: the creators of a picture, and whether the line mentions a copyright or licence.
struct CreditLine: Equatable {
    /// The names without labels.
    let names: String?
    /// Whether the line began with a label such as `Image Credit:`.
    let hasLabel: Bool
    /// Whether the line mentions a copyright or a licence.
    let mentionsRights: Bool

    /// - Parameter text: plain text on one line (`PlainText.folded`).
    init(_ text: String) {
        var rest = Substring(text)
        var sawLabel = false
        while true {
            rest = rest.drop { $0 == " " || $0 == ":" }
            guard let label = Self.label(of: rest) else { break }
            sawLabel = true
            rest = rest[label.upperBound...]
        }
        let names = Self.withoutDebris(rest)
        self.names = names.isEmpty ? nil : names
        hasLabel = sawLabel
        mentionsRights = ["copyright", "license", "licence", "\u{A9}"].contains { text.containsIgnoringCase($0) }
    }

    /// Joins the lines of a credit. Inserts a semicolon before each label of a role (`Music: Ada Example`). At the
    /// start of a line, any phrase of at most 40 bytes can be a role. Within a line, only the words in `roles` can.
    static func joined(_ lines: [String]) -> String {
        let text = lines.filter { !$0.isEmpty }.reduce(into: "") { text, line in
            if text.isEmpty {
                text = line
                return
            }
            let role = line.prefix { $0.isLetter || $0 == " " || $0 == "&" || $0 == "/" }
            let isRole = !role.isEmpty && role.utf8.count <= 40 && line[role.endIndex...].first == ":"
            text += (isRole && !isOpen(text) ? "; " : " ") + line
        }
        return settingOffRoles(in: text)
    }

    /// Returns whether the text ends with punctuation that needs no semicolon after it.
    private static func isOpen(_ text: some StringProtocol) -> Bool { text.last.map { ":;,&/(-".contains($0) } ?? true }

    /// Inserts a semicolon before each label within the text: `Ada Example; Text: Bob`, `NASA; Processing & License:
    /// Bob`.
    private static func settingOffRoles(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: ":")) else { return text }
        var words = text.split(separator: " ").map(String.init)
        // The text may begin with a label. Insert no semicolon within it.
        let first = label(of: text).map { text[$0].split(separator: " ").count } ?? 0
        for index in words.indices.dropFirst(max(first, 1)) where words[index].last == ":" {
            let start = start(ofLabelEndingAt: index, in: words)
            let isLabel = roles.contains(Self.word(words[start])) && start >= first
            if isLabel, start > 0, !isOpen(words[start - 1]) { words[start - 1] += ";" }
        }
        return words.joined(separator: " ")
    }

    /// Returns the index of the first word of the label that ends at `end`, such as `Image Processing:` or `Processing
    /// & License:`. Returns 0 if no label ends there.
    private static func start(ofLabelEndingAt end: Int, in words: [String]) -> Int {
        var start = end
        guard roles.contains(word(words[end])) || claims.contains(word(words[end])) else { return 0 }
        while start > 0 {
            if kinds.contains(word(words[start - 1])) {
                start -= 1
            } else if start > 1, ["&", "and", "/"].contains(words[start - 1]), roles.contains(word(words[start - 2])) {
                start -= 2
            } else {
                break
            }
        }
        return start
    }

    private static func word(_ text: String) -> String {
        (text.last == ":" ? String(text.dropLast()) : text).lowercased()
    }

    /// The roles that NASA writes within a line, and the adjectives (`kinds`) that may precede a role.
    private static let roles: Set = [
        "text", "music", "processing", "narration", "animation", "image", "digital", "additional", "video", "sound",
    ]
    private static let kinds: Set = ["image", "digital", "additional", "video", "sound"]
    private static let claims: Set = ["credit", "copyright", "license", "licence"]

    /// Removes a copyright sign and punctuation before the names, and dangling punctuation after them.
    private static func withoutDebris(_ text: Substring) -> String {
        var rest = Substring(PlainText.folded(String(text)))
        for sign in ["\u{A9}", "(c) "] where rest.hasPrefix(ignoringCase: sign) { rest = rest.dropFirst(sign.count) }
        rest = rest.drop { " ,;:".contains($0) }
        while let last = rest.last, " ,;:".contains(last) { rest.removeLast() }
        return String(rest)
    }

    /// Returns the range of a label at the start of the text, including its colon. A label, such as `Illustration
    /// Credit & Copyright:`, has at most 60 bytes, consists of letters, blanks, `&` and `/`, and contains credit,
    /// copyright, license or licence.
    static func label(of text: some StringProtocol) -> Range<String.Index>? {
        guard text.utf8.contains(UInt8(ascii: ":")), let colon = text.firstIndex(of: ":") else { return nil }
        let words = text[..<colon]
        guard words.utf8.count <= 60, words.allSatisfy({ $0.isLetter || $0 == " " || $0 == "&" || $0 == "/" }),
            claims.contains(where: { words.containsIgnoringCase($0) })
        else { return nil }
        return text.startIndex..<text.index(after: colon)
    }
}
