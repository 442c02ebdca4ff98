/// Prepares an untrusted message for drawing.
enum MessageText {
    /// The maximum number of characters. No placeholder can show more, and shaping is expensive.
    static let limit = 2000

    /// The maximum number of consecutive combining marks. Every script needs at most four; hundreds would cover the
    /// text above.
    static let markLimit = 4

    /// Returns the message as a single line. Replaces each run of white space with a blank, and the text beyond `limit`
    /// with an ellipsis. Removes control, format, unassigned and private-use characters (Unicode 15 categories Cc, Cf,
    /// Cn, Co), which include directional controls.
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

    /// Returns whether a character is white space at which a line may break. No-break spaces are excluded.
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
        // Zero-width joiners and non-joiners are kept: they only affect the shape of letters.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }

    /// Returns the language tag for choosing fonts, or nil if the text is not Chinese, Japanese or Korean: these
    /// languages draw the same character differently.
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

    /// Removes the characters that no font contains, and returns them as `missing`.
    static func covered(_ text: String, has: (Unicode.Scalar) -> Bool) -> (text: String, missing: [Unicode.Scalar]) {
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
        let pronoun = missing.count == 1 ? "it" : "them"
        return "no font contains \(shown.joined(separator: ", "))\(rest); the message is drawn without \(pronoun)"
    }

    /// Inserts word joiners between Hangul syllables, because Korean text should be wrapped only at blanks.
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
