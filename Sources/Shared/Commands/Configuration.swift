import Libc
import Options
import Records
import Support

/// The configuration file. It contains a JSON object, whose fields have the names of the long options with `_` for `-`.
public struct Configuration: Sendable {
    /// The fields of all tools. They share a configuration file, so each tool accepts every field.
    static var fields: [String] { [AnyOption].settings.compactMap(\.field) }

    private static let byteLimit = 1 << 20

    private let record: Record
    private let path: String

    /// An empty configuration, for a run without a configuration file.
    public static let empty = Configuration(record: Record(), path: "")

    var isEmpty: Bool { path.isEmpty }

    /// Reads the file that the option or `APOD_TOOLS_CONFIG` names, otherwise the file at the default path if it
    /// exists. Throws `ConfigurationFailure` (78) if a named file does not exist, or if the file is invalid.
    public static func load(option: String?, environment: Environment) throws -> Configuration {
        if let path = option ?? environment["APOD_TOOLS_CONFIG"] { return try read(path) }
        guard let path = usualPath(environment), try isPresent(path) else { return empty }
        return try read(path)
    }

    /// Returns the default path, or nil if neither `XDG_CONFIG_HOME` nor `HOME` is set.
    public static func usualPath(_ environment: Environment) -> String? {
        environment.baseFolder("XDG_CONFIG_HOME", standard: ".config").map { $0 + "/apod-tools/config.json" }
    }

    /// Returns whether the file at the default path exists. Returns false if access is denied: a tool started as
    /// another user may inherit a `HOME` that it cannot read. Throws for any other error, so that no settings are
    /// silently ignored.
    private static func isPresent(_ path: String) throws -> Bool {
        do {
            return try File.exists(path)
        } catch  where error.errno == EACCES {
            return false
        } catch {
            throw ConfigurationFailure("cannot use the configuration file: \(error.message)")
        }
    }

    private static func read(_ path: String) throws -> Configuration {
        let record: Record
        do {
            let bytes = try File.openInput(path).contents(atMost: byteLimit + 1)
            guard bytes.count <= byteLimit else { throw ConfigurationFailure("it is larger than 1 MiB") }
            do {
                record = try Record(parsing: bytes)
            } catch let failure as any Failure {
                // Scan the text again only to find the position of the error.
                throw ConfigurationFailure(JSONPlace.fault(in: bytes)?.message ?? failure.message)
            }
        } catch let failure as any Failure {
            throw ConfigurationFailure("cannot use the configuration file \(path): \(failure.message)")
        }
        let fields = fields
        for name in record.names where !fields.contains(name) {
            throw ConfigurationFailure(
                "\(path): unknown field \"\(name)\"\(NearMatch.advice(for: name, among: fields))")
        }
        return Configuration(record: record, path: path)
    }

    /// Returns the field's value as text, or nil if it is not set. Numbers and Booleans are returned as written. Throws
    /// `ConfigurationFailure` for an array or an object.
    func text(_ field: String) throws -> String? {
        guard !isEmpty, let path = FieldPath(field), let raw = record.raw(path) else { return nil }
        guard raw.first != UInt8(ascii: "{"), raw.first != UInt8(ascii: "[") else {
            throw ConfigurationFailure("\(self.path): \"\(field)\" must be a string, a number or a Boolean")
        }
        return record.printable(path)
    }

    /// Returns the field's object and the file's path, or nil if the field is not set. Throws `ConfigurationFailure` if
    /// the value is not an object.
    public func object(_ field: FieldPath) throws -> (record: Record, path: String)? {
        guard !isEmpty, let raw = record.raw(field) else { return nil }
        guard let object = try? Record(parsing: raw) else {
            throw ConfigurationFailure("\(path): \"\(field)\" must be an object")
        }
        return (object, path)
    }

    func describes(_ field: String) -> String { "\(path): \"\(field)\"" }
}
