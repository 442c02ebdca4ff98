import Records

/// How GIFs are named: where a record has the exercise's id, and which resolution will do.
public struct GIFNaming: Sendable {
    public let resolution: ResolutionChoice
    private let idField: FieldPath?

    /// - Parameter idField: where records hold the exercise's id; `id` or `exerciseId` for nil.
    public init(resolution: ResolutionChoice, idField: FieldPath? = nil) {
        self.resolution = resolution
        self.idField = idField
    }

    /// The id that an argument is, or a record has where there is none. Throws `GIFFailure.noID` and `.badID`.
    public func id(_ argument: String?, _ record: Record = Record()) throws(GIFFailure) -> ExerciseID {
        if let argument { return try ExerciseID(argument) }
        return try ExerciseID(of: record, field: idField)
    }
}
