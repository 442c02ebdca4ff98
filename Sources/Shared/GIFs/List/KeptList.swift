import Records

/// The cached list of exercises. It is stored in a single row, so it is complete or absent.
///
/// The first line identifies the service; each other line is an exercise in the service's own bytes.
struct KeptList: Equatable {
    /// The version of the layout. Increase it when the layout changes. Lists of other editions count as absent.
    private static let edition = 1

    let exercises: [Record]

    init(_ exercises: [Record]) { self.exercises = exercises }

    /// Returns nil for a body of another edition or service, and for a damaged body.
    init?(body: [UInt8], address: String) {
        guard let lines = try? Record.list(parsing: body), let head = lines.first,
            head.integer("edition") == Self.edition, head.string("address") == address,
            head.integer("count") == lines.count - 1
        else { return nil }
        exercises = Array(lines.dropFirst())
    }

    func body(address: String) -> [UInt8] {
        var body = JSON.object([
            "edition": .integer(Self.edition), "address": .string(address), "count": .integer(exercises.count),
        ]).bytes
        for exercise in exercises {
            body.append(UInt8(ascii: "\n"))
            body += exercise.line
        }
        return body
    }
}
