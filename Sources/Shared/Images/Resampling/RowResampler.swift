import CKernels

/// What a resampler of rows works with: decided once, and shared by components of one geometry.
struct RowResamplingPlan {
    let sourceWidth: Int
    let sourceHeight: Int
    /// Samples of one pixel that lie side by side.
    let channels: Int
    /// Pixels and rows that are averaged before the filters see them.
    let boxWidth: Int
    let boxHeight: Int
    let horizontal: FilterWeights
    let vertical: FilterWeights

    init(horizontal: ResamplingAxis, vertical: ResamplingAxis, channels: Int) {
        sourceWidth = horizontal.sourceCount
        sourceHeight = vertical.sourceCount
        self.channels = channels
        boxWidth = horizontal.boxFactor
        boxHeight = vertical.boxFactor
        self.horizontal = FilterWeights(horizontal.boxed(by: boxWidth), tapsMultipleOf: 8)
        self.vertical = FilterWeights(vertical.boxed(by: boxHeight), tapsMultipleOf: 2)
    }

    /// Source rows that must have come before output row `row` can be made.
    func sourceRows(before row: Int) -> Int { min(Int(vertical.ends[row]) * boxHeight, sourceHeight) }

    /// Filtered rows that must be kept at once when the rows of `range` are made after `sourceRows` have come.
    func heldRows(for range: Range<Int>, sourceRows: Int) -> Int {
        (sourceRows + boxHeight - 1) / boxHeight - Int(vertical.starts[range.lowerBound])
    }

    /// The most rows that are kept when each output row is made as soon as it can be.
    var widestSpan: Int { zip(vertical.starts, vertical.ends).reduce(0) { max($0, Int($1.1 - $1.0)) } }

    /// Bytes of a resampler that keeps `heldRows`, about.
    func memory(heldRows: Int) -> Int {
        let row = roundedUp((sourceWidth / boxWidth + 1) * channels, to: kernelBlock) + kernelBlock
        return (heldRows + 6) * row + (boxWidth * boxHeight > 1 ? sourceWidth * channels : 0)
    }
}

/// Samples that the kernels read and write at a time.
private let kernelBlock = Int(APOD_KERNEL_BLOCK)

/// Makes the rows of a smaller (or larger) picture from rows that come one after another: first down the columns, from
/// a ring of the rows that the filter still needs, then along the row.
///
/// The unsafe pointers stay within its buffers: `nextRow` gives rows of `rowBytes`, and the kernels read at most one
/// block behind the samples of a row, which every row has as slack.
final class RowResampler {
    let plan: RowResamplingPlan
    /// Output rows made so far.
    private(set) var produced = 0

    private let level = apod_kernel_best()
    /// Samples of a row of the ring.
    private let samples: Int
    private let stride: Int
    private let capacity: Int
    private let groupRows: Int
    private let ring: AlignedBuffer
    /// Source rows that have come, and rows of the ring that are whole; equal without a box.
    private var received = 0
    private var filled = 0
    private let middle: AlignedBuffer
    private let planes: AlignedBuffer?
    private let planeStride: Int
    private let outputPlanes: AlignedBuffer?
    private let outputStride: Int
    private var rows: [UnsafePointer<UInt8>?]
    private let box: Box?

    /// Where rows are averaged before they go into the ring.
    private struct Box {
        let staging: AlignedBuffer
        let stride: Int
        let sums: UnsafeMutablePointer<UInt32>
        let count: Int
    }

