import Records

/// The cached list of exercises. It is stored in a single row, so that it is either complete or absent.
///
/// The first line identifies the service. Each further line contains an exercise, in the bytes that the service sent.
struct CachedExerciseList: Equatable {
    /// The version of the layout. Increase it whenever the layout changes. A list of another version is ignored.
    private static let formatVersion = 1

    let exercises: [Record]

    init(_ exercises: [Record]) { self.exercises = exercises }

    /// Parses a stored list. Returns nil if the list has another version, is damaged, or comes from another service.
    init?(body: [UInt8], address: String) {
        guard let lines = try? Record.list(parsing: body), let head = lines.first,
            head.integer("edition") == Self.formatVersion, head.string("address") == address,
            head.integer("count") == lines.count - 1
        else { return nil }
        exercises = Array(lines.dropFirst())
    }

    func body(address: String) -> [UInt8] {
        var body = JSON.object([
            "edition": .integer(Self.formatVersion), "address": .string(address), "count": .integer(exercises.count),
        ]).bytes
        for exercise in exercises {
            body.append(UInt8(ascii: "\n"))
            body += exercise.line
        }
        return body
    }
}
