extension StringProtocol {
    /// Where `needle` stands first, small and capital ASCII letters being the same. O(count × needle).
    func firstRange(ofIgnoringCase needle: String) -> Range<Index>? {
        let wanted = needle.utf8.map(\.lowercased)
        let bytes = Array(utf8)
        guard let first = wanted.first, bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count) where bytes[start].lowercased == first {
            var length = 1
            while length < wanted.count, bytes[start + length].lowercased == wanted[length] { length += 1 }
            guard length == wanted.count else { continue }
            let lower = utf8.index(startIndex, offsetBy: start)
            return lower..<utf8.index(lower, offsetBy: length)
        }
        return nil
    }

    func hasPrefix(ignoringCase start: String) -> Bool {
        utf8.count >= start.utf8.count && zip(utf8, start.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }

    func containsIgnoringCase(_ needle: String) -> Bool { firstRange(ofIgnoringCase: needle) != nil }
}

extension UInt8 {
    /// The small ASCII letter of a capital one, anything else unchanged.
    var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

    var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
