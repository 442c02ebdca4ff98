import Records

/// A property of exercises that filters know. Raw values are the names of their options.
public enum ExerciseProperty: String, Sendable, CaseIterable {
    case bodyPart = "body-part"
    case target, equipment

    /// ExerciseDB's field, which holds a string, and that of its successor, which holds an array of strings.
    private var fields: [FieldPath] {
        switch self {
        case .bodyPart: ["bodyPart", "bodyParts"]
        case .target: ["target", "targetMuscles"]
        case .equipment: ["equipment", "equipments"]
        }
    }

    /// Returns the values that an exercise has, as the service writes them; often one, sometimes several or none.
    public func values(of exercise: Record) -> [String] {
        fields.flatMap { exercise.strings($0) }.filter { !$0.isEmpty }
    }

    /// Returns the values that occur among exercises, each once, sorted.
    public func values(among exercises: some Sequence<Record>) -> [String] {
        Set(exercises.flatMap { values(of: $0) }).sorted()
    }
}
