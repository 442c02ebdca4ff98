import Support

/// How a picture is read.
public struct DecodeOptions: Sendable {
    /// What it may cost.
    public var limits: DecodeLimits
    /// What stops the work.
    public var interruption: Interruption
    /// Takes what there is of a picture that ends too early, instead of refusing it. Default false.
    public var allowsTruncated: Bool
    /// Whether a picture that is made much smaller may lose what is hardly seen. Default `.fast`.
    public var quality: Quality
    /// Threads that a reader may start, shared by all pictures of a run. Default: the machine's processors but one.
    public var spareThreads: SpareThreads

    public enum Quality: Sendable, Hashable {
        /// Leaves out the scans of a progressive JPEG that bring less than 0.03 dB to so small a picture.
        case fast
        /// Decodes all that there is.
        case full
    }

    public init(
        limits: DecodeLimits = .standard, interruption: Interruption = Interruption(), allowsTruncated: Bool = false,
        quality: Quality = .fast, spareThreads: SpareThreads = SpareThreads()
    ) {
        self.limits = limits
        self.interruption = interruption
        self.allowsTruncated = allowsTruncated
        self.quality = quality
        self.spareThreads = spareThreads
    }

    /// Throws `Cancelled` once the run is being stopped. To be called between the steps of any longer work.
    public func check() throws { try interruption.check() }
}
