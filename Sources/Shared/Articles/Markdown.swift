extension Caption {
    /// The caption as a section of a CommonMark document: the heading, the picture or the linked still of a video, the
    /// day and the credits, the explanation, and links.
    var markdown: String {
        var paragraphs: [String] = []
        if let title { paragraphs.append("# \(Markdown.text(title))") }
        if let picture { paragraphs.append(picture) }
        let facts = ([day].compactMap { $0 } + credits).map { Markdown.text($0) }
        // In CommonMark, a backslash at the end of a line is a line break.
        if !facts.isEmpty { paragraphs.append(facts.joined(separator: "\\\n")) }
        paragraphs += self.paragraphs.map(Markdown.text)
        var links: [String] = []
        if let media { links.append(Markdown.link(mediaLabel, to: media)) }
        if let page, page != media { links.append(Markdown.link("Page", to: page)) }
        if !links.isEmpty { paragraphs.append(links.joined(separator: " \u{B7} ")) }
        return paragraphs.joined(separator: "\n\n")
    }

    private var picture: String? {
        guard let shown else { return nil }
        let image = "![\(Markdown.text(alt ?? title ?? ""))](\(Markdown.destination(shown)))"
        guard let media, media != shown else { return image }
        return "[\(image)](\(Markdown.destination(media)))"
    }
}

/// Escapes text and addresses for CommonMark (spec 0.31.2).
enum Markdown {
    /// Returns the text with a backslash before every special character of paragraphs and headings, including GitHub's
    /// extensions (`~~`, `$`). The text must not contain line breaks.
    static func text(_ text: String) -> String {
        var rest = text.unicodeScalars[...]
        var result = startingEscaped(&rest)
        while let scalar = rest.first {
            switch scalar {
            case "\\", "`", "*", "_", "[", "]", "<", "~", "$", "#": result += "\\"
            case "&" where beginsReference(rest): result += "\\"
            default: break
            }
            result.unicodeScalars.append(scalar)
            rest = rest.dropFirst()
        }
        return result
    }

    static func text(_ text: LinkedText) -> String {
        text.parts.map { part in part.address.map { link(part.text, to: $0) } ?? self.text(part.text) }.joined()
    }

    static func link(_ label: String, to address: String) -> String { "[\(text(label))](\(destination(address)))" }

    /// Escapes blanks and brackets in the destination of a link, because they would end it (§6.3).
    static func destination(_ address: String) -> String {
        var result = ""
        var rest = address.unicodeScalars[...]
        while let scalar = rest.first {
            switch scalar {
            case " ": result += "%20"
            case "(": result += "%28"
            case ")": result += "%29"
            case "<": result += "%3C"
            case ">": result += "%3E"
            case "\\": result += "%5C"
            case "&" where beginsReference(rest): result += "\\&"
            default: result.unicodeScalars.append(scalar)
            }
            rest = rest.dropFirst()
        }
        return result
    }

    /// If the text begins with characters that would turn a paragraph into a list, a quotation, a rule or an underline
    /// (§4 and §5), removes these characters and returns them in escaped form.
    private static func startingEscaped(_ rest: inout Substring.UnicodeScalarView) -> String {
        switch rest.first {
        case "-", "+", ">", "=": return "\\" + String(rest.removeFirst())
        default:
            let digits = rest.prefix { ("0"..."9").contains($0) }
            guard !digits.isEmpty, let mark = rest.dropFirst(digits.count).first, mark == "." || mark == ")" else {
                return ""
            }
            rest = rest.dropFirst(digits.count + 1)
            return String(digits) + "\\" + String(mark)
        }
    }

    /// Returns whether the text begins with an entity or a numeric reference (§6.2): `&`, letters, digits or `#`, and a
    /// semicolon.
    private static func beginsReference(_ text: Substring.UnicodeScalarView) -> Bool {
        let name = text.dropFirst().prefix { $0 == "#" || $0.isASCII && UInt8($0.value).isASCIIAlphanumeric }
        return !name.isEmpty && text.dropFirst(name.count + 1).first == ";"
    }
}
