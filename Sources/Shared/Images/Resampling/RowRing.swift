import CKernels
import Support

/// A ring buffer of a plane's rows, between a producer and one or more consumers.
///
/// Rows are counted from the top of the picture. Rows that are no longer needed are overwritten. Pointers are valid
/// until the next call of `reserve`.
final class RowRing {
    /// Bytes of a row without padding.
    let samples: Int
    private(set) var written = 0
    private let stride: Int
    private var capacity: Int
    private var memory: AlignedBuffer

    /// - Parameter rows: the expected capacity; the ring grows if necessary.
    init(samples: Int, rows: Int) {
        self.samples = samples
        stride = Self.stride(samples)
        capacity = max(rows, 1)
        memory = AlignedBuffer(count: capacity * stride)
    }

    /// Padded, because kernels read and write whole blocks that may start at any sample.
    private static func stride(_ samples: Int) -> Int {
        roundedUp(samples, to: Int(APOD_KERNEL_BLOCK)) + Int(APOD_KERNEL_BLOCK)
    }

    static func memory(samples: Int, rows: Int) -> Int { stride(samples) * rows }

    /// Makes room for the next `count` rows, keeping the rows from `first` on.
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

    func advance(by count: Int = 1) { written += count }
}
