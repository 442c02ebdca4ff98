import Records
import Support

extension Statistics {
    /// The statistics as one JSON object: totals, then each scope with its counters.
    public var json: JSON {
        .object([
            "entries": .integer(entries), "bytes": .integer(bytes), "capacity": .integer(capacity),
            "excess": .integer(excess), "scopes": .array(scopes.map(\.json)),
        ])
    }

    /// The statistics for a person: a line each.
    public var text: String {
        var lines = ["\(entries) entries, \(ByteCount.description(bytes)) of \(ByteCount.description(capacity))"]
        if excess > 0 { lines[0] += ", \(ByteCount.description(excess)) too many" }
        for scope in scopes {
            let since = scope.since.map { " since \($0.iso8601)" } ?? ""
            lines.append("")
            lines.append(
                "scope \(TerminalText.escaped(scope.name)): \(scope.entries) entries, \(ByteCount.description(scope.bytes))\(since)")
            for counter in Counter.allCases {
                guard let count = scope.counters[counter], count != 0 else { continue }
                lines.append("  \(counter.rawValue) \(count)")
            }
            for (code, count) in scope.failures.sorted(by: { $0.key < $1.key }) {
                lines.append("  failures \(code) \(count)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Statistics.Scope {
    var json: JSON {
        .object([
            "scope": .string(name), "entries": .integer(entries), "bytes": .integer(bytes),
            "since": since.map { .string($0.iso8601) },
            "counters": .object(Counter.allCases.map { JSON.Member($0.rawValue, .integer(counters[$0] ?? 0)) }),
            "failures": .object(failures.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .integer($0.value)) }),
        ])
    }
}
