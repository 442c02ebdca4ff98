import HTTP
import Records
import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a person or a record names: a picture at one of several addresses, or a local file.
public enum CacheItem: Sendable {
    case addresses([PictureAddresses.Candidate])
    /// Only ever from an argument: a record's text never becomes a path.
    case file(path: String)

    /// How to find items.
    public struct Rules: Sendable {
        public var addresses = PictureAddresses()
        /// The key to use instead of the address.
        public var key: String?
        /// The field that holds the key to use instead of the address.
        public var keyField: FieldPath?
        /// Query parameters that make no difference.
        public var ignoredQuery: Set<String> = []

        public init() {}

        /// The key of one address of a record. Throws `CacheFailure.badKey`.
        public func key(_ url: WebURL, record: Record) throws -> CacheKey {
            if let key = try ownKey(record) { return key }
            return CacheKey(url: url, ignoringQuery: ignoredQuery)
        }

        func ownKey(_ record: Record) throws -> CacheKey? {
            if let key { return try CacheKey(custom: key) }
            return try keyField.flatMap { record.printable($0) }.map { try CacheKey(custom: $0) }
        }
    }

    /// The item that a plain argument names: an address where it has a scheme, else a file. Throws `UsageFailure` for
    /// an address that is none; a scheme or host that is refused is left to whoever asks.
    public init(argument: String) throws {
        guard argument.hasScheme else {
            self = .file(path: argument)
            return
        }
        let candidate = PictureAddresses.Candidate { () throws(WebURLFailure) in try WebURL(argument) }
        if case .failure(let failure) = candidate, failure.exitCode == .data { throw UsageFailure(failure.message) }
        self = .addresses([candidate])
    }

    /// The keys under which the item may be, the best one first, each with the address that its policy goes by.
    public func keys(_ rules: Rules, record: Record) throws -> [(key: CacheKey, address: String)] {
        switch self {
        case .file(let path):
            guard let own = try rules.ownKey(record) else {
                let key = try Self.fileKey(path)
                return [(key, key.text)]
            }
            return [(own, (try? Self.fileKey(path).text) ?? path)]
        case .addresses(let candidates):
            let keys = try candidates.compactMap { candidate in try? candidate.get() }.map {
                (try rules.key($0, record: record), $0.normalized)
            }
            // A key of its own is enough: what `ls` tells of a local file has no address.
            if keys.isEmpty, let own = try rules.ownKey(record) { return [(own, own.text)] }
            return keys
        }
    }

    /// A local file's key: its absolute path, links resolved, as a `file` address. A file that is gone has the key that
    /// it had. Throws `SystemFailure` (66).
    public static func fileKey(_ path: String) throws -> CacheKey {
        try CacheKey(custom: "file://" + resolved(path))
    }

    /// The path from the root on, links resolved as far as it exists.
    private static func resolved(_ path: String) throws -> String {
        if let found = realpath(path, nil) {
            defer { free(found) }
            return String(cString: found)
        }
        let code = errno
        guard code == ENOENT, !path.isEmpty, path != ".", !path.hasSuffix("/") else {
            throw SystemFailure(errno: code, "open \(path)", purpose: .openInput)
        }
        guard let slash = path.lastIndex(of: "/") else { return try resolved("./" + path) }
        let folder = try slash == path.startIndex ? "" : resolved(String(path[..<slash]))
        return (folder == "/" ? "" : folder) + path[slash...]
    }
}
