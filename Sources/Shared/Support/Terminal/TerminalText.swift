/// Makes untrusted text safe for a terminal or a log line.
public enum TerminalText {
    /// Replaces control characters, bidirectional overrides and zero-width characters by `\u{…}`, so that a title or a
    /// server's message can neither move the cursor nor fake a line. Line breaks and tabs become spaces. Bytes of a
    /// path that are not UTF-8 become `\xNN`.
    public static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x0D, 0x09: result.unicodeScalars.append(" ")
            case _ where scalar.isUnseen: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result += ForeignByte.byte(of: scalar).map(ForeignByte.words) ?? String(scalar)
            }
        }
        return result
    }

    /// Returns the text as a JSON string with quotes (RFC 8259 §7), escaping everything that `escaped` replaces.
    public static func jsonString(_ text: String) -> String {
        var result = "\""
        for scalar in text.showingForeignBytes.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.isUnseen: result += jsonEscape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Returns the JSON escape of a character, or two escapes for a character beyond U+FFFF (RFC 8259 §7).
    static func jsonEscape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }.joined()
    }
}
