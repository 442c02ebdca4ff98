import Store
import Support

extension Statistics {
    /// The statistics for a terminal of 80 columns: totals, then the counters of each scope. Each counter is followed
    /// by its name in the manual and in the other formats.
    var text: String {
        let share = capacity > 0 ? " (\(Int(Double(bytes) / Double(capacity) * 100)) %)" : ""
        let excess = excess > 0 ? ", \(ByteCount.description(excess)) over" : ""
        let all = ListTotal.words("picture", entries - variants, variants: variants)
        var lines = ["\(all), \(ByteCount.description(bytes)) of \(ByteCount.description(capacity))\(share)\(excess)"]
        func add(_ label: String, _ text: String) { lines.append("  " + label.padded(to: 23) + text) }
        if leased.entries > 0 { add("leases in force", leased.text) }
        if pinned.entries > 0 { add("pinned", pinned.text) }
        if heldBytes > 0 { add("cannot be trimmed now", ByteCount.description(heldBytes)) }
        if metadata.entries > 0 { add("metadata", metadata.wordsOfMetadata) }
        for scope in scopes { lines += [""] + scope.lines }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension EntrySum {
    fileprivate var wordsOfMetadata: String {
        "\(counted(entries, "record")), \(ByteCount.description(bytes))"
    }
}

extension Statistics.Scope {
    /// The totals, the hit rate, and each counter that is not zero.
    fileprivate var lines: [String] {
        let since = since.map { "; counters since \($0.iso8601)" } ?? ""
        var lines = [
            "scope \(TerminalText.escaped(name)): \(ListTotal.words("picture", entries - variants, variants: variants)), "
                + "\(ByteCount.description(bytes))\(since)"
        ]
        if metadata.entries > 0 { lines.append("  metadata: \(metadata.wordsOfMetadata)") }
        if let found {
            let tenths = Int((Double(found.count) / Double(found.asked) * 1000).rounded(.down))
            lines.append("  found \(found.count) of \(found.asked) requested (\(tenths / 10).\(tenths % 10) %)")
        }
        for group in CounterGroup.all {
            let rows = group.rows.filter { self[$0.counter] != 0 }
            if rows.isEmpty { continue }
            lines += ["", "  \(group.title)"]
            for (counter, label) in rows {
                let amount = counter.countsBytes ? ByteCount.description(self[counter]) : "\(self[counter])"
                lines.append(Self.row(label, amount, "  \(counter.rawValue)"))
            }
        }
        if !failures.isEmpty {
            lines += ["", "  Failures, by code"]
            lines += failures.sorted { $0.key < $1.key }.map { Self.row($0.key, "\($0.value)", "") }
        }
        return lines
    }

    private static func row(_ label: String, _ amount: String, _ name: String) -> String {
        "    \(label.padded(to: 46)) \(amount.aligned(to: 8))\(name)"
    }
}

/// A group of counters with short labels. `Counter.meaning` contains the full descriptions.
struct CounterGroup {
    let title: String
    let rows: [(counter: Counter, label: String)]

    /// Every counter is in exactly one group.
    static let all = [
        CounterGroup(
            title: "Requested pictures",
            rows: [
                (.hits, "found, fresh"),
                (.coalesced, "  of these, fetched by another run or thread"),
                (.revalidated, "found, unchanged on the server"),
                (.stale, "found, expired, but served"),
                (.misses, "not found, or not usable"),
                (.missesAbsent, "  not in the cache"),
                (.missesExpired, "  expired or changed, and replaced"),
                (.missesRefresh, "  refreshed, and replaced"),
                (.missesLost, "  file lost or changed on the disk"),
                (.missesPolicy, "  not cached because of a policy"),
                (.kept, "not requested: files made from them exist"),
                (.negativeHits, "not requested: failed recently"),
            ]),
        CounterGroup(
            title: "Requested variants",
            rows: [
                (.variantHits, "found"),
                (.variantsCoalesced, "  of these, made by another run or thread"),
                (.variantsMade, "made"),
            ]),
        CounterGroup(
            title: "Bytes",
            rows: [
                (.bytesServed, "served from the cache"),
                (.bytesFetched, "downloaded and stored"),
                (.bytesWritten, "written to the cache, including variants"),
            ]),
        CounterGroup(
            title: "Stored and removed",
            rows: [
                (.stored, "pictures stored from files or from memory"),
                (.evictions, "entries evicted to stay below the capacity"),
                (.bytesEvicted, "  their size"),
                (.removed, "entries removed by rm and clean"),
                (.bytesRemoved, "  their size"),
                (.healed, "entries removed: file lost or changed"),
                (.lostWrites, "  of these, lost in a restart"),
            ]),
        CounterGroup(
            title: "Remote",
            rows: [
                (.remoteHits, "found there"),
                (.remoteMisses, "not found there"),
                (.remoteDamaged, "damaged there, and not used"),
                (.remoteErrors, "requests that failed"),
                (.remoteStored, "uploaded"),
                (.bytesFromRemote, "received"),
                (.bytesToRemote, "sent"),
                (.remoteMillisecondsSaved, "milliseconds saved"),
            ]),
    ]
}
