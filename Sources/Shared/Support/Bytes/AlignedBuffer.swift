import Libc

/// Zeroed memory for pixel rows, aligned to a cache line (64 bytes).
///
/// The system zeroes a large buffer page by page, on first use, so rows that a broken picture never fills cost nothing.
/// Not `Sendable`: a buffer belongs to a single thread.
public final class AlignedBuffer {
    public let bytes: UnsafeMutablePointer<UInt8>
    public let count: Int
    /// The allocated block. `bytes` is its first address on a cache line.
    private let allocation: UnsafeMutableRawPointer

    public init(count: Int) {
        self.count = max(count, 1)
        guard let raw = calloc(self.count + 64, 1) else { fatalError("cannot allocate \(count) bytes") }
        allocation = raw
        bytes = raw.alignedUp(toMultipleOf: 64).bindMemory(to: UInt8.self, capacity: self.count)
    }

    deinit { free(allocation) }

    /// `bytes` as 16-bit samples.
    @inlinable public var wide: UnsafeMutablePointer<Int16> {
        UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Int16.self)
    }
}

/// Returns `value` rounded up to a multiple of `multiple`.
@inlinable public func roundedUp(_ value: Int, to multiple: Int) -> Int { (value + multiple - 1) / multiple * multiple }
