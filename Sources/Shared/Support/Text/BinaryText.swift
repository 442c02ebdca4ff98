/// A text that is compared by its UTF-8 bytes, as in SQLite's BINARY collation.
///
/// Swift compares strings by canonical equivalence: `é` equals `e` with a combining accent. Dictionaries and sets of
/// addresses, file names and scope names, which differ if their bytes differ, use this type.
public struct BinaryText: Sendable, Hashable, ExpressibleByStringLiteral {
    public let text: String

    public init(_ text: String) { self.text = text }
    public init(stringLiteral text: String) { self.init(text) }

    public static func == (a: BinaryText, b: BinaryText) -> Bool { a.text.hasSameBytes(as: b.text) }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Returns whether two texts have the same UTF-8 bytes.
    public func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Returns the text after a prefix, compared by its UTF-8 bytes, or nil if the text does not begin with it.
    public func removing(bytePrefix prefix: String) -> String? {
        utf8.starts(with: prefix.utf8) ? String(Substring(utf8.dropFirst(prefix.utf8.count))) : nil
    }
}
