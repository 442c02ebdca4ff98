import Records

/// A list of ascending numbers as printable text. The text contains the gaps between the numbers in base 45, with the
/// lowest digit first. 45 is added to each digit that is followed by another digit of the same number.
struct Postings {
    private var last = 0
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init() {}

    /// Reads a list. Returns nil for an invalid list, and for a list with a number that is not below `bound`.
    private init?(_ text: String, below bound: Int) {
        bytes = Array(text.utf8)
        var (gap, scale) = (0, 1)
        for byte in bytes {
            guard let digit = Self.digit(byte), scale <= bound else { return nil }
            gap += digit % 45 * scale
            scale *= 45
            if digit < 45 {
                last += gap + 1
                (gap, scale) = (0, 1)
            }
            guard last < bound else { return nil }
        }
        if scale > 1 || last == 0 { return nil }
    }

    /// Reads the words of a file with their lists. Returns nil if a list is invalid.
    static func all(_ words: Record, below bound: Int) -> [String: Postings]? {
        var all: [String: Postings] = [:]
        for word in words.names {
            let text = words.string(FieldPath(stringLiteral: word))
            guard let list = text.flatMap({ Postings($0, below: bound) }) else { return nil }
            all[word] = list
        }
        return all
    }

    /// Adds a number, unless it equals the last number. Returns whether the number is the first of the list.
    mutating func add(_ number: Int) -> Bool {
        guard number != last else { return false }
        let isFirst = bytes.isEmpty
        var gap = number - last - 1
        while gap >= 45 {
            bytes.append(Self.character(45 + gap % 45))
            gap /= 45
        }
        bytes.append(Self.character(gap))
        last = number
        return isFirst
    }

    /// Returns the character of a digit. The characters are `#` to `~`, except for `<` and `\`, which would be escaped
    /// in scripts and JSON.
    private static func character(_ digit: Int) -> UInt8 {
        var code = UInt8(digit) + UInt8(ascii: "#")
        if code >= UInt8(ascii: "<") { code += 1 }
        if code >= UInt8(ascii: "\\") { code += 1 }
        return code
    }

    /// Returns the digit of a character, or nil for other characters.
    private static func digit(_ code: UInt8) -> Int? {
        let digit = Int(code) - 35 - (code > UInt8(ascii: "<") ? 1 : 0) - (code > UInt8(ascii: "\\") ? 1 : 0)
        return (0..<90).contains(digit) && character(digit) == code ? digit : nil
    }
}
