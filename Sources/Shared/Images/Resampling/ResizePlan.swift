import Formats

/// A box that a picture is fitted into, its aspect ratio kept.
public struct FitBox: Sendable, Hashable {
    /// Columns at most; nil for no bound.
    public var width: Int?
    /// Rows at most; nil for no bound.
    public var height: Int?
    /// Whether a picture smaller than the box is made larger. Default false.
    public var enlarges: Bool

    public init(width: Int? = nil, height: Int? = nil, enlarges: Bool = false) {
        self.width = width
        self.height = height
        self.enlarges = enlarges
    }

    /// The largest size of the same aspect ratio that fits, each side rounded to the nearest and at least 1.
    public func size(for source: PixelSize) -> PixelSize {
        let ratios = [
            width.map { Double($0) / Double(source.width) }, height.map { Double($0) / Double(source.height) },
        ]
        guard var ratio = ratios.compactMap({ $0 }).min() else { return source }
        if !enlarges { ratio = min(ratio, 1) }
        func scaled(_ side: Int, bound: Int?) -> Int {
            let exact = (Double(side) * ratio).rounded()
            // A caller's absurd bound must not overflow; encoders refuse such a size anyway.
            return min(max(Int(min(exact, 1e9)), 1), max(bound ?? .max, 1))
        }
        return PixelSize(width: scaled(source.width, bound: width), height: scaled(source.height, bound: height))
    }
}

/// How one picture is made smaller: pure numbers, decided before anything is decoded.
public struct ResizePlan: Sendable, Hashable {
    /// Rows and columns as they are stored.
    public let source: PixelSize
    public let orientation: Orientation
    /// The output, upright.
    public let target: PixelSize

    public init(source: PixelSize, orientation: Orientation, target: PixelSize) {
        self.source = source
        self.orientation = orientation
        self.target = target
    }

    /// The output before it is turned upright: resampling happens in the stored orientation, turning on the small
    /// result.
    public var storedTarget: PixelSize { orientation.swapsAxes ? target.swapped : target }

    /// Whether source and target are of one size, so that samples are only copied.
    public var isIdentity: Bool { source == storedTarget }

    /// The eighths at which a JPEG is decoded: the smallest of 1, 2, 4 and 8 (which libjpeg-turbo has vector code for)
    /// that leaves at least twice the target's size to the resampler, else 8. Below twice, the missing high
    /// frequencies of the decoder's box-like filter begin to show (measured: up to 0.4 dB PSNR).
    public var jpegScale: Int {
        for scale in [1, 2, 4] {
            func isEnough(_ source: Int, _ target: Int) -> Bool { source * scale >= target * 2 * 8 }
            if isEnough(source.width, storedTarget.width) && isEnough(source.height, storedTarget.height) {
                return scale
            }
        }
        return 8
    }
}

/// One axis of a resampling: where the output samples lie among the input samples.
struct ResamplingAxis: Hashable {
    /// Input samples that exist.
    var sourceCount: Int
    /// The picture's length in input samples; not whole where it was scaled, or subsampled, by the decoder.
    var sourceExtent: Double
    /// Output samples to make.
    var targetCount: Int
    /// The picture's length in output samples; not whole for the chroma of an odd size.
    var targetExtent: Double
    /// Where the first output sample begins, in output samples from the picture's edge.
    var targetOffset = 0.0

    /// Input samples for each output sample.
    var scale: Double { sourceExtent / targetExtent }

    init(sourceCount: Int, targetCount: Int) {
        self.sourceCount = sourceCount
        sourceExtent = Double(sourceCount)
        self.targetCount = targetCount
        targetExtent = Double(targetCount)
    }

    /// Lays the output samples so that the last one, not the first, ends at the picture's edge.
    mutating func alignToFarEdge() { targetOffset = targetExtent - Double(targetCount) }

    /// Each input sample becomes the mean of `factor` before: their number is rounded up, their extent is not.
    func boxed(by factor: Int) -> ResamplingAxis {
        var axis = self
        axis.sourceCount = (sourceCount + factor - 1) / factor
        axis.sourceExtent = sourceExtent / Double(factor)
        return axis
    }

    /// The factor by which samples are averaged before they are weighted: 1 up to a scale of 24, so that nothing that
    /// is looked at closely passes a box filter; above, one that leaves at least 12. Keeps both the number of rows in
    /// memory and the rounding of tiny weights small. At most 2048, so that sums of a box fit 32 bits.
    var boxFactor: Int { scale < 24 ? 1 : min(Int(scale / 12), 2048, sourceCount) }
}
