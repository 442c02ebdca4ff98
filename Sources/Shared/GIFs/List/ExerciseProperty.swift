import Records

/// A property that `ExerciseFilter` uses to select exercises. The raw values are the names of the options.
public enum ExerciseProperty: String, Sendable, CaseIterable {
    case bodyPart = "body-part"
    case target, equipment

    /// The possible fields of the property. At RapidAPI, the field is a string. In the open version, it is an array of
    /// strings.
    private var fields: [FieldPath] {
        switch self {
        case .bodyPart: ["bodyPart", "bodyParts"]
        case .target: ["target", "targetMuscles"]
        case .equipment: ["equipment", "equipments"]
        }
    }

    /// Returns the values of an exercise in the service's spelling: usually one value, sometimes several or none.
    public func values(of exercise: Record) -> [String] {
        fields.flatMap { exercise.strings($0) }.filter { !$0.isEmpty }
    }

    /// Returns the distinct values of all given exercises, sorted.
    public func values(among exercises: some Sequence<Record>) -> [String] {
        Set(exercises.flatMap { values(of: $0) }).sorted()
    }
}
