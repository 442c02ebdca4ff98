import Records
import Support

/// The id of an exercise, such as `0001`. Leading zeros are significant.
public struct ExerciseID: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    /// Accepts 1 to 64 ASCII letters, digits, `_` and `-`; throws `GIFFailure.badID` otherwise. The ids of the service
    /// have four digits, and the ids of related products seven letters.
    public init(_ text: String) throws(GIFFailure) {
        let isFit = text.utf8.allSatisfy { $0.isDigit || $0.isLetter || "_-".utf8.contains($0) }
        guard (1...64).contains(text.utf8.count), isFit else { throw .badID(text) }
        self.text = text
    }

    /// Reads the id from `field`. If `field` is nil, reads `id` or, if the record has no `id`, `exerciseId`.
    ///
    /// A number is read as its digits. `1` is not padded to `0001`, because the service may have both ids. Throws
    /// `GIFFailure.noID` and `.badID`.
    public init(of record: Record, field: FieldPath? = nil) throws(GIFFailure) {
        let fields: [FieldPath] = field.map { [$0] } ?? ["id", "exerciseId"]
        guard let text = fields.lazy.compactMap({ record.printable($0) }).first else {
            throw .noID(fields: fields.map(\.description))
        }
        try self.init(text)
    }

    public var description: String { text }
}
