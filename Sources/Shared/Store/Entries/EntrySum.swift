/// The number and total size, in bytes, of entries (including variants), files or metadata items.
public struct EntrySum: Sendable, Equatable {
    public var entries: Int
    public var bytes: Int

    public init(entries: Int = 0, bytes: Int = 0) { (self.entries, self.bytes) = (entries, bytes) }

    mutating func add(_ bytes: Int) { add(EntrySum(entries: 1, bytes: bytes)) }

    public mutating func add(_ other: EntrySum) {
        entries += other.entries
        bytes += other.bytes
    }
}
