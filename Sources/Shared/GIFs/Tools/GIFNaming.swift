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

    /// Returns the exercise that an argument or, without one, a record names, and which resolutions of it will do. An
    /// argument is an id, or the key of a GIF as it is printed (`exercisedb:0001@180`), which means its resolution
    /// alone. Throws `GIFFailure.noID` and `.badID`.
    public func meant(
        by argument: String?, _ record: Record = Record()
    ) throws(GIFFailure) -> (id: ExerciseID, resolution: ResolutionChoice) {
        guard let argument else { return (try ExerciseID(of: record, field: idField), resolution) }
        if let gif = ExerciseGIF(cacheKey: argument) { return (gif.id, .exactly(gif.resolution)) }
        return (try ExerciseID(argument), resolution)
    }
}
