import Support

/// What the remote knows of a thing: a small document of its own, beside the bytes that it names by their digest.
public struct RemoteDocument: Sendable, Equatable {
    /// What the document is about.
    public enum Subject: Sendable, Equatable {
        case original(key: String)
        /// - Parameters:
        ///   - name: that of the row.
        ///   - key: that of the original.
        ///   - of: the digest of the original's bytes.
        case variant(name: String, key: String, of: String)
        case metadata(name: String, collection: String)
        case list
    }

    /// Where the bytes are.
    public enum Content: Sendable, Equatable {
        /// Under their digest.
        case bytes(sha256: String, count: Int)
        /// In the document itself.
        case inline([UInt8])
    }

    /// How long a document may be as it is stored: a list of exercises has one megabyte.
    public static let byteLimit = 2 << 20
    /// The same for an original or a variant, whose bytes are elsewhere, and for a day.
    public static let smallByteLimit = 256 << 10

    public let name: RemoteName
    public let subject: Subject
    public let content: Content
    /// What the bytes are, if they are a picture.
    public var picture: FileFacts?
    /// The address that the bytes came from, without credentials.
    public var url: String?
    public var validators: Validators
    public let fetchedAt: Timestamp
    public var expiresAt: Timestamp?
    public var directives: CacheDirectives
    /// See `Entry.vary`.
    public var vary: String?
    /// How long it took to fetch or make the thing.
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

    /// The digest of the bytes, if they are not in the document.
    public var sha256: String? {
        if case .bytes(let sha256, _) = content { return sha256 }
        return nil
    }

    /// How many bytes there are.
    public var count: Int {
        switch content {
        case .bytes(_, let count): count
        case .inline(let bytes): bytes.count
        }
    }
}
