import Support

/// A file in the cache.
public struct Entry: Sendable, Equatable {
    public enum Kind: Int, Sendable {
        /// Unchanged bytes from a server or a file.
        case original = 0
        /// Made from an original.
        case variant = 1
        /// A file with the earlier content of an entry, whose path may still be in use.
        case superseded = 2
    }

    /// The name of the row: 32 hexadecimal digits of the SHA-256 of the key or, for a variant, of the key and the
    /// options. For a superseded entry, the file name.
    package internal(set) var name: String
    public let scope: ScopeName
    /// The text of the key; for a variant, the key of its original. Nil only after the loss of the index, if the key
    /// was not stored with the file.
    public internal(set) var key: String?
    public internal(set) var kind = Kind.original
    /// The name of a variant's original. For a superseded original, the name of its row before it was superseded; for a
    /// superseded variant, the name of its original.
    var parent: String?
    /// The SHA-256 of a variant's original.
    var parentSHA256: String?
    /// The address of the source without credentials; nil for a local file.
    public internal(set) var url: String?
    /// The name of the file, see `CacheRoot`.
    var file = ""
    public package(set) var bytes = 0
    /// The IANA media type found by inspection, regardless of the server's header.
    public internal(set) var contentType = ""
    /// 64 hexadecimal digits.
    public package(set) var sha256 = ""
    /// Pixels of the upright picture.
    public internal(set) var width: Int?
    public internal(set) var height: Int?
    /// See `FileFacts.details`.
    public internal(set) var details: String?
    /// The validators for conditional requests.
    public package(set) var validators = Validators()
    /// The time of the last successful request.
    public package(set) var fetchedAt = Timestamp(milliseconds: 0)
    public package(set) var expiresAt = Timestamp(milliseconds: 0)
    /// The time when the last lease began, to the minute.
    public package(set) var lastUsed = Timestamp(milliseconds: 0)
    /// The end of the lease. Until then, trimming keeps the file.
    public package(set) var leaseUntil = Timestamp(milliseconds: 0)
    public internal(set) var isPinned = false
    /// Whether the file must be compared with the row and inspected again before its next use.
    var needsVerification = false
    package var directives = CacheDirectives()
    /// Whether the entry must not be shared with other machines, because it was requested with credentials or its
    /// server forbids shared caches. True if unknown.
    package var isPrivate = true
    /// The request fields that determined the answer, with a digest of their values, as written by `Fetch`; nil if the
    /// answer is valid for every request.
    package var vary: String?
    /// The boot in which the file was written without waiting for the disk (`CacheRoot.boot`); nil once the file is
    /// durable.
    var boot: Int64?
    /// The modification time of a durable file in nanoseconds; nil if it is unknown. If the file has another time, its
    /// content is compared with the row: a power failure may have lost the row of a newer file with this name.
    var modified: Int64?

    /// The row ID; 0 before the entry is stored.
    var id: Int64 = 0
    /// The absolute path of the file; empty before the entry is stored.
    public internal(set) var path = ""
    /// The path of the file below the root; empty for an ephemeral file, and for a row with an invalid name.
    package internal(set) var place = ""
    /// Whether this run downloaded the entry from the remote.
    public internal(set) var isFromRemote = false

    package init(name: String, scope: ScopeName) {
        self.name = name
        self.scope = scope
    }

    /// The result of the inspection. The extension is part of `file`.
    package var facts: FileFacts {
        get {
            FileFacts(
                contentType: contentType, fileExtension: fileExtension, width: width, height: height, details: details)
        }
        set {
            (contentType, details) = (newValue.contentType, newValue.details)
            (width, height) = (newValue.width, newValue.height)
        }
    }

    var fileExtension: String { CacheRoot.fileExtension(of: file) }

    /// Whether the entry must be requested again. Always true if it was fetched in the future, because its expiry is
    /// then meaningless.
    public func isExpired(at now: Timestamp) -> Bool { expiresAt <= now || isDatedAhead(of: now) }

    /// Whether the entry was fetched in the future, that is, before the clock was set back.
    public func isDatedAhead(of now: Timestamp) -> Bool { fetchedAt > now + Clock.tolerance }

    /// Replaces times in the future, which were recorded before the clock was set back, with `now`. For output to
    /// users.
    package func clamped(to now: Timestamp) -> Entry {
        guard max(fetchedAt, lastUsed) > now + Clock.tolerance else { return self }
        var entry = self
        entry.leaseUntil = leaseEnd(at: now)
        entry.lastUsed = min(lastUsed, now)
        if isDatedAhead(of: now) { (entry.fetchedAt, entry.expiresAt) = (now, now) }
        return entry
    }

    /// The end of the lease; `now` if the lease was recorded before the clock was set back.
    public func leaseEnd(at now: Timestamp) -> Timestamp { lastUsed > now + Clock.tolerance ? now : leaseUntil }

    /// Whether this is a placeholder for unavailable GIFs, or a variant of such a placeholder.
    var isPlaceholder: Bool { key?.utf8.starts(with: CacheKey.placeholderPrefix.utf8) == true }

    public func state(at now: Timestamp) -> EntryState {
        isPlaceholder ? .placeholder : isExpired(at: now) ? .expired : .fresh
    }
}

/// The state of an entry in listings.
public enum EntryState: String, Sendable, CaseIterable {
    /// The next command uses the entry without a request.
    case fresh
    /// The next command sends a request first.
    case expired
    /// A placeholder for unavailable GIFs, expired or not.
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

/// The result of a lookup or fetch.
public enum CacheStatus: String, Sendable, CaseIterable {
    /// Found in the cache and fresh.
    case hit
    /// Fetched.
    case miss
    /// Expired, and confirmed by the server.
    case revalidated
    /// Expired; the server was not contacted or could not be reached.
    case stale
    /// Fetched, but not stored in the cache.
    case bypass
    /// Not fetched, because the variants that an earlier run made from this picture are unchanged.
    case kept
}
