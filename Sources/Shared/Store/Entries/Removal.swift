/// Files that went, or would go.
public struct Removal: Sendable, Equatable {
    /// Variants count, too.
    public private(set) var entries: Int
    public private(set) var bytes: Int

    public init(entries: Int = 0, bytes: Int = 0) {
        self.entries = entries
        self.bytes = bytes
    }

    mutating func add(_ bytes: Int) { add(Removal(entries: 1, bytes: bytes)) }

    public mutating func add(_ other: Removal) {
        entries += other.entries
        bytes += other.bytes
    }
}
