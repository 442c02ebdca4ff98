import HTML

/// A line of credits: who made the picture, and whether somebody claims a copyright.
struct CreditLine: Equatable {
    /// The names alone; nil if there are none.
    let names: String?
    /// Whether the line began with a label such as `Image Credit:`.
    let hasLabel: Bool
    /// Whether it speaks of a copyright or a licence anywhere.
    let mentionsRights: Bool

    /// - Parameter text: plain text, folded.
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

    /// Returns the lines of a credit as one: a line that begins with a word for what somebody did (`Music: Ada
    /// Example`) is set off by a semicolon, as NASA does it if there is but one line.
    static func joined(_ lines: [String]) -> String {
        lines.reduce(into: "") { text, line in
            guard !text.isEmpty else {
                text = line
                return
            }
            let role = line.prefix { $0.isLetter || $0 == " " || $0 == "&" || $0 == "/" }
            let isRole = !role.isEmpty && role.utf8.count <= 40 && line[role.endIndex...].first == ":"
            let isOpen = text.last.map { ":;,&/(-".contains($0) } ?? true
            text += (isRole && !isOpen ? "; " : " ") + line
        }
    }

    /// Returns the names without the sign of a copyright before them and punctuation that leads nowhere behind them.
    private static func withoutDebris(_ text: Substring) -> String {
        var rest = Substring(PlainText.folded(String(text)))
        for sign in ["\u{A9}", "(c) "] where rest.hasPrefix(ignoringCase: sign) { rest = rest.dropFirst(sign.count) }
        rest = rest.drop { " ,;:".contains($0) }
        while let last = rest.last, " ,;:".contains(last) { rest.removeLast() }
        return String(rest)
    }

    /// Returns a label at the beginning, colon included: a few words without punctuation, one of which is credit,
    /// copyright or licence, such as `Illustration Credit & Copyright:`.
    static func label(of text: some StringProtocol) -> Range<String.Index>? {
        guard text.utf8.contains(UInt8(ascii: ":")), let colon = text.firstIndex(of: ":") else { return nil }
        let words = text[..<colon]
        guard words.utf8.count <= 60, words.allSatisfy({ $0.isLetter || $0 == " " || $0 == "&" || $0 == "/" }),
            ["credit", "copyright", "license", "licence"].contains(where: { words.containsIgnoringCase($0) })
        else { return nil }
        return text.startIndex..<text.index(after: colon)
    }
}
