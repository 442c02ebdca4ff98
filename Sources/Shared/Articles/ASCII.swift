extension UInt8 {
    /// The byte in lower case if it is an ASCII letter. Other bytes are unchanged.
    @inlinable public var lowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

    @inlinable public var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

    @inlinable public var isASCIIAlphanumeric: Bool { isASCIILetter || self &- UInt8(ascii: "0") < 10 }
}

/// Searches and comparisons that ignore the case of ASCII letters. They compare bytes in place and usually copy
/// nothing.
extension StringProtocol {
    /// Returns the first occurrence of `needle`. Cost: O(n·m).
    public func firstRange(ofIgnoringCase needle: String) -> Range<Index>? {
        var needle = needle
        let place = needle.withUTF8 { wanted in
            utf8.withContiguousStorageIfAvailable { $0.place(ofIgnoringCase: wanted) }
                ?? Array(utf8).withUnsafeBufferPointer { $0.place(ofIgnoringCase: wanted) }
        }
        return place.map { place in
            let start = utf8.index(startIndex, offsetBy: place)
            return start..<utf8.index(start, offsetBy: needle.utf8.count)
        }
    }

    public func hasPrefix(ignoringCase start: String) -> Bool {
        utf8.count >= start.utf8.count && zip(utf8, start.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }

    public func containsIgnoringCase(_ needle: String) -> Bool { firstRange(ofIgnoringCase: needle) != nil }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func place(ofIgnoringCase wanted: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let first = wanted.first?.lowercased, count >= wanted.count else { return nil }
        for start in 0...(count - wanted.count) where self[start].lowercased == first {
            var length = 1
            while length < wanted.count, self[start + length].lowercased == wanted[length].lowercased { length += 1 }
            if length == wanted.count { return start }
        }
        return nil
    }
}