    /// - Parameters:
    ///   - heldRows: filtered rows that are kept at once.
    ///   - groupRows: source rows that come at once, those behind the picture's last included.
    ///   - rowBytes: bytes that are written to each source row.
    init(_ plan: RowResamplingPlan, heldRows: Int, groupRows: Int, rowBytes: Int) {
        self.plan = plan
        self.groupRows = groupRows
        let boxed = plan.boxWidth > 1 || plan.boxHeight > 1
        let width = (plan.sourceWidth + plan.boxWidth - 1) / plan.boxWidth
        samples = width * plan.channels
        stride = roundedUp(boxed ? samples : max(samples, rowBytes), to: kernelBlock) + kernelBlock
        capacity = max(heldRows, 1) + groupRows
        ring = AlignedBuffer(count: capacity * stride)
        middle = AlignedBuffer(count: 2 * (stride + plan.horizontal.taps))
        planeStride = roundedUp(width + plan.horizontal.taps, to: kernelBlock)
        planes = plan.channels > 1 ? AlignedBuffer(count: 2 * planeStride * plan.channels) : nil
        outputStride = roundedUp(plan.horizontal.count, to: kernelBlock)
        outputPlanes = plan.channels > 1 ? AlignedBuffer(count: outputStride * plan.channels) : nil
        rows = Array(repeating: nil, count: plan.vertical.taps)
        if boxed {
            let stagingStride = roundedUp(max(plan.sourceWidth * plan.channels, rowBytes), to: kernelBlock)
            let sums = UnsafeMutablePointer<UInt32>.allocate(capacity: samples)
            sums.initialize(repeating: 0, count: samples)
            box = Box(
                staging: AlignedBuffer(count: groupRows * stagingStride), stride: stagingStride, sums: sums,
                count: samples)
        } else {
            box = nil
        }
    }

    deinit { box?.sums.deallocate() }

    /// Where the next source row but `index` goes, `index` below `groupRows`.
    func nextRow(_ index: Int = 0) -> UnsafeMutablePointer<UInt8> {
        if let box { return box.staging.bytes + index * box.stride }
        return ring.bytes + (received + index) % capacity * stride
    }

    /// Says that the rows from `nextRow` on have been written. Those behind the picture's last row are ignored.
    func advance(by count: Int = 1) {
        guard let box else {
            received += count
            filled = received
            return
        }
        for index in 0..<count where received < plan.sourceHeight {
            apod_box_add(
                box.staging.bytes + index * box.stride, plan.channels, plan.sourceWidth, plan.boxWidth, box.sums)
            received += 1
            let rows = received % plan.boxHeight
            guard rows == 0 || received == plan.sourceHeight else { continue }
            apod_box_divide(
                box.sums, plan.channels, plan.sourceWidth, plan.boxWidth, rows == 0 ? plan.boxHeight : rows,
                ring.bytes + filled % capacity * stride)
            filled += 1
        }
    }

    var isDone: Bool { produced == plan.vertical.count }

    /// Whether the rows that have come suffice for the next output row.
    var canProduce: Bool { !isDone && filled >= Int(plan.vertical.ends[produced]) }

    /// Makes the next output row, all samples of a pixel side by side.
    func produce(into output: UnsafeMutablePointer<UInt8>) {
        let width = plan.horizontal.count
        makeMiddle()
        produced += 1
        guard let planes, let outputPlanes else {
            horizontal(from: middle.wide, into: output)
            return
        }
        apod_deinterleave(middle.wide, plan.channels, planes.wide, planeStride, samples / plan.channels)
        for channel in 0..<plan.channels {
            horizontal(
                from: planes.wide + channel * planeStride, into: outputPlanes.bytes + channel * outputStride)
        }
        apod_interleave(outputPlanes.bytes, outputStride, plan.channels, output, width)
    }

    /// The vertical pass.
    private func makeMiddle() {
        let vertical = plan.vertical
        let start = Int(vertical.starts[produced])
        let last = Int(vertical.ends[produced]) - 1
        for k in 0..<vertical.taps {
            rows[k] = UnsafePointer(ring.bytes + min(start + k, last) % capacity * stride)
        }
        rows.withUnsafeBufferPointer { rows in
            vertical.weights.withUnsafeBufferPointer { weights in
                apod_vertical(
                    level, rows.baseAddress!, weights.baseAddress! + produced * vertical.taps, vertical.taps,
                    middle.wide, samples)
            }
        }
    }

    private func horizontal(from source: UnsafePointer<Int16>, into output: UnsafeMutablePointer<UInt8>) {
        let filter = plan.horizontal
        filter.starts.withUnsafeBufferPointer { starts in
            filter.weights.withUnsafeBufferPointer { weights in
                apod_horizontal(
                    level, source, starts.baseAddress!, weights.baseAddress!, filter.taps, output, filter.count)
            }
        }
    }
}
