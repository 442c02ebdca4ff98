/// Percent-encoding (RFC 3986 §2).
public enum PercentEncoding {
    package enum Part: Sendable {
        case path, query, fragment
    }

    /// Encodes white space, non-ASCII bytes and characters that are invalid in this part of a URL. Keeps existing
    /// escapes; a stray `%` becomes `%25`.
    package static func encoded(_ bytes: ArraySlice<UInt8>, in part: Part) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            let isKept = byte == UInt8(ascii: "%") ? octet(in: bytes, at: index) != nil : isKept(byte, in: part)
            if isKept { result.append(byte) } else { append(byte, to: &result) }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Encodes the path of a file for a `file` address, including each `%`.
    public static func encoded(file path: [UInt8]) -> String {
        encoded(path.flatMap { $0 == UInt8(ascii: "%") ? Array("%25".utf8) : [$0] }[...], in: .path)
    }

    /// Encodes the path of an address, and keeps existing escapes.
    public static func completed(path: [UInt8]) -> String { encoded(path[...], in: .path) }

    /// Encodes the value of a query item; keeps only unreserved characters.
    package static func encodedValue(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) { result.append(byte) } else { append(byte, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Writes escapes in upper case, and decodes unreserved characters (RFC 3986 §6.2.2.1 and §6.2.2.2).
    package static func normalized(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), let value = octet(in: bytes[...], at: index) {
                if isUnreserved(value) { result.append(value) } else { append(value, to: &result) }
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the decoded bytes. A stray `%` is kept.
    ///
    /// - Parameter isForm: whether to decode `+` as a space, as in HTML forms.
    public static func decoded(_ bytes: ArraySlice<UInt8>, isForm: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "%"), let value = octet(in: bytes, at: index) {
                result.append(value)
                index += 3
            } else {
                result.append(isForm && bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return result
    }

    /// ALPHA / DIGIT / `-` / `.` / `_` / `~` (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: byte.isLetter || byte.isDigit
        }
    }

    /// Keeps square brackets, although RFC 3986 reserves them for IP literals: queries like `filter[year]=2024` are
    /// common, and some servers accept only the plain form.
    private static func isKept(_ byte: UInt8, in part: Part) -> Bool {
        if isUnreserved(byte) { return true }
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            return true
        case UInt8(ascii: "?"): return part != .path
        default: return false
        }
    }

    private static func octet(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard index + 2 < bytes.endIndex, let high = bytes[index + 1].hexDigitValue,
            let low = bytes[index + 2].hexDigitValue
        else { return nil }
        return high << 4 | low
    }

    private static func append(_ byte: UInt8, to result: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        result.append(UInt8(ascii: "%"))
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
    }
}
