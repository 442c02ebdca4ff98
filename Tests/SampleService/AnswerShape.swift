import Records

/// A wrong shape for the JSON of a response.
enum AnswerShape: Sendable, Equatable {
    case array, object
    case missing(String)
    case null(String)

    /// Parses a name such as `missing-title`; nil if there is no such shape.
    init?(_ name: String) {
        let parts = name.split(separator: "-", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("array", 1): self = .array
        case ("object", 1): self = .object
        case ("missing", 2): self = .missing(parts[1])
        case ("null", 2): self = .null(parts[1])
        default: return nil
        }
    }

    /// Returns the body in this shape, or unchanged if it contains no objects.
    func applied(to body: [UInt8]) -> [UInt8] {
        guard var records = try? Record.list(parsing: body), let first = records.first else { return body }
        var isArray = body.first { $0 > 0x20 } == UInt8(ascii: "[")
        switch self {
        case .array: isArray = true
        case .object: return first.line
        case .missing(let field): for index in records.indices { records[index].remove(field) }
        case .null(let field):
            for index in records.indices where records[index].has(field) { records[index].set(field, .null) }
        }
        let objects = Array(records.map(\.line).joined(separator: [UInt8(ascii: ",")]))
        return isArray ? [UInt8(ascii: "[")] + objects + [UInt8(ascii: "]")] : objects
    }
}
