import Support

/// What is known of one file in the cache.
public struct Entry: Sendable, Equatable {
    public enum Kind: Int, Sendable {
        /// Bytes as they came from a server or a file.
        case original = 0
        /// Made from an original.
        case variant = 1
        /// Replaced by a file of another name while its path may still be in use.
        case superseded = 2
    }

    /// The key's text; for a variant that of its original. Nil only where the index was lost, and the file does not say
    /// it either.
    public let key: String?
    public let scope: ScopeName
    public let kind: Kind
    /// The absolute path of the file.
    public let path: String
    /// The address that the bytes came from, without credentials; nil for those of a local file.
    public let url: String?
    /// The size of the file.
    public let bytes: Int
    /// The IANA media type of the bytes themselves, whatever a server called them.
    public let contentType: String
    /// 64 hexadecimal digits.
    public let sha256: String
    /// Pixels of the upright picture.
    public let width: Int?
    public let height: Int?
    /// A note of the inspection, kept as it was given.
    public let details: String?
    /// When the server was last asked, with success.
    public let fetchedAt: Timestamp
    public internal(set) var expiresAt: Timestamp
    /// When it was last handed out, to the minute.
    public internal(set) var lastUsed: Timestamp
    /// Trimming leaves the file alone until then.
    public internal(set) var leaseUntil: Timestamp
    public let isPinned: Bool
    /// How to ask the server whether the bytes have changed.
    public let validators: Validators

    let id: Int64
    /// 32 hexadecimal digits that the row is found by.
    let name: String
    let file: String
    /// The file's name below the root; empty for one past the cache, and where a row names none that fits the layout.
    package let place: String
    let parentSHA256: String?
    /// Whether row and file may not belong together, since a replacement began and did not end.
    let isUnsettled: Bool
    package var directives = CacheDirectives()
    /// Whether it is for this machine alone: it was asked for with credentials, its server wants no shared cache to keep
    /// it, or nobody knows.
    package var isPrivate = true
    /// The request fields that its server chose it by, with a digest of their values, as `Fetch` writes them; nil if it
    /// is the answer to every request.
    package var vary: String?
    /// Whether it came from the remote just now.
    public internal(set) var isFromRemote = false

    /// The extension of the file's name.
    var fileExtension: String { file.lastIndex(of: ".").map { String(file[file.index(after: $0)...]) } ?? "" }

    /// Whether the entry needs to be asked for again. So does one from the future: its end means nothing.
    public func isExpired(at now: Timestamp) -> Bool { expiresAt <= now || isDatedAhead(of: now) }

    /// Whether it was fetched before the clock was set back.
    public func isDatedAhead(of now: Timestamp) -> Bool { fetchedAt > now + Clock.tolerance }

    /// When its lease ends; `now` for one that was recorded before the clock was set back.
    public func leaseEnd(at now: Timestamp) -> Timestamp { lastUsed > now + Clock.tolerance ? now : leaseUntil }

    /// Whether it replaces GIFs that could not be fetched, or was made from such a placeholder.
    var isPlaceholder: Bool { key?.utf8.starts(with: CacheKey.placeholderPrefix.utf8) == true }

    public func state(at now: Timestamp) -> EntryState {
        isPlaceholder ? .placeholder : isExpired(at: now) ? .expired : .fresh
    }
}

/// The state of an entry that no command asked for, as listings show it.
public enum EntryState: String, Sendable, CaseIterable {
    /// The next command that asks for it gets it without a request.
    case fresh
    /// The next command that asks for it makes a request first.
    case expired
    /// It replaces GIFs that could not be fetched. Its age does not matter.
    case placeholder
}

/// What a server gave to recognise one version of a resource by (RFC 9110 §8.8).
public struct Validators: Sendable, Equatable {
    public var etag: String?
    public var lastModified: String?

    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag
        self.lastModified = lastModified
    }

    public var isEmpty: Bool { etag == nil && lastModified == nil }
}

/// How an entry came to be handed out.
public enum CacheStatus: String, Sendable, CaseIterable {
    /// It was there, and has not expired.
    case hit
    /// It was fetched.
    case miss
    /// It had expired, and the server said that it is still the same.
    case revalidated
    /// It has expired; the server was not asked or could not be reached.
    case stale
    /// It was fetched past the cache.
    case bypass
    /// It was not needed: the files made of it are unchanged.
    case kept
}
