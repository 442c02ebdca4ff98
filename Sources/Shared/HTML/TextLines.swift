import Articles
import CGumbo

/// Collects the visible lines of HTML, optionally with links.
struct TextLines: HTMLVisitor {
    private let keepsLinks: Bool
    private var lines: [LinkedText] = []
    /// The current line before folding.
    private var line: [UInt8] = []
    /// The offsets in the line at which links begin and end. `link` is nil at an end.
    private var marks: [(place: Int, link: String?)] = []
    /// The target of the open link.
    private var link: String?
    /// The number of open elements whose content is invisible.
    private var unseenDepth = 0
    /// Whether an inline element has just ended.
    private var isBehindLink = false
    private var scripts: [Script] = []

    init(keepsLinks: Bool = false) { self.keepsLinks = keepsLinks }

    /// Returns the non-empty lines. Must be called once, at the end.
    mutating func finished() -> [LinkedText] {
        endLine()
        return lines
    }

    mutating func open(_ tag: GumboTag, _ attributes: TagAttributes) {
        switch Role(tag) {
        case .line: endLine()
        case .unseen: unseenDepth += 1
        case .script(let script): scripts.append(script)
        case .inline, .other: break
        }
        if keepsLinks, tag == GUMBO_TAG_A { mark(attributes["href"]) }
        isBehindLink = false
    }

    mutating func close(_ tag: GumboTag) {
        if keepsLinks, tag == GUMBO_TAG_A { mark(nil) }
        isBehindLink = false
        switch Role(tag) {
        case .line: endLine()
        case .unseen: unseenDepth -= 1
        case .script: scripts.removeLast()
        case .inline: isBehindLink = true
        case .other: break
        }
    }

    mutating func text(_ text: UnsafeBufferPointer<UInt8>) {
        guard unseenDepth == 0 else { return }
        if isBehindLink {
            line += text[Self.strayBlanks(in: text)...]
        } else if let script = scripts.last,
            let characters = script.characters(for: String(decoding: text, as: UTF8.self))
        {
            line += characters.utf8
        } else {
            line += text
        }
        isBehindLink = false
    }

    private mutating func mark(_ link: String?) {
        self.link = link
        marks.append((line.count, link))
    }

    private mutating func endLine() {
        defer {
            line.removeAll(keepingCapacity: true)
            // An open link continues on the next line.
            marks.removeAll(keepingCapacity: true)
            if let link { marks.append((0, link)) }
        }
        guard !line.isEmpty else { return }
        let text = linkedLine()
        if !text.text.isEmpty { lines.append(text) }
    }

    private func linkedLine() -> LinkedText {
        line.withUnsafeBufferPointer { line in
            guard !marks.isEmpty else { return LinkedText(PlainText.decoded(PlainText.folded(line))) }
            var text = LinkedText("")
            var start = 0
            var link: String?
            for mark in marks {
                text.append(line[start..<mark.place], link: link)
                (start, link) = mark
            }
            text.append(line[start...], link: link)
            return text.trimmed
        }
    }

    /// Returns the number of bytes of white space between an inline element, such as a link, and the closing
    /// punctuation or `'s` at the start of the text after it. NASA inserted this white space when it moved to the new
    /// site (`<a>Saturn</a> 's moon <a>Hyperion</a> , once again`).
    private static func strayBlanks(in text: UnsafeBufferPointer<UInt8>) -> Int {
        var place = 0
        var blanks = 0
        var scalar: Unicode.Scalar?
        while place < text.count {
            scalar = text.scalar(at: &place)
            if scalar?.isWhiteSpace != true { break }
            blanks = place
        }
        // If the text consists of white space, `scalar` is its last character, and the switch returns 0.
        guard blanks > 0, let scalar else { return 0 }
        switch scalar {
        case ",", ".", ";", ":", "!", "?", ")": break
        case "'", "\u{2019}":
            guard place < text.count, text[place] == UInt8(ascii: "s") else { return 0 }
            place += 1
        default: return 0
        }
        guard place < text.count else { return blanks }
        let next = text.scalar(at: &place)
        return next.isWhiteSpace || next == ")" || next == "\"" ? blanks : 0
    }

    /// The effect of an element on text.
    private enum Role {
        /// Begins and ends a line.
        case line
        /// Its content is invisible.
        case unseen
        case inline
        case script(Script)
        case other

        init(_ tag: GumboTag) {
            switch tag {
            case GUMBO_TAG_A, GUMBO_TAG_B, GUMBO_TAG_STRONG, GUMBO_TAG_I, GUMBO_TAG_EM, GUMBO_TAG_U, GUMBO_TAG_SPAN,
                GUMBO_TAG_FONT:
                self = .inline
            case GUMBO_TAG_BR, GUMBO_TAG_P, GUMBO_TAG_DIV, GUMBO_TAG_CENTER, GUMBO_TAG_HR, GUMBO_TAG_LI, GUMBO_TAG_UL,
                GUMBO_TAG_OL, GUMBO_TAG_TABLE, GUMBO_TAG_TR, GUMBO_TAG_TD, GUMBO_TAG_TH, GUMBO_TAG_H1, GUMBO_TAG_H2,
                GUMBO_TAG_H3, GUMBO_TAG_H4, GUMBO_TAG_H5, GUMBO_TAG_H6, GUMBO_TAG_BLOCKQUOTE, GUMBO_TAG_PRE,
                GUMBO_TAG_SECTION, GUMBO_TAG_ARTICLE, GUMBO_TAG_MAIN, GUMBO_TAG_ASIDE, GUMBO_TAG_ADDRESS,
                GUMBO_TAG_HEADER, GUMBO_TAG_FOOTER, GUMBO_TAG_FIGURE, GUMBO_TAG_FIGCAPTION, GUMBO_TAG_DL, GUMBO_TAG_DT,
                GUMBO_TAG_DD:
                self = .line
            case GUMBO_TAG_SCRIPT, GUMBO_TAG_STYLE, GUMBO_TAG_NOSCRIPT, GUMBO_TAG_TEMPLATE, GUMBO_TAG_TITLE,
                GUMBO_TAG_IFRAME, GUMBO_TAG_OBJECT:
                self = .unseen
            case GUMBO_TAG_SUP: self = .script(.superscripted)
            case GUMBO_TAG_SUB: self = .script(.subscripted)
            default: self = .other
            }
        }
    }
}

/// Collects all text unchanged.
struct WholeText: HTMLVisitor {
    private(set) var text = ""

    func open(_ tag: GumboTag, _ attributes: TagAttributes) {}
    func close(_ tag: GumboTag) {}
    mutating func text(_ text: UnsafeBufferPointer<UInt8>) { self.text += String(decoding: text, as: UTF8.self) }
}
