import Records
import Support

extension Statistics {
    /// How statistics are written.
    public enum Format: String, Sendable, CaseIterable {
        case text, json, prometheus
    }

    /// The statistics in a format, whole lines.
    public func bytes(_ format: Format) -> [UInt8] {
        switch format {
        case .text: Array(text.utf8)
        case .json: json.bytes + [UInt8(ascii: "\n")]
        case .prometheus: Array(exposition.utf8)
        }
    }

    /// The statistics as one JSON object: totals, then each scope with its counters.
    var json: JSON {
        .object([
            "entries": .integer(entries), "bytes": .integer(bytes), "capacity": .integer(capacity),
            "excess": .integer(excess), "pinned": pinned.json, "leased": leased.json, "held_bytes": .integer(heldBytes),
            "metadata": metadata.jsonOfMetadata, "scopes": .array(scopes.map(\.json)),
        ])
    }

    /// The statistics for a person.
    var text: String {
        var lines = ["\(Sum(entries: entries, bytes: bytes).words) of \(ByteCount.description(capacity))"]
        if excess > 0 { lines[0] += ", \(ByteCount.description(excess)) too many" }
        if leased.entries > 0 { lines.append("leases in force: \(leased.words)") }
        if pinned.entries > 0 { lines.append("pinned: \(pinned.words)") }
        if heldBytes > 0 { lines.append("cannot be trimmed now: \(ByteCount.description(heldBytes))") }
        if metadata.entries > 0 { lines.append("metadata: \(metadata.wordsOfMetadata)") }
        for scope in scopes { lines += [""] + scope.lines }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Statistics.Sum {
    fileprivate var json: JSON { .object(["entries": .integer(entries), "bytes": .integer(bytes)]) }

    /// Metadata are no entries.
    fileprivate var jsonOfMetadata: JSON { .object(["count": .integer(entries), "bytes": .integer(bytes)]) }

    fileprivate var wordsOfMetadata: String {
        "\(entries) \(entries == 1 ? "record" : "records"), \(ByteCount.description(bytes))"
    }

    fileprivate var words: String {
        "\(entries) \(entries == 1 ? "entry" : "entries"), \(ByteCount.description(bytes))"
    }
}

extension Statistics.Scope {
    fileprivate var json: JSON {
        .object([
            "scope": .string(name), "entries": .integer(entries), "bytes": .integer(bytes),
            "metadata": metadata.jsonOfMetadata, "since": since.map { .string($0.iso8601) },
            "counters": .object(Counter.allCases.map { JSON.Member($0.rawValue, .integer(self[$0])) }),
            "failures": .object(failures.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .integer($0.value)) }),
        ])
    }

    /// What it holds, how much was found, and each counter that is not nought.
    fileprivate var lines: [String] {
        let since = since.map { ", counted since \($0.iso8601)" } ?? ""
        var lines = [
            "scope \(TerminalText.escaped(name)): \(Statistics.Sum(entries: entries, bytes: bytes).words)\(since)"
        ]
        if metadata.entries > 0 { lines.append("  metadata \(metadata.wordsOfMetadata)") }
        if let found {
            let tenths = Int((Double(found.count) / Double(found.asked) * 1000).rounded(.down))
            let percent = "\(tenths / 10).\(tenths % 10) %"
            lines.append("  found \(found.count) of \(found.asked) that were asked for (\(percent))")
        }
        for counter in Counter.allCases where self[counter] != 0 {
            let amount = counter.countsBytes ? ByteCount.description(self[counter]) : "\(self[counter])"
            lines.append("  \(counter.rawValue) \(amount)")
        }
        for (code, count) in failures.sorted(by: { $0.key < $1.key }) { lines.append("  failures \(code) \(count)") }
        return lines
    }
}
