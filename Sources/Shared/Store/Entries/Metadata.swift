import Support

/// A small named item, stored beside the pictures, such as a service's answer about a day.
public struct Metadata: Sendable, Equatable {
    /// The name, such as "2024-02-03". Names are sorted by their UTF-8 bytes.
    public var name: String
    /// Uninterpreted data. SQLite accepts up to a gigabyte.
    public var body: [UInt8]
    public var fetchedAt: Timestamp
    /// The expiry, which the caller must check; nil if the item never expires.
    public var expiresAt: Timestamp?

    public init(name: String, body: [UInt8], fetchedAt: Timestamp, expiresAt: Timestamp? = nil) {
        self.name = name
        self.body = body
        self.fetchedAt = fetchedAt
        self.expiresAt = expiresAt
    }
}
