extension UInt8 {
    @inlinable public var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
    @inlinable public var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
    @inlinable public var isHexDigit: Bool { isDigit || (self | 0x20) &- UInt8(ascii: "a") < 6 }

    /// The value of a hexadecimal digit in upper or lower case, or nil.
    public var hexDigitValue: UInt8? {
        guard isHexDigit else { return nil }
        return isDigit ? self - UInt8(ascii: "0") : (self | 0x20) - UInt8(ascii: "a") + 10
    }
}

extension Int {
    /// Parses ASCII digits only; `Int(_:)` also accepts a sign.
    @inlinable public init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy(\.isDigit) else { return nil }
        self.init(text)
    }
}

extension BidirectionalCollection {
    /// Removes the elements that satisfy a predicate from both ends.
    @inlinable public func trimming(while isTrimmed: (Element) -> Bool) -> SubSequence {
        var rest = self[...]
        while let first = rest.first, isTrimmed(first) { rest = rest.dropFirst() }
        while let last = rest.last, isTrimmed(last) { rest = rest.dropLast() }
        return rest
    }
}
