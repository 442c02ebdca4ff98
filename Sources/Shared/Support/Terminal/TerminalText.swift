/// Text from strangers, made safe for a terminal or a log line.
public enum TerminalText {
    /// The text with every control character, bidirectional override and zero-width character written as `\u{…}`, so
    /// that a title or a server's message can neither move the cursor nor fake a line of its own. Line breaks become
    /// blanks, and foreign bytes of a path `\xNN`.
    public static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x0D, 0x09: result.unicodeScalars.append(" ")
            case _ where scalar.isUnseen: result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                if let byte = ForeignByte.byte(of: scalar) {
                    result += ForeignByte.words(for: byte)
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// The text as a JSON string, including quotes (RFC 8259 §7); `forTerminal` escapes everything that `escaped`
    /// replaces.
    public static func jsonString(_ text: String, forTerminal: Bool = false) -> String {
        var result = "\""
        for scalar in (forTerminal ? text.showingForeignBytes : text).unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || forTerminal && scalar.isUnseen: result += jsonEscape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The character as escapes of a JSON string, two of them beyond U+FFFF (RFC 8259 §7).
    static func jsonEscape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }.joined()
    }
}
