/// A text that is compared by its UTF-8 bytes, as SQLite's BINARY collation does it.
///
/// Swift compares strings by canonical equivalence: `é` equals `e` with a combining accent. Addresses, file names and
/// names of scopes that differ in their bytes are different, so dictionaries and sets over texts from outside have these
/// as their keys.
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

    /// Returns the text behind a prefix, compared by its UTF-8 bytes; nil if the text does not begin with it.
    public func removing(bytePrefix prefix: String) -> String? {
        utf8.starts(with: prefix.utf8) ? String(Substring(utf8.dropFirst(prefix.utf8.count))) : nil
    }
}
