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
            case _ where isHarmful(scalar.value): result += "\\u{\(String(scalar.value, radix: 16))}"
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
            case _ where scalar.value < 0x20 || forTerminal && isHarmful(scalar.value):
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// C0, DEL and C1 controls, zero-width and bidirectional formatting characters (Unicode 15, categories Cc and Cf,
    /// if they change what is seen), line and paragraph separators.
    private static func isHarmful(_ value: UInt32) -> Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF,
            0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }
}
