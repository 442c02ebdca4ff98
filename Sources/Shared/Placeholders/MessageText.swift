/// An untrusted message, made fit for drawing.
enum MessageText {
    /// As many characters of a message are looked at. No placeholder shows more, and shaping has its price.
    static let limit = 2000

    /// How many marks may follow each other: four are enough for any script's letters, hundreds would be drawn over
    /// what stands above.
    static let markLimit = 4

    /// The message in one line, without what cannot be seen: white space of any kind and number becomes one blank;
    /// controls, unassigned and private characters, and the marks that reverse the order of what follows, are dropped
    /// (Unicode 15, categories Cc, Cf, Cn, Co). What is over the limit is replaced by an ellipsis.
    static func cleaned(_ message: String) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        var marks = 0
        var wantsBlank = false
        for scalar in message.unicodeScalars {
            if isBlank(scalar) {
                wantsBlank = count > 0
                continue
            }
            if !isShown(scalar) { continue }
            if isMark(scalar) {
                marks += 1
                if marks > markLimit { continue }
            } else {
                marks = 0
            }
            if count >= limit {
                result.append("…")
                break
            }
            if wantsBlank {
                result.append(" ")
                count += 1
                wantsBlank = false
            }
            result.append(scalar)
            count += 1
        }
        return String(result)
    }

    /// White space at which a line may end: not the blanks that hold words together.
    static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x20, 0x85, 0x1680, 0x2000...0x2006, 0x2008...0x200A, 0x2028, 0x2029, 0x205F, 0x3000: true
        default: false
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .unassigned, .privateUse, .surrogate: false
        // The two that join and part letters change how they look, and nothing else.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }

    /// The language that fonts are chosen for, if the letters tell it: Chinese, Japanese and Korean write one
    /// character in different ways. Nil if it makes no difference.
    static func language(of text: String) -> String? {
        var hasIdeographs = false
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x3041...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: return "ja"
            case 0x1100...0x11FF, 0x3131...0x318E, 0xAC00...0xD7A3: return "ko"
            case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFD: hasIdeographs = true
            default: break
            }
        }
        return hasIdeographs ? "zh-cn" : nil
    }

    /// Returns the text without the characters that no font has, and those characters.
    static func covered(
        _ text: String, has: (Unicode.Scalar) -> Bool
    ) -> (text: String, missing: [Unicode.Scalar]) {
        var known: [Unicode.Scalar: Bool] = [:]
        var missing: [Unicode.Scalar] = []
        let kept = text.unicodeScalars.filter { scalar in
            if let isKept = known[scalar] { return isKept }
            let properties = scalar.properties
            let isKept = properties.isWhitespace || properties.isDefaultIgnorableCodePoint || has(scalar)
            known[scalar] = isKept
            if !isKept { missing.append(scalar) }
            return isKept
        }
        return (String(String.UnicodeScalarView(kept)), missing)
    }

    static func warning(_ missing: [Unicode.Scalar]) -> String {
        let shown = missing.prefix(3).map { scalar in
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        let rest = missing.count > shown.count ? " and \(missing.count - shown.count) more" : ""
        return "no font has \(shown.joined(separator: ", "))\(rest): the message is drawn without"
    }

    /// Returns the text with joiners within words of Hangul, which readers expect to be wrapped at blanks only.
    static func joined(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isAfterHangul = false
        for scalar in text.unicodeScalars {
            let isHangul = (0xAC00...0xD7A3).contains(scalar.value)
            if isHangul && isAfterHangul { result.append("\u{2060}") }
            result.append(scalar)
            isAfterHangul = isHangul
        }
        return String(result)
    }
}
