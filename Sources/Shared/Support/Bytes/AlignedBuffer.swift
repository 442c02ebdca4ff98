import Libc

/// Memory for rows: aligned to a cache line, zeroed, freed with its owner.
///
/// The system zeroes a large buffer page by page, on first use, so rows that a broken picture never fills cost nothing.
/// Not `Sendable`: it belongs to a single thread.
public final class AlignedBuffer {
    public let bytes: UnsafeMutablePointer<UInt8>
    public let count: Int
    /// What was allocated: `bytes` begins within its first cache line.
    private let allocation: UnsafeMutableRawPointer

    private static let alignment = 64

    public init(count: Int) {
        self.count = max(count, 1)
        guard let raw = calloc(self.count + Self.alignment, 1) else { fatalError("no memory for \(count) bytes") }
        allocation = raw
        bytes = raw.alignedUp(toMultipleOf: Self.alignment).bindMemory(to: UInt8.self, capacity: self.count)
    }

    deinit { free(allocation) }

    /// The same memory seen as samples with 16 bits.
    @inlinable public var wide: UnsafeMutablePointer<Int16> {
        UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Int16.self)
    }
}

/// `value` rounded up to a multiple.
@inlinable public func roundedUp(_ value: Int, to multiple: Int) -> Int { (value + multiple - 1) / multiple * multiple }
