import Fetch
import HTTP
import Libc
import Records
import Store
import Support

/// What a person or a record names: a picture at one of several addresses, or a local file.
public enum CacheItem: Sendable {
    case addresses(Addresses)
    /// Only ever from an argument: a record's text never becomes a path.
    case file(path: String)

    /// An address under which a picture may be had.
    public struct Address: Sendable {
        public let url: WebURL
        /// In its normal form, by which policies go.
        let text: String
        private let madeKey: Result<CacheKey, any Error>

        fileprivate init(_ url: WebURL, readFrom text: String, ignoringQuery: Set<String>, secrets: KeySecrets) {
            self.url = url
            self.text = url.normalized
            madeKey = Result {
                try CacheKey(url: url, readFrom: text, ignoringQuery: ignoringQuery, secrets: secrets)
            }
        }

        /// The key of the address, where there is none of the user's own. Throws as `KeySecrets.digest` does.
        var key: CacheKey { get throws { try madeKey.get() } }
    }

    /// An address, or the reason for refusing it. Not a `Result`, whose conformances are looked up at run time, at 2 % of
    /// a hit's instructions.
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

    /// The addresses of one picture in the order in which to try them, each read when it is its turn.
    public struct Addresses: Sequence, IteratorProtocol, Sendable {
        public typealias Element = Candidate

        /// The address of an argument.
        private var given: Candidate?
        /// The texts of a record.
        private var texts: PictureAddresses.Texts?
        private let rules: Rules

        fileprivate init(given: Candidate? = nil, texts: PictureAddresses.Texts? = nil, rules: Rules) {
            self.given = given
            self.texts = texts
            self.rules = rules
        }

        /// The first one; nil if there is none that can be asked for.
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

    /// A key under which to look, and the address that its policy goes by.
    public typealias Lookup = (key: CacheKey, address: String)

    /// How to find items. A class, since each record's addresses hold it.
    public final class Rules: Sendable {
        private let addresses: PictureAddresses
        private let key: String?
        private let keyField: FieldPath?
        private let ignoredQuery: Set<String>
        private let expiryFields: [FieldPath]
        private let secrets: KeySecrets
        private let known = KnownAddresses()

        /// - Parameters:
        ///   - addresses: where records have addresses.
        ///   - key: the name to use as the key instead of the address.
        ///   - keyField: the field that holds the name to use as the key instead of the address.
        ///   - ignoredQuery: query parameters that make no difference.
        ///   - expiryFields: the fields that say when an entry expires, of which the first that is there counts.
        ///   - secrets: for the keys of addresses with secrets.
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

        /// Returns what an argument names, an address if it has a scheme, else a file; or else what a record does.
        /// Throws `UsageFailure` for an argument that is no address although it has a scheme; a scheme or host that is
        /// refused is left to the one who asks.
        public func item(of job: RecordJob) throws -> CacheItem {
            guard let argument = job.argument else {
                return .addresses(
                    Addresses(
                        texts: addresses.texts(of: job.record), rules: self))
            }
            guard argument.hasScheme else { return .file(path: argument) }
            guard let text = argument.utf8Path else {
                throw UsageFailure("\(argument) is not UTF-8; write such bytes of an address as %XX")
            }
            do throws(WebURLFailure) {
                return .addresses(Addresses(given: candidate(try WebURL(text), readFrom: text), rules: self))
            } catch {
                if error.exitCode == .data { throw UsageFailure(error.message) }
                return .addresses(Addresses(given: .refused(error), rules: self))
            }
        }

        /// Returns the key under which one address of a record is put. Throws `CacheFailure.badKey`.
        func key(_ address: Address, record: Record) throws -> CacheKey { try ownKey(record) ?? address.key }

        /// Returns the key under which a record is put instead of its address or file; nil for none. Throws
        /// `CacheFailure.badKey`.
        func ownKey(_ record: Record) throws -> CacheKey? { try name(record).map { try CacheKey(name: $0) } }

        /// Returns when a record's entry is to expire, as the record says; nil if it says nothing. Throws
        /// `BadExpiryField`.
        func expiry(_ record: Record) throws -> Expiry? {
            for field in expiryFields {
                guard let text = record.printable(field), !text.isEmpty else { continue }
                guard let expiry = Expiry(text) else { throw BadExpiryField(field: field, text: text) }
                return expiry
            }
            return nil
        }

        private func name(_ record: Record) -> String? { key ?? keyField.flatMap { record.printable($0) } }

        /// Returns the keys under which to look for what an argument names, which may be a key as it was printed, or
        /// else for what a record does: the best one first. Throws `UsageFailure` for an argument that names nothing,
        /// `CacheFailure.badKey`, `SystemFailure` (66) for the path of a file that cannot be told, `WebURLFailure` if no
        /// address can be read, and as `KeySecrets.digest` does.
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
                // A key of its own is enough: what `ls` tells of a local file has no address.
                if found.isEmpty { return own.map { ($0, $0.text) } }
                return found.flatMap { address in own.map { ($0, address.text) } }
            }
        }

        /// The key that an earlier version may have printed for an address whose host is refused now. Throws `failure` if
        /// it is none.
        private func key(printed text: String?, _ failure: WebURLFailure) throws -> Lookup {
            guard case .blockedHost = failure, let text, WebURL.withoutSecrets(text).hasSameBytes(as: text) else {
                throw failure
            }
            return (try CacheKey(printed: text), text)
        }

        /// The address that a record's text is; nil if it is known to be no picture.
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

    /// The 1,024 texts of records that were read last: a stream often names the same pictures again and again. Made at the
    /// first record, so that a look-up of an argument does not pay for it.
    private final class KnownAddresses: @unchecked Sendable {
        private let lock = Monitor(())
        private lazy var recent = LRU<Candidate?>(countLimit: 1024, costLimit: .max)

        /// The remembered candidate of `text`, else the one that `read` makes of it.
        func candidate(_ text: String, _ read: () -> Candidate?) -> Candidate? {
            if let known = lock.withLock({ _ in recent.use(text) }) { return known }
            let found = read()
            lock.withLock { _ in _ = recent.insert(found, for: text, cost: 0) }
            return found
        }
    }
}
