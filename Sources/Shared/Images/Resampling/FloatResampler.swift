import CKernels
import Support

/// Resamples in floating point: each row horizontally as it arrives, then vertically. Input and output have straight
/// alpha; during resampling, colours are premultiplied by alpha.
///
/// Slower than `RowResampler`. Used for linear light, which preserves the brightness of fine bright detail (stars), and
/// for alpha, because 8 bits are too few for premultiplied colours: at alpha 3, 256 levels become 4.
final class FloatResampler: Resampler {
    private(set) var produced = 0
    private let plan: RowResamplingPlan
    private let source: RowRing
    private let hasAlpha: Bool
    private let mixing: SampleMixing
    /// The number of source rows resampled into `narrowed`, which has `Float` samples and the output's width.
    private var consumed = 0
    private let narrowed: RowRing
    private let wide: AlignedBuffer, sums: AlignedBuffer
    private let horizontalWeights: [Float], verticalWeights: [Float]

    /// - Parameter plan: must not use boxes.
    init(_ plan: RowResamplingPlan, from source: RowRing, hasAlpha: Bool, mixing: SampleMixing) {
        precondition(plan.boxWidth == 1 && plan.boxHeight == 1)
        self.plan = plan
        self.source = source
        self.hasAlpha = hasAlpha
        self.mixing = mixing
        let size = MemoryLayout<Float>.size
        let width = plan.horizontal.count * plan.channels
        narrowed = RowRing(samples: width * size, rows: plan.widestSpan + 1)
        wide = AlignedBuffer(count: (plan.columns.count + plan.horizontal.taps) * plan.channels * size)
        sums = AlignedBuffer(count: width * size)
        horizontalWeights = plan.horizontal.weights.map { Float($0) / Float(FilterWeights.one) }
        verticalWeights = plan.vertical.weights.map { Float($0) / Float(FilterWeights.one) }
    }

    private var isDone: Bool { produced == plan.vertical.count }

    var firstNeeded: Int { consumed }

    func take() {
        let first = isDone ? Int.max : Int(plan.vertical.starts[produced])
        while consumed < min(source.written, plan.sourceHeight) {
            let row = source.row(consumed) + plan.columns.lowerBound * plan.channels
            let light = Self.floats(wide.bytes)
            mixing.values.withUnsafeBufferPointer {
                apod_light_from_samples(
                    row, plan.channels, hasAlpha ? 1 : 0, plan.columns.count, $0.baseAddress!, light)
            }
            narrowed.reserve(1, keeping: first)
            let target = Self.floats(narrowed.row(narrowed.written))
            let filter = plan.horizontal
            filter.starts.withUnsafeBufferPointer { starts in
                horizontalWeights.withUnsafeBufferPointer { weights in
                    apod_light_horizontal(
                        light, plan.channels, starts.baseAddress!, weights.baseAddress!, filter.taps, target,
                        filter.count)
                }
            }
            narrowed.advance()
            consumed += 1
        }
    }

    var canProduce: Bool { !isDone && consumed >= Int(plan.vertical.ends[produced]) }

    func produce(into output: UnsafeMutablePointer<UInt8>) {
        let vertical = plan.vertical
        let width = plan.horizontal.count
        let total = Self.floats(sums.bytes)
        total.update(repeating: 0, count: width * plan.channels)
        for k in Int(vertical.starts[produced])..<Int(vertical.ends[produced]) {
            let weight = verticalWeights[produced * vertical.taps + k - Int(vertical.starts[produced])]
            apod_light_add(Self.floats(narrowed.row(k)), weight, total, width * plan.channels)
        }
        mixing.samples.withUnsafeBufferPointer {
            apod_samples_from_light(
                total, plan.channels, hasAlpha ? 1 : 0, width, $0.baseAddress!, mixing.steps, output)
        }
        produced += 1
    }

    private static func floats(_ bytes: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<Float> {
        UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Float.self)
    }
}

/// The encoding in which samples are averaged, as tables that convert from and to 8-bit samples.
struct SampleMixing: Sendable {
    /// The value of each of the 256 samples, 0...1.
    let values: [Float]
    /// The samples of equally spaced values, 0...1.
    let samples: [UInt8]

    var steps: Int { samples.count - 1 }

    /// Linear light of sRGB.
    static let light = SampleMixing(values: SRGBCurve.light, samples: SRGBCurve.samples)

    /// The stored encoding, with 64 steps between adjacent samples.
    static let coded = SampleMixing(
        values: (0...255).map { Float($0) / 255 }, samples: (0...255 * 64).map { UInt8(($0 + 32) / 64) })
}
