import Fetch
import HTTP
import Libc
import Records
import Store
import Support

/// The subject of an argument or a record: a picture with its addresses, or a local file.
public enum CacheItem: Sendable {
    case addresses(Addresses)
    /// A local file, which only an argument can name. The text of a record never becomes a path.
    case file(path: String)

    /// An address of a picture.
    public struct Address: Sendable {
        public let url: WebURL
        /// The normalized address, which the patterns of policies match.
        let text: String
        private let madeKey: Result<CacheKey, any Error>

        fileprivate init(_ url: WebURL, readFrom text: String, ignoringQuery: Set<String>, secrets: KeySecrets) {
            self.url = url
            self.text = url.normalized
            madeKey = Result { try CacheKey(url: url, readFrom: text, ignoringQuery: ignoringQuery, secrets: secrets) }
        }

        /// The key of the address. Throws the errors of `KeySecrets.digest`.
        var key: CacheKey { get throws { try madeKey.get() } }
    }

    /// An address, or the reason for refusing it. Not a `Result`, because looking up its conformances at run time takes
    /// 2 % of the instructions of a hit.
    public enum Candidate: Sendable {
        case address(Address)
        case refused(WebURLFailure)

        func get() throws(WebURLFailure) -> Address {
            switch self {
            case .address(let address): return address
            case .refused(let failure): throw failure
            }
        }
    }

    /// The addresses of a picture, best first, parsed lazily.
    public struct Addresses: Sequence, IteratorProtocol, Sendable {
        public typealias Element = Candidate

        fileprivate var given: Candidate?
        fileprivate var texts: PictureAddresses.Texts?
        fileprivate let rules: Rules

        /// The first address, or nil if there is no address or the first address is refused.
        var best: Address? {
            var rest = self
            return try? rest.next()?.get()
        }

        public mutating func next() -> Candidate? {
            if let given {
                self.given = nil
                return given
            }
            while let text = texts?.next() {
                if let address = rules.address(of: text) { return address }
            }
            return nil
        }
    }

    /// A key to look up, and the address that determines its policy.
    public typealias Lookup = (key: CacheKey, address: String)

    /// The rules for addresses and keys. A class, so that the addresses of all records share an instance.
    public final class Rules: Sendable {
        private let addresses: PictureAddresses
        private let key: String?
        private let keyField: FieldPath?
        private let ignoredQuery: Set<String>
        private let expiryFields: [FieldPath]
        private let secrets: KeySecrets
        private let known = KnownAddresses()

        /// - Parameters:
        ///   - addresses: the record fields that contain addresses.
        ///   - key: a name that replaces the address as the key.
        ///   - keyField: the record field that contains such a name.
        ///   - ignoredQuery: query parameters that are not part of keys.
        ///   - expiryFields: the record fields that contain an expiry. The first field with a value is used.
        ///   - secrets: hashes the secrets in addresses, so that keys contain none.
        public init(
            addresses: PictureAddresses = PictureAddresses(), key: String? = nil, keyField: FieldPath? = nil,
            ignoredQuery: Set<String> = [], expiryFields: [FieldPath] = [], secrets: KeySecrets = .ofProcess
        ) {
            self.addresses = addresses
            self.key = key
            self.keyField = keyField
            self.ignoredQuery = ignoredQuery
            self.expiryFields = expiryFields
            self.secrets = secrets
        }

        /// Returns the address or file that an argument names, or the addresses in a record. An argument with a scheme
        /// is an address. Throws `UsageFailure` for a malformed address. An address with a refused scheme or host
        /// becomes a refused candidate.
        public func item(of job: RecordJob) throws -> CacheItem {
            guard let argument = job.argument else {
                return .addresses(Addresses(texts: addresses.texts(of: job.record), rules: self))
            }
            guard argument.hasScheme else { return .file(path: argument) }
            guard let text = argument.utf8Path else {
                throw UsageFailure("\(argument) is not UTF-8; percent-encode such bytes (%XX)")
            }
            do throws(WebURLFailure) {
                return .addresses(Addresses(given: candidate(try WebURL(text), readFrom: text), rules: self))
            } catch {
                if error.exitCode == .data { throw UsageFailure(error.message) }
                return .addresses(Addresses(given: .refused(error), rules: self))
            }
        }

