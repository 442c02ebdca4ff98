/// Text from NASA's pages, made fit for one field of a record.
enum PlainText {
    /// The text with every run of white space, no-break spaces among it, as one blank, none at the ends, and without
    /// control characters, zero-width blanks and byte-order marks.
    static func folded(_ text: some StringProtocol) -> String {
        var result = String.UnicodeScalarView()
        var owesBlank = false
        for scalar in text.unicodeScalars {
            if isBlank(scalar) {
                owesBlank = true
            } else if !isInvisible(scalar) {
                if owesBlank, !result.isEmpty { result.append(" ") }
                owesBlank = false
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// Unicode's white space; ASCII is told without its tables.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " || (9...13).contains(scalar.value) : scalar.properties.isWhitespace
    }

    /// C0 and C1 controls and DEL (line breaks are white space and never get here), zero-width space, word joiner, byte
    /// order mark. The joiners U+200C and U+200D stay: scripts and emoji need them.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x200B, 0x2060, 0xFEFF: true
        default: false
        }
    }

    /// What a reader of this HTML sees, as folded lines; empty ones are left out. Nil where the HTML is over the parser's
    /// limits.
    static func lines(ofHTML html: String) -> [String]? {
        guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
            return lines(of: html)
        }
        guard let pieces = HTMLPieces.fragment(html) else { return nil }
        return lines(of: pieces)
    }

    /// The same on one line.
    static func line(ofHTML html: String) -> String? { lines(ofHTML: html)?.joined(separator: " ") }

    /// A line break in HTML's source is a blank, so that only tags make lines.
    private static func lines(of text: String) -> [String] {
        let line = folded(text)
        return line.isEmpty ? [] : [line]
    }

    private static func lines(of pieces: [HTMLPiece]) -> [String] {
        var lines: [String] = []
        var line = ""
        var unseenDepth = 0
        var isBehindLink = false
        func endLine() {
            let text = folded(line)
            if !text.isEmpty { lines.append(text) }
            line = ""
        }
        for piece in pieces {
            switch piece {
            case .open(let name, _):
                if unseen.contains(name) { unseenDepth += 1 }
                if breaking.contains(name) { endLine() }
                isBehindLink = false
            case .close(let name):
                if unseen.contains(name) { unseenDepth -= 1 }
                if breaking.contains(name) { endLine() }
                isBehindLink = inline.contains(name)
            case .text(let text):
                guard unseenDepth == 0 else { continue }
                line += isBehindLink ? withoutStrayBlank(text) : text
                isBehindLink = false
            }
        }
        endLine()
        return lines
    }

    private static let unseen: Set<String> = ["script", "style", "noscript", "template", "title", "iframe", "object"]
    private static let breaking: Set<String> = [
        "br", "p", "div", "center", "hr", "li", "ul", "ol", "table", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6",
        "blockquote", "pre", "section", "article", "header", "footer", "figure", "figcaption", "dl", "dt", "dd",
    ]
    private static let inline: Set<String> = ["a", "b", "strong", "i", "em", "u", "span", "font"]

    /// The move to the new site put a blank behind every link: `<a>Saturn</a> 's moon <a>Hyperion</a> , once again`. It
    /// goes where punctuation that ends a word, or `'s`, stands alone behind it.
    private static func withoutStrayBlank(_ text: String) -> String {
        let rest = text.unicodeScalars.drop { $0.properties.isWhitespace }
        guard rest.startIndex > text.startIndex, let first = rest.first else { return text }
        var tail = rest.dropFirst()
        switch first {
        case ",", ".", ";", ":", "!", "?", ")": break
        case "'", "\u{2019}":
            guard tail.first == "s" else { return text }
            tail = tail.dropFirst()
        default: return text
        }
        guard let next = tail.first, !next.properties.isWhitespace, next != ")", next != "\"" else {
            return String(String.UnicodeScalarView(rest))
        }
        return text
    }
}

extension StringProtocol {
    /// Where `needle` stands first, small and capital ASCII letters being the same. O(count × needle).
    func firstRange(ofIgnoringCase needle: String) -> Range<Index>? {
        let wanted = needle.utf8.map(\.lowercased)
        let bytes = Array(utf8)
        guard !wanted.isEmpty, bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count) {
            guard (0..<wanted.count).allSatisfy({ bytes[start + $0].lowercased == wanted[$0] }) else { continue }
            let lower = utf8.index(startIndex, offsetBy: start)
            return lower..<utf8.index(lower, offsetBy: wanted.count)
        }
        return nil
    }

    func hasPrefix(ignoringCase start: String) -> Bool {
        utf8.count >= start.utf8.count && zip(utf8, start.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }

    func containsIgnoringCase(_ needle: String) -> Bool { firstRange(ofIgnoringCase: needle) != nil }
}

extension UInt8 {
    /// The small ASCII letter of a capital one, anything else unchanged.
    var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
