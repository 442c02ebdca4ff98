import Records

/// What ExerciseDB calls an exercise: `0001`. A string as it stands: leading zeros belong to it.
public struct ExerciseID: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    /// Takes 1 to 64 letters, digits, `_` and `-` of ASCII; throws `GIFFailure.badID` for anything else. The service's
    /// own ids are four digits, those of its sister products words of seven letters.
    public init(_ text: String) throws(GIFFailure) {
        let isFit = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard (1...64).contains(text.utf8.count), isFit else { throw .badID(text) }
        self.text = text
    }

    /// The id of a record: its field `field` or, without one, the first of `id` and `exerciseId` that is there.
    ///
    /// A number is taken for its digits as they are written: `1` is not padded to `0001`, since the service may know
    /// both. Throws `GIFFailure.noID` and `.badID`.
    public init(of record: Record, field: FieldPath? = nil) throws(GIFFailure) {
        let fields: [FieldPath] = field.map { [$0] } ?? ["id", "exerciseId"]
        guard let text = fields.lazy.compactMap({ record.printable($0) }).first else {
            throw .noID(fields: fields.map(\.description))
        }
        try self.init(text)
    }

    public var description: String { text }
}
