/// Text from metadata, cleaned for display and output.
enum MetadataText {
    /// The maximum number of characters; the rest of a text is removed. Names and copyright notices are shorter.
    private static let limit = 2_000

    /// Decodes a text as UTF-8, or, if it is not valid UTF-8, as ISO 8859-1, which old programs write.
    static func cleaned(_ bytes: some Collection<UInt8>) -> String? {
        String(validating: bytes, as: UTF8.self).map(cleaned) ?? cleaned(latin1: bytes)
    }

    static func cleaned(latin1 bytes: some Collection<UInt8>) -> String? {
        cleaned(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
    }

    /// Replaces control characters by spaces, and removes spaces around the text. Returns nil if the result is empty.
    static func cleaned(_ text: String) -> String? {
        let scalars = text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? " " : $0 }
        guard let first = scalars.firstIndex(where: { $0 != " " }), let last = scalars.lastIndex(where: { $0 != " " })
        else { return nil }
        return String(String.UnicodeScalarView(scalars[first...last].prefix(limit)))
    }
}
