/// Text from NASA's pages, made fit for one field of a record.
enum PlainText {
    /// The text with every run of white space, no-break spaces among it, as one blank, none at the ends, and without
    /// characters that nobody sees: controls, soft hyphens, zero-width blanks, byte-order marks, and those that turn
    /// the direction of what follows.
    static func folded(_ text: some StringProtocol) -> String {
        if isFoldedASCII(text.utf8) { return String(text) }
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        var owesBlank = false
        var isInFlag = false
        for scalar in text.unicodeScalars {
            if isBlank(scalar) {
                owesBlank = true
                isInFlag = false
                continue
            }
            // Tags spell out the regions of flags; elsewhere they hide text.
            let isTag = (0xE0000...0xE007F).contains(scalar.value)
            if isInvisible(scalar) || isTag && !isInFlag { continue }
            isInFlag = isTag || scalar == "\u{1F3F4}"
            if owesBlank, !result.isEmpty { result.append(UInt8(ascii: " ")) }
            owesBlank = false
            if scalar.isASCII { result.append(UInt8(scalar.value)) } else { result += punctuation(scalar).utf8 }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether there is nothing to fold, as in most texts.
    private static func isFoldedASCII(_ bytes: some Collection<UInt8>) -> Bool {
        var last = UInt8(ascii: " ")
        for byte in bytes {
            guard (0x20...0x7E).contains(byte), byte != UInt8(ascii: " ") || last != byte else { return false }
            last = byte
        }
        return bytes.isEmpty || last != UInt8(ascii: " ")
    }

    /// Unicode's white space (PropList.txt, `White_Space`).
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20, 0x09...0x0D, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }

    /// What `TerminalText.escaped` shows as escapes, and soft hyphens. The joiners U+200C and U+200D stay: scripts and
    /// emoji need them.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x90, 0x98...0x9F, 0xAD, 0x061C, 0x180E, 0x200B, 0x200E...0x200F, 0x202A...0x202E,
            0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB:
            true
        default: false
        }
    }

    /// Pages in Windows-1252 that were read as Latin-1 have controls for quotation marks and dashes (WHATWG Encoding,
    /// index windows-1252).
    private static func punctuation(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x91: "\u{2018}"
        case 0x92: "\u{2019}"
        case 0x93: "\u{201C}"
        case 0x94: "\u{201D}"
        case 0x95: "\u{2022}"
        case 0x96: "\u{2013}"
        case 0x97: "\u{2014}"
        default: scalar
        }
    }

    // MARK: HTML

    /// What a reader of this HTML sees, as folded lines; empty ones are left out. Nil if the HTML is over the
    /// parser's limits.
    static func lines(ofHTML html: String) -> [String]? {
        guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
            return lines(of: html)
        }
        guard let pieces = HTMLPieces.fragment(html) else { return nil }
        return lines(of: pieces)
    }

    /// The same on one line.
    static func line(ofHTML html: String) -> String? { lines(ofHTML: html)?.joined(separator: " ") }

    /// The text of a field that should be plain, on one line: tags and references that were left in it are gone.
    static func line(ofText text: String) -> String {
        if holdsTags(text), let line = line(ofHTML: text) { return line }
        return decoded(folded(text))
    }

    /// Whether there are tags, not merely angle brackets: an end tag or a line break.
    private static func holdsTags(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "<")) else { return false }
        return text.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).dropFirst().contains {
            rest in
            if rest.first == UInt8(ascii: "/") { return rest.dropFirst().first.map { isASCIILetter($0) } ?? false }
            return rest.prefix(2).map(\.lowercased).elementsEqual("br".utf8)
                && !(rest.dropFirst(2).first.map { isASCIILetter($0) } ?? false)
        }
    }

    /// Folded text without the references that are left in it (`&eacute;`, `&#8217;`): some pages were encoded twice, a
    /// few more often. Only what ends in a semicolon counts.
    private static func decoded(_ text: String) -> String {
        var text = text
        for _ in 0..<3 where holdsReference(text) {
            // Without tags, a fragment is nothing but text with references.
            let escaped = text.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "&lt;")
            guard let pieces = HTMLPieces.fragment(escaped) else { return text }
            let next = folded(pieces.reduce(into: "") { if case .text(let piece) = $1 { $0 += piece } })
            if next == text { break }
            text = next
        }
        return text
    }

    private static func holdsReference(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return false }
        return text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).dropFirst().contains {
            rest in
            let name = rest.prefix(33).prefix { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "#") }
            return name.count >= 2 && rest.dropFirst(name.count).first == UInt8(ascii: ";")
        }
    }

    private static func isASCIILetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

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
        var raised: [Script] = []
        func endLine() {
            let text = decoded(folded(line))
            if !text.isEmpty { lines.append(text) }
            line = ""
        }
        for piece in pieces {
            switch piece {
            case .open(let name, _):
                if unseen.contains(name) { unseenDepth += 1 }
                if breaking.contains(name) { endLine() }
                if let script = Script(rawValue: name) { raised.append(script) }
                isBehindLink = false
            case .close(let name):
                if Script(rawValue: name) != nil { raised.removeLast() }
                if unseen.contains(name) { unseenDepth -= 1 }
                if breaking.contains(name) { endLine() }
                isBehindLink = inline.contains(name)
            case .text(let text):
                guard unseenDepth == 0 else { continue }
                line += isBehindLink ? withoutStrayBlank(text) : raised.last?.characters(for: text) ?? text
                isBehindLink = false
            }
        }
        endLine()
        return lines
    }

    private static let unseen: Set<String> = ["script", "style", "noscript", "template", "title", "iframe", "object"]
    private static let breaking: Set<String> = [
        "br", "p", "div", "center", "hr", "li", "ul", "ol", "table", "tr", "td", "th", "h1", "h2", "h3", "h4", "h5",
        "h6", "blockquote", "pre", "section", "article", "main", "aside", "address", "header", "footer", "figure",
        "figcaption", "dl", "dt", "dd",
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
