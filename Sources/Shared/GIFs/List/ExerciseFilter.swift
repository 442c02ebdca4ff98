import Records
import Support

/// Selects exercises that match all conditions. An exercise matches a condition if it matches one of the condition's
/// words, or if the condition has no words. Case is ignored.
///
/// The filter is applied to the complete list of exercises, so that no filter needs a request if the list is cached.
public struct ExerciseFilter: Sendable, Equatable {
    public var bodyParts: [String]
    public var targets: [String]
    public var equipment: [String]
    /// Substrings of the name.
    public var names: [String]

    /// Creates a filter. Each string may contain several words separated by commas, like the value of an option.
    public init(bodyParts: [String] = [], targets: [String] = [], equipment: [String] = [], names: [String] = []) {
        self.bodyParts = Self.words(bodyParts)
        self.targets = Self.words(targets)
        self.equipment = Self.words(equipment)
        self.names = Self.words(names)
    }

    public func accepts(_ exercise: Record) -> Bool {
        func isOne(_ words: [String], of property: ExerciseProperty) -> Bool {
            words.isEmpty || property.values(of: exercise).contains { words.contains($0.lowercased()) }
        }
        guard isOne(bodyParts, of: .bodyPart), isOne(targets, of: .target), isOne(equipment, of: .equipment) else {
            return false
        }
        let name = exercise.string("name")?.lowercased() ?? ""
        return names.isEmpty || names.contains { name.contains(text: $0) }
    }

    private static func words(_ lists: [String]) -> [String] {
        lists.flatMap { $0.split(separator: ",") }.map { $0.trimming { $0 == " " }.lowercased() }
            .filter { !$0.isEmpty }
    }
}
