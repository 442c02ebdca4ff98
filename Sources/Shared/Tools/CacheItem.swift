import Fetch
import HTTP
import Libc
import Records
import Store
import Support

/// What a person or a record names: a picture at one of several addresses, or a local file.
public enum CacheItem: Sendable {
    case addresses([PictureAddresses.Candidate])
    /// Only ever from an argument: a record's text never becomes a path.
    case file(path: String)

    /// How to find items.
    public struct Rules: Sendable {
        public var addresses = PictureAddresses()
        /// The name to use as the key instead of the address.
        public var key: String?
        /// The field that holds the name to use as the key instead of the address.
        public var keyField: FieldPath?
        /// Query parameters that make no difference.
        public var ignoredQuery: Set<String> = []

        public init() {}

        /// The key under which one address of a record is put. Throws `CacheFailure.badKey`.
        public func key(_ url: WebURL, record: Record) throws -> CacheKey {
            if let key = try ownKey(record) { return key }
            return CacheKey(url: url, ignoringQuery: ignoredQuery)
        }

        /// The key under which a record is put instead of its address or file; nil for none.
        func ownKey(_ record: Record) throws -> CacheKey? { try name(record).map { try CacheKey(name: $0) } }

        private func name(_ record: Record) -> String? { key ?? keyField.flatMap { record.printable($0) } }

        /// The keys under which a record is looked up instead of its address or file, the best one first.
        fileprivate func ownKeys(_ record: Record) throws -> [CacheKey] {
            try name(record).map(CacheKey.meant(by:)) ?? []
        }
    }

    /// The item that a plain argument names: an address where it has a scheme, else a file. Throws `UsageFailure` for
    /// an address that is none; a scheme or host that is refused is left to whoever asks.
    public init(argument: String) throws {
        guard argument.hasScheme else {
            self = .file(path: argument)
            return
        }
        guard let text = argument.utf8Path else {
            throw UsageFailure("\(argument) is not UTF-8; write such bytes of an address as %XX")
        }
        let candidate = PictureAddresses.Candidate { () throws(WebURLFailure) in try WebURL(text) }
        if case .failure(let failure) = candidate, failure.exitCode == .data { throw UsageFailure(failure.message) }
        self = .addresses([candidate])
    }

    /// The keys under which to look for what an argument names, which may be a key as it was printed, or else for what
    /// a record does: the best one first, each with the address that its policy goes by.
    public static func keys(
        of argument: String?, _ record: Record, _ rules: Rules
    ) throws -> [(key: CacheKey, address: String)] {
        if let key = try argument.flatMap(CacheKey.init(argument:)) { return [(key, key.text)] }
        let item = try argument.map(CacheItem.init(argument:)) ?? .addresses(rules.addresses.candidates(in: record))
        return try item.keys(rules, record: record)
    }

    private func keys(_ rules: Rules, record: Record) throws -> [(key: CacheKey, address: String)] {
        let own = try rules.ownKeys(record)
        switch self {
        case .file(let path):
            if own.isEmpty {
                let key = try CacheKey.ofFile(path)
                return [(key, key.text)]
            }
            let address = (try? CacheKey.ofFile(path).text) ?? path
            return own.map { ($0, address) }
        case .addresses(let candidates):
            let urls = candidates.compactMap { try? $0.get() }
            if own.isEmpty {
                return urls.map { (CacheKey(url: $0, ignoringQuery: rules.ignoredQuery), $0.normalized) }
            }
            // A key of its own is enough: what `ls` tells of a local file has no address.
            if urls.isEmpty { return own.map { ($0, $0.text) } }
            return urls.flatMap { url in own.map { ($0, url.normalized) } }
        }
    }
}
