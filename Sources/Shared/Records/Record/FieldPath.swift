import Support

/// The way to a value in a record: field names joined by dots, such as `variants.overlay.path`; a number steps into an
/// array.
///
/// A field whose own name holds dots is found too, where it is the whole path.
public struct FieldPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String

    /// Nil for a path with an empty step.
    public init?(_ text: String) {
        guard !text.isEmpty, !text.hasPrefix("."), !text.hasSuffix("."), !text.contains(text: "..") else { return nil }
        description = text
    }

    /// Costs nothing, so that a path may be written where it is used.
    public init(stringLiteral text: String) { description = text }

    /// The names in order; a single one is by far the most frequent path.
    var steps: [Substring] { description.split(separator: ".") }
}
