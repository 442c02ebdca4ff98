extension StringProtocol {
    /// Returns where `needle` first stands, taking small and capital ASCII letters as the same. Cost: O(n·m), without
    /// copies.
    public func firstRange(ofIgnoringCase needle: String) -> Range<Index>? {
        if let found = utf8.withContiguousStorageIfAvailable({ $0.place(ofIgnoringCase: needle) }) {
            return found.map { place in
                let start = utf8.index(startIndex, offsetBy: place)
                return start..<utf8.index(start, offsetBy: needle.utf8.count)
            }
        }
        var copy = String(self)
        copy.makeContiguousUTF8()
        return copy.utf8.withContiguousStorageIfAvailable { $0.place(ofIgnoringCase: needle) }?.map { place in
            let start = utf8.index(startIndex, offsetBy: place)
            return start..<utf8.index(start, offsetBy: needle.utf8.count)
        }
    }

    /// Returns whether the text begins so, taking small and capital ASCII letters as the same.
    public func hasPrefix(ignoringCase start: String) -> Bool {
        utf8.count >= start.utf8.count && zip(utf8, start.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }

    /// Returns whether `needle` stands anywhere in the text, taking small and capital ASCII letters as the same.
    public func containsIgnoringCase(_ needle: String) -> Bool { firstRange(ofIgnoringCase: needle) != nil }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func place(ofIgnoringCase needle: String) -> Int? {
        var needle = needle
        return needle.withUTF8 { wanted in
            guard let first = wanted.first?.lowercased, count >= wanted.count else { return nil }
            for start in 0...(count - wanted.count) where self[start].lowercased == first {
                var length = 1
                while length < wanted.count, self[start + length].lowercased == wanted[length].lowercased {
                    length += 1
                }
                if length == wanted.count { return start }
            }
            return nil
        }
    }
}

extension UInt8 {
    /// The small ASCII letter of a capital one, anything else unchanged.
    public var lowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

    public var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

    public var isASCIIAlphanumeric: Bool { isASCIILetter || self &- UInt8(ascii: "0") < 10 }
}
