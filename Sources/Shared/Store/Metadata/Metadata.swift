import Support

/// Something small that its owner wants kept under a name, beside the pictures: what a service said of a day.
public struct Metadata: Sendable, Equatable {
    /// Names sort as texts, by their UTF-8: "2024-02-03".
    public var name: String
    /// What the owner wants kept; the cache does not look into it. SQLite takes up to a gigabyte.
    public var body: [UInt8]
    public var fetchedAt: Timestamp
    /// When the owner no longer trusts it, which is for the owner to judge; nil: never.
    public var expiresAt: Timestamp?

    public init(name: String, body: [UInt8], fetchedAt: Timestamp, expiresAt: Timestamp? = nil) {
        self.name = name
        self.body = body
        self.fetchedAt = fetchedAt
        self.expiresAt = expiresAt
    }
}
