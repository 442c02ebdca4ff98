import Support

/// A pattern for a day or a time, such as `%Y/%m`: `%Y` year, `%m` month, `%d` day, `%H` hour, `%M` minute, `%S`
/// second, `%%` a percent sign; other text is literal.
struct DatePattern: Sendable, Equatable {
    static let specifiers = "%Y, %m, %d, %H, %M, %S and %%"

    private let text: String

    /// Returns nil if the text has no date part, or an unknown specifier.
    init?(_ text: String) {
        var rest = text.unicodeScalars[...]
        var hasPart = false
        while let scalar = rest.popFirst() {
            guard scalar == "%" else { continue }
            guard let letter = rest.popFirst(), "YmdHMS%".unicodeScalars.contains(letter) else { return nil }
            hasPart = hasPart || letter != "%"
        }
        guard hasPart else { return nil }
        self.text = text
    }

    /// Formats a day (`2024-02-03`) or a time (`2024-02-03T04:05:06Z`, seconds and zone optional) without converting
    /// the zone. Returns nil for other text, or if the pattern needs a time and the value is only a day.
    func words(of value: String) -> String? {
        let bytes = Array(value.utf8)
        guard let day = CalendarDay(String(decoding: bytes.prefix(10), as: UTF8.self)),
            bytes.count == 10 || [UInt8(ascii: "T"), UInt8(ascii: " ")].contains(bytes[10])
        else { return nil }
        let time = Self.time(bytes.dropFirst(11))
        var words = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                words.unicodeScalars.append(scalar)
                continue
            }
            let (number, digits): (Int?, Int)
            switch rest.popFirst() {
            case "Y": (number, digits) = (day.year, 4)
            case "m": (number, digits) = (day.month, 2)
            case "d": (number, digits) = (day.day, 2)
            case "H": (number, digits) = (time?[0], 2)
            case "M": (number, digits) = (time?[1], 2)
            case "S": (number, digits) = (time?[2], 2)
            default:
                words += "%"
                continue
            }
            guard let number else { return nil }
            let plain = String(number)
            words += String(repeating: "0", count: max(0, digits - plain.utf8.count)) + plain
        }
        return words
    }

    /// Returns hour, minute and second of `04:05:06Z` or `04:05`, or nil for other text.
    private static func time(_ bytes: ArraySlice<UInt8>) -> [Int]? {
        var numbers: [Int] = []
        var rest = bytes
        while numbers.count < 3 {
            if numbers.count > 0 {
                guard rest.first == UInt8(ascii: ":") else { break }
                rest.removeFirst()
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy(\.isDigit),
                let number = Int(String(decoding: digits, as: UTF8.self))
            else { return nil }
            numbers.append(number)
            rest = rest.dropFirst(2)
        }
        if numbers.count == 2 { numbers.append(0) }
        return numbers.count == 3 && numbers[0] < 24 && numbers[1] < 60 && numbers[2] <= 60 ? numbers : nil
    }
}