        func key(_ address: Address, record: Record) throws -> CacheKey { try ownKey(record) ?? address.key }

        /// Returns the user-defined key for a record, if any. Throws `CacheFailure.badKey`.
        func ownKey(_ record: Record) throws -> CacheKey? { try name(record).map { try CacheKey(name: $0) } }

        /// Returns the expiry in the record's fields, if any. Throws `BadExpiryField`.
        func expiry(_ record: Record) throws -> Expiry? {
            for field in expiryFields {
                guard let text = record.printable(field), !text.isEmpty else { continue }
                guard let expiry = Expiry(text) else { throw BadExpiryField(field: field, text: text) }
                return expiry
            }
            return nil
        }

        private func name(_ record: Record) -> String? { key ?? keyField.flatMap { record.printable($0) } }

        /// Returns the keys to look up, best first. An argument can also be a key that a command printed. Throws
        /// `UsageFailure` for a malformed argument, `CacheFailure.badKey`, `SystemFailure` (66) for a relative path if
        /// the working directory is unknown, `WebURLFailure` if no address is valid, and the errors of
        /// `KeySecrets.digest`.
        public func keys(of job: RecordJob) throws -> [Lookup] {
            if let key = try job.argument.flatMap(CacheKey.init(argument:)) { return [(key, key.text)] }
            let item = try item(of: job)
            let own = try name(job.record).map(CacheKey.meant(by:)) ?? []
            switch item {
            case .file(let path):
                if own.isEmpty {
                    let key = try CacheKey.ofFile(path)
                    return [(key, key.text)]
                }
                let address = (try? CacheKey.ofFile(path).text) ?? path
                return own.map { ($0, address) }
            case .addresses(let addresses):
                var found: [Address] = []
                var failure: WebURLFailure?
                for address in addresses {
                    switch address {
                    case .address(let address): found.append(address)
                    case .refused(let first): failure = failure ?? first
                    }
                }
                if found.isEmpty, own.isEmpty, let failure { return [try key(printed: job.argument, failure)] }
                if own.isEmpty { return try found.map { (try $0.key, $0.text) } }
                // A user-defined key needs no address. For example, records of local files from `ls` have no address.
                if found.isEmpty { return own.map { ($0, $0.text) } }
                return found.flatMap { address in own.map { ($0, address.text) } }
            }
        }

        /// Returns the key for an address whose host is refused. An earlier version may have printed this key. Throws
        /// `failure` for other texts.
        private func key(printed text: String?, _ failure: WebURLFailure) throws -> Lookup {
            guard case .blockedHost = failure, let text, WebURL.withoutSecrets(text).hasSameBytes(as: text) else {
                throw failure
            }
            return (try CacheKey(printed: text), text)
        }

        /// Returns the address in a record's text, or nil if its file extension shows that it is not a picture.
        fileprivate func address(of text: String) -> Candidate? {
            known.candidate(text) {
                do throws(WebURLFailure) {
                    guard let url = try addresses.address(text) else { return nil }
                    return candidate(url, readFrom: text)
                } catch {
                    return .refused(error)
                }
            }
        }

        private func candidate(_ url: WebURL, readFrom text: String) -> Candidate {
            .address(Address(url, readFrom: text, ignoringQuery: ignoredQuery, secrets: secrets))
        }
    }

    /// Caches the candidates of the 1,024 most recent texts, because streams often repeat pictures. The table is
    /// created on first use, since commands with arguments do not need it.
    private final class KnownAddresses: Sendable {
        private let recent = Monitor<LRU<Candidate?>?>(nil)

        func candidate(_ text: String, _ read: () -> Candidate?) -> Candidate? {
            if let known = recent.withLock({ $0?.use(text) }) { return known }
            let found = read()
            recent.withLock { recent in
                if recent == nil { recent = LRU(countLimit: 1024, costLimit: .max) }
                recent?.insert(found, for: text, cost: 0)
            }
            return found
        }
    }
}

/// The error for a record whose expiry field contains no valid expiry.
struct BadExpiryField: Failure {
    let field: FieldPath
    let text: String

    var code: String { "bad-expiry" }
    var message: String {
        "\(field) must be a duration such as 7d, a day such as 2026-12-31 or a time such as 2026-12-31T18:00:00Z, "
            + "not \"\(text.prefix(100))\""
    }
    var exitCode: ExitCode { .data }
}
