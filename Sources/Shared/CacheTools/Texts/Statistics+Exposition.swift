import Store
import Support

/// The statistics in Prometheus's text format, mainly for node_exporter's textfile collector
/// (prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4).
extension Statistics {
    var exposition: String {
        var text = ""
        func family(_ name: String, _ type: String, _ help: String, _ samples: [Exposition.Sample]) {
            text += Exposition.family("apod_tools_cache_\(name)", type: type, help: help, samples)
        }
        func scoped(_ value: (Scope) -> Int?) -> [Exposition.Sample] {
            scopes.compactMap { scope in value(scope).map { ([("scope", scope.name)], "\($0)") } }
        }
        family("entries", "gauge", "Entries of a scope.", scoped { $0.entries })
        family("bytes", "gauge", "Bytes of the files of a scope.", scoped { $0.bytes })
        family("capacity_bytes", "gauge", "The capacity of the cache in bytes, for all scopes.", [([], "\(capacity)")])
        family("excess_bytes", "gauge", "Bytes above the capacity, which leases and pins protect.", [([], "\(excess)")])
        family("pinned_entries", "gauge", "Pinned entries.", [([], "\(pinned.entries)")])
        family("pinned_bytes", "gauge", "Bytes of the pinned entries.", [([], "\(pinned.bytes)")])
        family("leased_entries", "gauge", "Unpinned entries with a current lease.", [([], "\(leased.entries)")])
        family(
            "leased_bytes", "gauge", "Bytes of the unpinned entries with a current lease.",
            [([], "\(leased.bytes)")])
        family("metadata", "gauge", "Metadata items of a scope.", scoped { $0.metadata.entries })
        family("metadata_bytes", "gauge", "Bytes of the metadata items of a scope.", scoped { $0.metadata.bytes })
        family(
            "counted_since_timestamp_seconds", "gauge", "The time at which the counters of a scope began.",
            scopes.compactMap { scope in scope.since.map { ([("scope", scope.name)], Exposition.seconds($0)) } })
        for counter in Counter.allCases {
            family(counter.expositionName, "counter", counter.meaning, scoped { $0[counter] })
        }
        family(
            "failures_total", "counter", "Failures, by their code.",
            scopes.flatMap { scope in
                scope.failures.sorted { $0.key < $1.key }.map { code, count in
                    ([("scope", scope.name), ("code", code)], "\(count)")
                }
            })
        return text
    }
}

extension Counter {
    /// The name in Prometheus, such as `hits_total`. By convention, a unit follows the name: `served_bytes_total`.
    fileprivate var expositionName: String {
        countsBytes ? "\(rawValue.dropFirst("bytes_".count))_bytes_total" : "\(rawValue)_total"
    }
}

enum Exposition {
    typealias Sample = (labels: [(name: String, value: String)], value: String)

    /// Formats all samples of a metric, which the format requires to be adjacent. Returns an empty text if there are no
    /// samples.
    static func family(_ name: String, type: String, help: String, _ samples: [Sample]) -> String {
        if samples.isEmpty { return "" }
        var text = "# HELP \(name) \(escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
        for (labels, value) in samples {
            let pairs = labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
            text += "\(name)\(pairs.isEmpty ? "" : "{\(pairs)}") \(value)\n"
        }
        return text
    }

    /// Formats seconds since 1970 with three decimals.
    static func seconds(_ time: Timestamp) -> String {
        let (seconds, rest) = max(time.milliseconds, 0).quotientAndRemainder(dividingBy: 1000)
        return "\(seconds).\(rest < 100 ? "0" : "")\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Escapes backslashes, line feeds and, in label values, quotation marks.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
