import Support

/// A file in the cache.
public struct Entry: Sendable, Equatable {
    public enum Kind: Int, Sendable {
        /// Unchanged bytes from a server or a file.
        case original = 0
        /// Made from an original.
        case variant = 1
        /// Replaced by a file with another name while its path may be in use.
        case superseded = 2
    }

    /// The key's text; for a variant, of its original. Nil only after the loss of the index, if the file does not store
    /// it.
    public let key: String?
    public let scope: ScopeName
    public let kind: Kind
    /// The absolute path of the file.
    public let path: String
    /// The source without credentials; nil for a local file.
    public let url: String?
    public let bytes: Int
    /// The IANA media type found by inspection, regardless of the server's header.
    public let contentType: String
    /// 64 hexadecimal digits.
    public let sha256: String
    /// Pixels of the upright picture.
    public let width: Int?
    public let height: Int?
    /// A note of the inspection.
    public let details: String?
    /// The time of the last successful request.
    public let fetchedAt: Timestamp
    public internal(set) var expiresAt: Timestamp
    /// The time of the last lease, to the minute.
    public internal(set) var lastUsed: Timestamp
    /// The end of the lease. Until then, trimming keeps the file.
    public internal(set) var leaseUntil: Timestamp
    public let isPinned: Bool
    /// The validators for asking the server whether the bytes have changed.
    public let validators: Validators

    let id: Int64
    /// 32 hexadecimal digits, the key of the row.
    let name: String
    let file: String
    /// The file's name below the root; empty for an ephemeral file, and if a row has an invalid name.
    package let place: String
    let parentSHA256: String?
    /// Whether row and file may not match, after an incomplete replacement.
    let isUnsettled: Bool
    package var directives = CacheDirectives()
    /// Whether it is for this machine only: it was requested with credentials, its server forbids shared caches, or
    /// neither is known.
    package var isPrivate = true
    /// The request fields that determined the answer, with a digest of their values, as written by `Fetch`; nil if it
    /// answers every request.
    package var vary: String?
    /// Whether this run received it from the remote.
    public internal(set) var isFromRemote = false

    var fileExtension: String { file.lastIndex(of: ".").map { String(file[file.index(after: $0)...]) } ?? "" }

    /// Whether the entry must be requested again. True for a date in the future, whose expiry is meaningless.
    public func isExpired(at now: Timestamp) -> Bool { expiresAt <= now || isDatedAhead(of: now) }

    /// Whether it was fetched before the clock was set back.
    public func isDatedAhead(of now: Timestamp) -> Bool { fetchedAt > now + Clock.tolerance }

    /// The end of the lease; `now` if it was recorded before the clock was set back.
    public func leaseEnd(at now: Timestamp) -> Timestamp { lastUsed > now + Clock.tolerance ? now : leaseUntil }

    /// Whether it replaces unavailable GIFs, or was made from such a placeholder.
    var isPlaceholder: Bool { key?.utf8.starts(with: CacheKey.placeholderPrefix.utf8) == true }

    public func state(at now: Timestamp) -> EntryState {
        isPlaceholder ? .placeholder : isExpired(at: now) ? .expired : .fresh
    }
}

/// The state of an entry in listings.
public enum EntryState: String, Sendable, CaseIterable {
    /// The next command serves it without a request.
    case fresh
    /// The next command makes a request first.
    case expired
    /// It replaces unavailable GIFs, at any age.
    case placeholder
}

/// The server's identifiers of a version of a resource (RFC 9110 §8.8).
public struct Validators: Sendable, Equatable {
    public var etag: String?
    public var lastModified: String?

    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    public var isEmpty: Bool { etag == nil && lastModified == nil }
}

/// The origin of a served entry.
public enum CacheStatus: String, Sendable, CaseIterable {
    /// It was in the cache and fresh.
    case hit
    /// It was fetched.
    case miss
    /// It had expired, and the server confirmed it.
    case revalidated
    /// It has expired; the server was not asked or could not be reached.
    case stale
    /// It was fetched and not stored in the cache.
    case bypass
    /// It was not needed, because the files made from it are unchanged.
    case kept
}
