/// One axis of a resampling: where the output samples lie among the input samples.
struct ResamplingAxis: Hashable {
    /// Input samples that exist.
    var sourceCount: Int
    /// Where the first output sample begins, in input samples from the first one's edge.
    var sourceOffset: Double
    /// The length that is resampled, in input samples; not whole if the decoder scaled or subsampled.
    var sourceExtent: Double
    /// Output samples to make.
    var targetCount: Int
    /// The length of the output in its samples; not whole for the chroma of an odd size.
    var targetExtent: Double

    /// Input samples for each output sample.
    var scale: Double { sourceExtent / targetExtent }

    init(sourceCount: Int, targetCount: Int) {
        self.sourceCount = sourceCount
        sourceOffset = 0
        sourceExtent = Double(sourceCount)
        self.targetCount = targetCount
        targetExtent = Double(targetCount)
    }

    /// Each input sample becomes the mean of `factor` before: their number is rounded up, their extent is not.
    func boxed(by factor: Int) -> ResamplingAxis {
        var axis = self
        axis.sourceCount = (sourceCount + factor - 1) / factor
        axis.sourceOffset = sourceOffset / Double(factor)
        axis.sourceExtent = sourceExtent / Double(factor)
        return axis
    }

    /// The factor by which samples are averaged before they are weighted: 1 up to a scale of 24, so that nothing that
    /// is looked at closely passes a box filter; above, one that leaves at least 12. Keeps both the number of rows in
    /// memory and the rounding of tiny weights small. At most 2048, so that sums of a box fit 32 bits.
    var boxFactor: Int { scale < 24 ? 1 : min(Int(scale / 12), 2048, sourceCount) }
}
