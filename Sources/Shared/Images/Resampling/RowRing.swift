import CKernels
import Support

/// The rows of one plane that are still needed, on their way from who makes them to who uses them, who may be several.
///
/// Rows are counted from the picture's top; those that are no longer needed make room for the next. Pointers hold
/// until the next call of `reserve`.
final class RowRing {
    /// Bytes of a row that mean something.
    let samples: Int
    /// Rows that have been written.
    private(set) var written = 0
    private let stride: Int
    private var capacity: Int
    private var memory: AlignedBuffer

    /// - Parameter rows: that are expected to be needed at once; there can be more.
    init(samples: Int, rows: Int) {
        self.samples = samples
        stride = Self.stride(samples)
        capacity = max(rows, 1)
        memory = AlignedBuffer(count: capacity * stride)
    }

    /// The kernels read and write whole blocks, from any sample on.
    private static func stride(_ samples: Int) -> Int {
        roundedUp(samples, to: Int(APOD_KERNEL_BLOCK)) + Int(APOD_KERNEL_BLOCK)
    }

    /// Bytes of a ring.
    static func memory(samples: Int, rows: Int) -> Int { stride(samples) * rows }

    /// Makes room for the next `count` rows, while those from `first` on are kept.
    func reserve(_ count: Int, keeping first: Int) {
        let kept = max(written - max(first, 0), 0)
        guard kept + count > capacity else { return }
        let wider = max(kept + count, capacity + capacity / 2)
        let moved = AlignedBuffer(count: wider * stride)
        for index in written - kept..<written {
            (moved.bytes + index % wider * stride).update(from: row(index), count: stride)
        }
        memory = moved
        capacity = wider
    }

    func row(_ index: Int) -> UnsafeMutablePointer<UInt8> { memory.bytes + index % capacity * stride }

    /// Says that the next `count` rows have been written.
    func advance(by count: Int = 1) { written += count }
}
