import Records
import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The configuration file: one JSON object whose fields are named like the long options, with `_` for `-`.
public struct Configuration: Sendable {
    /// Every field that some tool knows. One file serves all tools, so each of them accepts all.
    static let fields = [
        "allow_path", "allow_private", "allow_shared_root", "api_url", "bearer_file", "cache_dir", "capacity",
        "confinement", "exercisedb_url", "header_file", "jobs", "jobs_per_host", "lease", "max_animation_pixels",
        "max_bytes", "max_frames", "max_memory", "max_pixels", "max_seconds", "memory_bytes", "memory_capacity",
        "memory_entries", "metrics", "negative_ttl", "netrc_file", "policy", "policy_rules", "quality", "rate",
        "resolution", "respect_cache_control", "retries", "science_url", "scope", "service", "styles", "sync",
        "timeout", "ttl",
    ]

    private static let byteLimit = 1 << 20

    private let record: Record
    private let path: String

    /// No file: nothing is set.
    public static let empty = Configuration(record: Record(), path: "")

    private init(record: Record, path: String) {
        self.record = record
        self.path = path
    }

    /// Reads the file named by the option or `APOD_TOOLS_CONFIG`, which must exist, else the one at the usual place, if
    /// there is one. Throws `ConfigurationFailure` (78).
    public static func load(option: String?, environment: Environment) throws -> Configuration {
        if let path = option ?? environment["APOD_TOOLS_CONFIG"] {
            return try read(path)
        }
        let base = environment["XDG_CONFIG_HOME"] ?? environment["HOME"].map { $0 + "/.config" }
        guard let path = base.map({ $0 + "/apod-tools/config.json" }), access(path, F_OK) == 0 else { return empty }
        return try read(path)
    }

    private static func read(_ path: String) throws -> Configuration {
        let record: Record
        do {
            let bytes = try File.openInput(path).contents(atMost: byteLimit + 1)
            guard bytes.count <= byteLimit else { throw ConfigurationFailure("it has more than 1 MiB") }
            record = try Record(parsing: bytes)
        } catch let failure as any Failure {
            throw ConfigurationFailure("cannot use the configuration file \(path): \(failure.message)")
        }
        for name in record.names where !fields.contains(name) {
            throw ConfigurationFailure(
                "\(path): unknown field \"\(name)\"\(NearMatch.advice(for: name, among: fields))")
        }
        return Configuration(record: record, path: path)
    }

    /// The field's value as text; a number or truth value as it is written. Throws for an array or an object.
    func text(_ field: String) throws -> String? {
        guard let path = FieldPath(field), let raw = record.raw(path) else { return nil }
        guard raw.first != UInt8(ascii: "{"), raw.first != UInt8(ascii: "[") else {
            throw ConfigurationFailure("\(self.path): \"\(field)\" must be a string or a number")
        }
        return record.printable(path)
    }

    /// The field's object with the file's path, for fields that hold more than one value; nil where it is not set.
    /// Throws for anything but an object.
    public func object(_ field: FieldPath) throws -> (record: Record, path: String)? {
        guard let raw = record.raw(field) else { return nil }
        guard let object = try? Record(parsing: raw) else {
            throw ConfigurationFailure("\(path): \"\(field)\" must be an object")
        }
        return (object, path)
    }

    func describes(_ field: String) -> String { "\(path): \"\(field)\"" }
}
