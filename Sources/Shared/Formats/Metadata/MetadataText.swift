/// Text from metadata, cleaned for display and output.
enum MetadataText {
    /// The maximum number of characters; the rest of a text is removed. Names and copyright notices are shorter.
    private static let limit = 2_000

    /// Decodes a text as UTF-8, or, if it is not valid UTF-8, as ISO 8859-1, which old programs write.
    static func cleaned(_ bytes: some Collection<UInt8>, keepsLines: Bool = false) -> String? {
        cleaned(String(validating: bytes, as: UTF8.self) ?? latin1(bytes), keepsLines: keepsLines)
    }

    static func cleaned(latin1 bytes: some Collection<UInt8>) -> String? { cleaned(latin1(bytes)) }

    private static func latin1(_ bytes: some Collection<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Replaces control characters by spaces, except for line breaks if `keepsLines` is true, and removes spaces around
    /// the text. Returns nil if the result is empty.
    static func cleaned(_ text: String, keepsLines: Bool = false) -> String? {
        let scalars = text.unicodeScalars.map { scalar in
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            return isControl && !(keepsLines && (scalar == "\n" || scalar == "\r")) ? " " : scalar
        }
        guard let first = scalars.firstIndex(where: { $0 != " " }), let last = scalars.lastIndex(where: { $0 != " " })
        else { return nil }
        return String(String.UnicodeScalarView(scalars[first...last].prefix(limit)))
    }
}
