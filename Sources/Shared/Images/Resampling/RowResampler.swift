import CKernels
import Support

/// The geometry of a plane's resampling, shared by planes with the same geometry.
struct RowResamplingPlan {
    let sourceWidth: Int
    let sourceHeight: Int
    /// Interleaved samples per pixel.
    let channels: Int
    /// Pixels and rows to average before filtering.
    let boxWidth: Int, boxHeight: Int
    /// The columns of averaged pixels that the output needs.
    let columns: Range<Int>
    /// The horizontal filter, with input samples counted from the start of `columns`.
    let horizontal: FilterWeights
    let vertical: FilterWeights

    /// - Parameter boxes: whether to average boxes of pixels before filtering at very large scales.
    init(horizontal: ResamplingAxis, vertical: ResamplingAxis, channels: Int, boxes: Bool = true) {
        sourceWidth = horizontal.sourceCount
        sourceHeight = vertical.sourceCount
        self.channels = channels
        boxWidth = boxes ? horizontal.boxFactor : 1
        boxHeight = boxes ? vertical.boxFactor : 1
        let along = FilterWeights(horizontal.boxed(by: boxWidth), tapsMultipleOf: 8)
        columns = Int(along.starts.first ?? 0)..<Int(along.ends.last ?? 0)
        self.horizontal = along.counted(from: columns.lowerBound)
        self.vertical = FilterWeights(vertical.boxed(by: boxHeight), tapsMultipleOf: 2)
    }

    /// The maximum number of input rows for an output row.
    var widestSpan: Int { zip(vertical.starts, vertical.ends).reduce(0) { max($0, Int($1.1 - $1.0)) } }

    /// The source columns that the output needs.
    var sourceColumns: Range<Int> {
        columns.lowerBound * boxWidth..<min(columns.upperBound * boxWidth, sourceWidth)
    }

    /// The approximate size of a resampler in bytes, including the rows that it reads.
    var memory: Int {
        let samples = columns.count * channels
        let boxed = boxWidth * boxHeight > 1 ? RowRing.memory(samples: samples, rows: widestSpan + 1) : 0
        return boxed + RowRing.memory(samples: sourceWidth * channels, rows: widestSpan / boxHeight + 1)
            + 6 * RowRing.memory(samples: samples, rows: 1)
            + MemoryLayout<Int16>.size * (horizontal.weights.count + vertical.weights.count)
    }
}

/// Resamples rows as they arrive.
protocol Resampler: AnyObject {
    /// The number of output rows produced so far.
    var produced: Int { get }
    /// The first source row that is still needed.
    var firstNeeded: Int { get }
    /// Consumes available source rows if necessary. Call it before `canProduce`.
    func take()
    /// Whether the next output row can be produced from the available rows.
    var canProduce: Bool { get }
    /// Produces the next output row, with interleaved samples. `output` must have `APOD_KERNEL_BLOCK` spare samples
    /// after the row.
    func produce(into output: UnsafeMutablePointer<UInt8>)
}

/// Resamples integers in the samples' own encoding: first vertically, then horizontally.
///
/// Unsafe pointers stay within the buffers and the rows of the ring. The kernels read at most `APOD_KERNEL_BLOCK`
/// samples after a row, and every row has this padding.
final class RowResampler: Resampler {
    private(set) var produced = 0
    private let plan: RowResamplingPlan
    private let source: RowRing
    private let level = apod_kernel_best()
    /// The number of needed samples per row, and their offset in the rows of the ring.
    private let samples: Int, offset: Int
    private let middle: AlignedBuffer
    private let planes: AlignedBuffer?, outputPlanes: AlignedBuffer?
    private let planeStride: Int, outputStride: Int
    private var rows: [UnsafePointer<UInt8>?]
    private let box: RowBox?

    init(_ plan: RowResamplingPlan, from source: RowRing) {
        self.plan = plan
        self.source = source
        box = plan.boxWidth * plan.boxHeight > 1 ? RowBox(plan) : nil
        samples = plan.columns.count * plan.channels
        offset = box == nil ? plan.columns.lowerBound * plan.channels : 0
        let block = Int(APOD_KERNEL_BLOCK)
        middle = AlignedBuffer(count: 2 * (roundedUp(samples, to: block) + block + plan.horizontal.taps))
        planeStride = roundedUp(plan.columns.count + plan.horizontal.taps, to: block)
        planes = plan.channels > 1 ? AlignedBuffer(count: 2 * planeStride * plan.channels) : nil
        outputStride = roundedUp(plan.horizontal.count, to: block)
        outputPlanes = plan.channels > 1 ? AlignedBuffer(count: outputStride * plan.channels) : nil
        rows = Array(repeating: nil, count: plan.vertical.taps)
    }

