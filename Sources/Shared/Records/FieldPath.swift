/// The way to a value in a record: field names joined by dots, such as `variants.overlay.path`; a number steps into an
/// array.
///
/// A field whose own name holds dots is found too, where it is the whole path.
public struct FieldPath: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let description: String
    let steps: [String]

    /// Nil for a path with an empty step.
    public init?(_ text: String) {
        let steps = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !steps.contains("") else { return nil }
        description = text
        self.steps = steps
    }

    public init(stringLiteral text: StaticString) {
        description = text.description
        steps = description.split(separator: ".").map(String.init)
    }
}
