import TestSupport

/// Random plain text, and encodings of it as services send them. Tests compare the decoded text with the original.
enum RandomText {
    private static let words = [
        "stars", "dust", "M81", "NGC", "6960,", "the", "of", "Moon", "nebula", "(Hyperion)", "Saturn's", "'Oumuamua",
        "\"Eye\"", "\u{201C}veil\u{201D}", "Schr\u{F6}dinger", "R\u{F8}mer", "Mar\u{ED}a", "e\u{301}toile", "星雲",
        "Луна", "\u{0645}\u{062C}\u{0631}\u{0629}", "👩‍🚀", "🌌", "1,000\u{B0}", "\u{2013}", "H\u{3B1}", "10%",
        "C/2023", "A3", "&", "AT&T",
        "it\u{2019}s", "50\u{B5}m", "x=y", "#7", "back\\slash", "tab/slash", "https://x.org/?a=1",
    ]
    /// Words that HTML must encode as entities.
    private static let angles = ["<3", "a<b", ">", "->"]

    /// Random words separated by single spaces. A sentence begins with a capital letter, so that no word looks like a
    /// label or like other text of the page, and ends with a full stop.
    ///
    /// - Parameter hasAngles: whether to include words that look like tags or entities.
    static func sentence(_ random: inout SeededRandom, words count: ClosedRange<Int>, hasAngles: Bool) -> String {
        let pool = hasAngles ? words + angles : words
        let middle = (0..<random.number(count)).map { _ in random.one(of: pool) }
        return ([random.one(of: ["Where", "Over", "Behind", "What"])] + middle + ["sky."]).joined(separator: " ")
    }

    /// The name of an author, as in a picture credit.
    static func author(_ random: inout SeededRandom) -> String {
        let first = ["Ada", "Jos\u{E9}", "\u{5B87}\u{5B99}", "O'Neil", "Zo\u{EB}", "J\u{FC}rgen"]
        let last = ["Example", "M\u{FC}ller", "de la Cruz", "(ESO)", "N\u{FA}\u{F1}ez", "& Sons"]
        return random.one(of: first) + " " + random.one(of: last)
    }

    // MARK: Encodings

    /// The text with irregular white space, as on old pages, and with invisible characters.
    static func spaced(_ text: String, _ random: inout SeededRandom) -> String {
        let blanks = [" ", "  ", "\n", "\r\n", "\t", "\u{A0}", " \u{A0} ", "\u{2009}"]
        var result = random.chance(20) ? random.one(of: blanks) : ""
        for scalar in text.unicodeScalars {
            result += scalar == " " && random.chance(15) ? random.one(of: blanks) : String(scalar)
            if random.chance(1) { result += random.one(of: ["\u{7}", "\u{200B}", "\u{FEFF}", "\u{2060}"]) }
        }
        return result + (random.chance(20) ? random.one(of: blanks) : "")
    }

    /// HTML that renders as the text, with entities, tags around words, comments and line breaks.
    static func html(_ text: String, _ random: inout SeededRandom) -> String {
        let blanks = [" ", "  ", "\n", "&nbsp;", "\u{A0}", "<br>", "<br />\n", " <!-- nothing --> ", "&#160;"]
        let tags = [
            ("<b>", "</b>"), ("<a href=\"https://x.org/?a=1&amp;b=2\" target=\"_blank\">", "</a>"), ("<I>", "</I>"),
            ("<span class='x'>", "</span>"), ("<em>", "</em>"),
        ]
        let words = text.split(separator: " ").map { word in
            let escaped = word.unicodeScalars.map { entity(of: $0, &random) }.joined()
            guard random.chance(15) else { return escaped }
            let tag = random.one(of: tags)
            return tag.0 + escaped + tag.1
        }
        return words.dropFirst().reduce(words.first ?? "") { html, word in
            html + (random.chance(15) ? random.one(of: blanks) : " ") + word
        }
    }

    private static func entity(of scalar: Unicode.Scalar, _ random: inout SeededRandom) -> String {
        let named: [Unicode.Scalar: String] = [
            "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#039;", "\u{2019}": "&rsquo;",
            "\u{201C}": "&ldquo;", "\u{201D}": "&rdquo;", "\u{F6}": "&ouml;", "\u{E9}": "&eacute;",
            "\u{2013}": "&ndash;",
        ]
        let mustBeOne = scalar == "&" || scalar == "<" || scalar == ">"
        guard mustBeOne || random.chance(20) else { return String(scalar) }
        switch random.below(3) {
        case 0: return named[scalar] ?? (mustBeOne ? "&#\(scalar.value);" : String(scalar))
        case 1: return "&#\(scalar.value);"
        default: return "&#x\(String(scalar.value, radix: 16));"
        }
    }

    /// The text as a JSON string (RFC 8259 §7), with some unnecessary escapes.
    static func json(_ text: String, _ random: inout SeededRandom) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case "\n": result += "\\n"
            case "/" where random.chance(50): result += "\\/"
            case _ where scalar.value < 0x20 || random.chance(5):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