    private var isDone: Bool { produced == plan.vertical.count }

    var firstNeeded: Int {
        if let box { return box.consumed }
        return isDone ? .max : Int(plan.vertical.starts[produced])
    }

    func take() { box?.take(source, keeping: isDone ? .max : Int(plan.vertical.starts[produced])) }

    var canProduce: Bool {
        !isDone && (box?.rows.written ?? source.written) >= Int(plan.vertical.ends[produced])
    }

    func produce(into output: UnsafeMutablePointer<UInt8>) {
        let width = plan.horizontal.count
        makeMiddle(box?.rows ?? source)
        produced += 1
        guard let planes, let outputPlanes else {
            horizontal(0..<width, from: middle.wide, into: output)
            return
        }
        apod_deinterleave(middle.wide, plan.channels, planes.wide, planeStride, plan.columns.count)
        // Alternates between channels after a few samples, so that weights stay in the cache.
        for start in stride(from: 0, to: width, by: Self.samplesAtATime) {
            for channel in 0..<plan.channels {
                horizontal(
                    start..<min(start + Self.samplesAtATime, width), from: planes.wide + channel * planeStride,
                    into: outputPlanes.bytes + channel * outputStride)
            }
        }
        apod_interleave(outputPlanes.bytes, outputStride, plan.channels, output, width)
    }

    private static let samplesAtATime = 128

    private func makeMiddle(_ ring: RowRing) {
        let vertical = plan.vertical
        let start = Int(vertical.starts[produced])
        let last = Int(vertical.ends[produced]) - 1
        for k in 0..<vertical.taps { rows[k] = UnsafePointer(ring.row(min(start + k, last)) + offset) }
        rows.withUnsafeBufferPointer { rows in
            vertical.weights.withUnsafeBufferPointer { weights in
                apod_vertical(
                    level, rows.baseAddress!, weights.baseAddress! + produced * vertical.taps, vertical.taps,
                    middle.wide, samples)
            }
        }
    }

    /// Filters a range of a row's samples.
    private func horizontal(
        _ samples: Range<Int>, from source: UnsafePointer<Int16>, into output: UnsafeMutablePointer<UInt8>
    ) {
        let filter = plan.horizontal
        filter.starts.withUnsafeBufferPointer { starts in
            filter.weights.withUnsafeBufferPointer { weights in
                apod_horizontal(
                    level, source, starts.baseAddress! + samples.lowerBound,
                    weights.baseAddress! + samples.lowerBound * filter.taps, filter.taps, output + samples.lowerBound,
                    samples.count)
            }
        }
    }
}

/// Averages boxes of pixels before filtering, because the filter alone would need too many rows in memory.
private final class RowBox {
    /// The averaged rows, with only the needed columns.
    let rows: RowRing
    private(set) var consumed = 0
    private let plan: RowResamplingPlan
    private let sums: UnsafeMutablePointer<UInt32>
    private let count: Int

    init(_ plan: RowResamplingPlan) {
        self.plan = plan
        count = plan.columns.count * plan.channels
        rows = RowRing(samples: count, rows: plan.widestSpan + 1)
        sums = .allocate(capacity: max(count, 1))
        sums.initialize(repeating: 0, count: max(count, 1))
    }

    deinit { sums.deallocate() }

    /// Adds the available source rows, ignoring rows after the end of the picture.
    func take(_ source: RowRing, keeping first: Int) {
        let columns = plan.sourceColumns
        while consumed < min(source.written, plan.sourceHeight) {
            apod_box_add(
                source.row(consumed) + columns.lowerBound * plan.channels, plan.channels, columns.count, plan.boxWidth,
                sums)
            consumed += 1
            let height = consumed % plan.boxHeight
            guard height == 0 || consumed == plan.sourceHeight else { continue }
            rows.reserve(1, keeping: first)
            apod_box_divide(
                sums, plan.channels, columns.count, plan.boxWidth, height == 0 ? plan.boxHeight : height,
                rows.row(rows.written))
            rows.advance()
        }
    }
}
