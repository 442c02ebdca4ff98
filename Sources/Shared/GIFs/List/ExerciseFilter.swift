import Records

/// Which exercises of the list are meant. All kinds of conditions must be met, each by one of its words; those without
/// words always are. Upper and lower case are the same.
///
/// Applied to the whole list: so one list that is kept serves every filter, and no request is spent on another one.
public struct ExerciseFilter: Sendable, Equatable {
    public var bodyParts: [String] = []
    public var targets: [String] = []
    public var equipment: [String] = []
    /// Parts of the name.
    public var names: [String] = []

    /// Each word may be several with commas, as options have it.
    public init(
        bodyParts: [String] = [], targets: [String] = [], equipment: [String] = [], names: [String] = []
    ) {
        self.bodyParts = Self.words(bodyParts)
        self.targets = Self.words(targets)
        self.equipment = Self.words(equipment)
        self.names = Self.words(names)
    }

    public func accepts(_ exercise: Record) -> Bool {
        func isOne(_ words: [String], of property: ExerciseProperty) -> Bool {
            words.isEmpty || property.values(of: exercise).contains { words.contains($0.lowercased()) }
        }
        func isNamed() -> Bool {
            let name = exercise.string("name")?.lowercased() ?? ""
            return names.isEmpty || names.contains { name.contains(text: $0) }
        }
        return isOne(bodyParts, of: .bodyPart) && isOne(targets, of: .target) && isOne(equipment, of: .equipment)
            && isNamed()
    }

    private static func words(_ lists: [String]) -> [String] {
        lists.flatMap { $0.split(separator: ",") }.map { word in
            let blank = { (character: Character) in character == " " }
            return String(word.drop(while: blank).reversed().drop(while: blank).reversed()).lowercased()
        }.filter { !$0.isEmpty }
    }
}
