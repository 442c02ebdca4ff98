/// The four letters that name a box, or a chunk of a PNG or WebP.
public struct FourCC: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The first letter is in the highest byte.
    public let code: UInt32

    public init(_ code: UInt32) { self.code = code }

    public init(stringLiteral letters: StaticString) {
        code = (0..<4).reduce(0) { $0 << 8 | UInt32(letters.utf8Start[$1]) }
    }

    /// Whether a decoder may ignore the chunk: bit 5 of the first letter (PNG §5.4).
    public var isAncillary: Bool { code >> 24 & 0x20 != 0 }

    /// Whether all four bytes are ASCII letters, as PNG §5.4 requires.
    public var isLetters: Bool { [24, 16, 8, 0].allSatisfy { (0x41...0x5A).contains(code >> $0 & 0xDF) } }
}
