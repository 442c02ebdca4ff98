extension UInt8 {
    /// The small ASCII letter of a capital one, anything else unchanged.
    @inlinable public var lowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

    /// Whether it is `a` to `z` or `A` to `Z`.
    @inlinable public var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Whether it is such a letter, or `0` to `9`.
    @inlinable public var isASCIIAlphanumeric: Bool { isASCIILetter || self &- UInt8(ascii: "0") < 10 }
}
