/// The mapping of output samples to input samples along an axis.
struct ResamplingAxis: Hashable {
    var sourceCount: Int
    /// The length of the whole input in input samples. Less than `sourceCount` if the last sample is partly beyond the
    /// edge of the picture.
    var sourceLength: Double
    /// See `JPEGPlane.sharpening`.
    var sharpening = 0.0
    /// The start of the first output sample, in input samples.
    var sourceOffset: Double
    /// The resampled length in input samples. Fractional if the decoder scaled or subsampled.
    var sourceExtent: Double
    var targetCount: Int
    /// The length of the output in output samples. Fractional for the halved chroma of an odd size.
    var targetExtent: Double

    /// Input samples per output sample.
    var scale: Double { sourceExtent / targetExtent }

    init(sourceCount: Int, targetCount: Int) {
        self.sourceCount = sourceCount
        sourceLength = Double(sourceCount)
        sourceOffset = 0
        sourceExtent = Double(sourceCount)
        self.targetCount = targetCount
        targetExtent = Double(targetCount)
    }

    /// Returns the axis after averaging groups of `factor` input samples. The number of groups is rounded up, but not
    /// the lengths.
    func boxed(by factor: Int) -> ResamplingAxis {
        var axis = self
        axis.sourceCount = (sourceCount + factor - 1) / factor
        axis.sourceLength = sourceLength / Double(factor)
        axis.sourceOffset = sourceOffset / Double(factor)
        axis.sourceExtent = sourceExtent / Double(factor)
        return axis
    }

    /// The number of samples to average before filtering. Averaging limits the rows in memory and the rounding of tiny
    /// weights, but would be visible in outputs that are not very small. The factor is therefore 1 below a scale of 24.
    /// From 24 on, it leaves a scale of at least 12 to the filter. At most 2048, because the sums of a box must fit 32
    /// bits.
    var boxFactor: Int { scale < 24 ? 1 : min(Int(scale / 12), 2048, sourceCount) }
}
