/// Memory for rows: aligned to a cache line, zeroed, freed with its owner.
///
/// Not `Sendable`: one decoding or encoding owns it, on one thread.
final class AlignedBuffer {
    let bytes: UnsafeMutablePointer<UInt8>
    let count: Int

    init(count: Int) {
        self.count = max(count, 1)
        let raw = UnsafeMutableRawPointer.allocate(byteCount: self.count, alignment: 64)
        bytes = raw.bindMemory(to: UInt8.self, capacity: self.count)
        bytes.initialize(repeating: 0, count: self.count)
    }

    deinit { bytes.deallocate() }

    /// The same memory seen as samples with 16 bits.
    var wide: UnsafeMutablePointer<Int16> {
        UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Int16.self)
    }
}

/// `value` rounded up to a multiple.
func roundedUp(_ value: Int, to multiple: Int) -> Int { (value + multiple - 1) / multiple * multiple }
