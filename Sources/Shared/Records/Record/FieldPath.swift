import Support

/// The path of a value in a record: field names joined by dots, such as `variants.overlay.path`. A number is an index
/// into an array. A field whose name equals the whole path, dots included, takes precedence.
public struct FieldPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    /// Returns nil if a component is empty.
    public init?(_ text: String) {
        guard !text.isEmpty, !text.hasPrefix("."), !text.hasSuffix("."), !text.contains(text: "..") else { return nil }
        description = text
    }

    /// Does not validate the literal, which would cost time at each use.
    public init(stringLiteral text: String) { description = text }

    var components: [Substring] { description.split(separator: ".") }
}
