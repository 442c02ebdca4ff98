import Records
import Store
import Support

extension Statistics {
    public enum Format: String, Sendable, CaseIterable {
        case text, json, prometheus
    }

    public func bytes(_ format: Format) -> [UInt8] {
        switch format {
        case .text: Array(text.utf8)
        case .json: json.bytes + [UInt8(ascii: "\n")]
        case .prometheus: Array(exposition.utf8)
        }
    }

    /// The totals, followed by each scope with its counters.
    var json: JSON {
        .object([
            "entries": .integer(entries), "pictures": .integer(entries - variants), "variants": .integer(variants),
            "bytes": .integer(bytes), "capacity": .integer(capacity),
            "excess": .integer(excess), "pinned": pinned.json, "leased": leased.json, "held_bytes": .integer(heldBytes),
            "metadata": metadata.jsonOfMetadata, "scopes": .array(scopes.map(\.json)),
        ])
    }
}

extension EntrySum {
    fileprivate var json: JSON { .object(["entries": .integer(entries), "bytes": .integer(bytes)]) }

    /// Uses `count`, since metadata rows are not entries.
    fileprivate var jsonOfMetadata: JSON { .object(["count": .integer(entries), "bytes": .integer(bytes)]) }
}

extension Statistics.Scope {
    fileprivate var json: JSON {
        .object([
            "scope": .string(name), "entries": .integer(entries), "pictures": .integer(entries - variants),
            "variants": .integer(variants), "bytes": .integer(bytes),
            "metadata": metadata.jsonOfMetadata, "since": since.map { .string($0.iso8601) },
            "counters": .object(Counter.allCases.map { JSON.Member($0.rawValue, .integer(self[$0])) }),
            "failures": .object(failures.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .integer($0.value)) }),
        ])
    }
}
