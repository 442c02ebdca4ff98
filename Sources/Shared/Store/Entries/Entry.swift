import Support

/// A file in the cache.
public struct Entry: Sendable, Equatable {
    public enum Kind: Int, Sendable {
        /// Unchanged bytes from a server or a file.
        case original = 0
        /// Made from an original.
        case variant = 1
        /// An earlier content of an entry, whose path may still be in use.
        case superseded = 2
    }

    /// 32 hexadecimal digits, which find the row: of the key's SHA-256, for a variant also of its options. A superseded
    /// entry has the name of its file.
    package internal(set) var name: String
    public let scope: ScopeName
    /// The key's text; for a variant, of its original. Nil only after the loss of the index, if the file does not store
    /// it.
    public internal(set) var key: String?
    public internal(set) var kind = Kind.original
    /// The name of a variant's original, or the name that a superseded entry had.
    var parent: String?
    /// The SHA-256 of a variant's original.
    var parentSHA256: String?
    /// The source without credentials; nil for a local file.
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
    /// A note of the inspection.
    public internal(set) var details: String?
    /// The validators for asking the server whether the bytes have changed.
    public package(set) var validators = Validators()
    /// The time of the last successful request.
    public package(set) var fetchedAt = Timestamp(milliseconds: 0)
    public package(set) var expiresAt = Timestamp(milliseconds: 0)
    /// The time of the last lease, to the minute.
    public package(set) var lastUsed = Timestamp(milliseconds: 0)
    /// The end of the lease. Until then, trimming keeps the file.
    public package(set) var leaseUntil = Timestamp(milliseconds: 0)
    public internal(set) var isPinned = false
    /// Whether the file must be inspected again before its next use.
    var isUnsettled = false
    package var directives = CacheDirectives()
    /// Whether it is for this machine only: it was requested with credentials, its server forbids shared caches, or
    /// neither is known.
    package var isPrivate = true
    /// The request fields that determined the answer, with a digest of their values, as written by `Fetch`; nil if it
    /// answers every request.
    package var vary: String?
    /// The boot in which the file was written without waiting for the disk (`CacheRoot.boot`); nil once the file is
    /// durable.
    var boot: Int64?
    /// The modification time of a durable file in nanoseconds; nil if it is unknown. A file with another time is
    /// compared with its row: a power failure may have lost the row of a newer file with this name.
    var modified: Int64?

    /// The number of the row; 0 before it is stored.
    var id: Int64 = 0
    /// The absolute path of the file; empty before it is stored.
    public internal(set) var path = ""
    /// The file's name below the root; empty for an ephemeral file, and if a row has an invalid name.
    package internal(set) var place = ""
    /// Whether this run received it from the remote.
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

    /// Whether the entry must be requested again. True for a date in the future, whose expiry is meaningless.
    public func isExpired(at now: Timestamp) -> Bool { expiresAt <= now || isDatedAhead(of: now) }

    /// Whether it was fetched before the clock was set back.
    public func isDatedAhead(of now: Timestamp) -> Bool { fetchedAt > now + Clock.tolerance }

    /// The entry with each time from before the clock was set back replaced by `now`, for output to users.
    package func clamped(to now: Timestamp) -> Entry {
        guard max(fetchedAt, lastUsed) > now + Clock.tolerance else { return self }
        var entry = self
        entry.leaseUntil = leaseEnd(at: now)
        entry.lastUsed = min(lastUsed, now)
        if isDatedAhead(of: now) { (entry.fetchedAt, entry.expiresAt) = (now, now) }
        return entry
    }

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
