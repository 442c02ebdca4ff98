import Support

/// A description of content in the remote. Small content is part of the document; other content is stored separately
/// and named by its SHA-256.
public struct RemoteDocument: Sendable, Equatable {
    /// The described content.
    public enum Subject: Sendable, Equatable {
        case original(key: String)
        /// - Parameters:
        ///   - name: the name of the variant's row.
        ///   - key: the key of the original.
        ///   - of: the SHA-256 of the original.
        case variant(name: String, key: String, of: String)
        case metadata(name: String, collection: String)
        case list
    }

    /// The location of the bytes.
    public enum Content: Sendable, Equatable {
        /// Separately, under their digest.
        case bytes(sha256: String, count: Int)
        /// In the document.
        case inline([UInt8])
    }

    /// The maximum stored size of a document. A list of exercises takes one megabyte.
    public static let byteLimit = 2 << 20
    /// The maximum stored size of the document of an original or variant, whose bytes are stored separately, or of a
    /// day's metadata.
    public static let smallByteLimit = 256 << 10

    public let name: RemoteName
    public let subject: Subject
    public let content: Content
    /// The facts of a picture.
    public var picture: FileFacts?
    /// The address of the source without credentials.
    public var url: String?
    public var validators: Validators
    public let fetchedAt: Timestamp
    public var expiresAt: Timestamp?
    public var directives: CacheDirectives
    /// See `Entry.vary`.
    public var vary: String?
    /// The time it took to fetch or make the content.
    public var cost: Duration

    public init(
        name: RemoteName, subject: Subject, content: Content, picture: FileFacts? = nil, url: String? = nil,
        validators: Validators = Validators(), fetchedAt: Timestamp, expiresAt: Timestamp?,
        directives: CacheDirectives = CacheDirectives(), vary: String? = nil, cost: Duration = .zero
    ) {
        self.name = name
        self.subject = subject
        self.content = content
        self.picture = picture
        self.url = url
        self.validators = validators
        self.fetchedAt = fetchedAt
        self.expiresAt = expiresAt
        self.directives = directives
        self.vary = vary
        self.cost = cost
    }

    /// Whether the content was fetched before `now`, within `Clock.tolerance`. An entry with a future time would never
    /// be replaced.
    func isPast(at now: Timestamp) -> Bool { fetchedAt <= now + Clock.tolerance }

    /// The digest of the bytes; nil if they are in the document.
    public var sha256: String? {
        if case .bytes(let sha256, _) = content { return sha256 }
        return nil
    }

    /// The number of bytes.
    public var count: Int {
        switch content {
        case .bytes(_, let count): count
        case .inline(let bytes): bytes.count
        }
    }
}
