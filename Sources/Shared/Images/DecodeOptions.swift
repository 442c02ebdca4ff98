import Support

/// How a picture is read.
public struct DecodeOptions: Sendable {
    /// What it may cost.
    public var limits: DecodeLimits
    /// What stops the work.
    public var interruption: Interruption
    /// Takes what there is of a picture that ends too early, instead of refusing it. Default false.
    public var allowsTruncated: Bool
    /// Threads that a reader may start, shared by all pictures of a run. Default: the machine's processors but one.
    public var spareThreads: SpareThreads

    public init(
        limits: DecodeLimits = .standard, interruption: Interruption = Interruption(), allowsTruncated: Bool = false,
        spareThreads: SpareThreads = SpareThreads()
    ) {
        self.limits = limits
        self.interruption = interruption
        self.allowsTruncated = allowsTruncated
        self.spareThreads = spareThreads
    }

    /// Throws `Cancelled` once the run is being stopped. To be called between the steps of any longer work.
    public func check() throws { try interruption.check() }
}
