import Support

/// Something small that its owner wants kept under a name, beside the pictures: what a service said of a day.
public struct Metadata: Sendable, Equatable {
    /// Names sort as texts, by their UTF-8: "2024-02-03".
    public var name: String
    /// What the owner wants kept; the cache does not look into it. SQLite takes up to a gigabyte.
    public var body: [UInt8]
    public var fetchedAt: Timestamp
    /// When the owner no longer trusts it, which is for the owner to judge (`isExpired`); nil: never.
    public var expiresAt: Timestamp?

    public init(name: String, body: [UInt8], fetchedAt: Timestamp, expiresAt: Timestamp? = nil) {
        self.name = name
        self.body = body
        self.fetchedAt = fetchedAt
        self.expiresAt = expiresAt
    }

    /// Whether it is to be fetched anew. What was fetched in the future was so before the clock was set back, and says
    /// nothing about its age.
    public func isExpired(at now: Timestamp) -> Bool {
        guard let expiresAt else { return false }
        return expiresAt <= now || isFromTheFuture(at: now)
    }

    /// Processes read the clock at slightly different moments: a minute is none of that.
    func isFromTheFuture(at now: Timestamp) -> Bool { fetchedAt > now + Self.clockTolerance }

    static let clockTolerance: Duration = .seconds(60)
}
