import Records

/// The list of exercises as it is kept: one body, so that it is there as a whole or not at all. Pure.
///
/// A line that says of what service it is, and a line for each exercise, in the service's own bytes.
struct KeptList: Equatable {
    /// To be raised when the form changes; a list of another one counts as absent.
    private static let edition = 1

    let exercises: [Record]

    init(_ exercises: [Record]) { self.exercises = exercises }

    /// Reads a body; nil for one of another edition or another service, and for a damaged one.
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
