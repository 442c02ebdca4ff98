import Support

/// How a picture is read.
public struct DecodeOptions: Sendable {
    /// What it may cost.
    public var limits: DecodeLimits
    /// What stops the work.
    public var interruption: Interruption
    /// Takes what there is of a picture that ends too early, instead of refusing it. Default false.
    public var allowsTruncated: Bool
    /// Resamples in linear light. Default false.
    public var isLinear: Bool

    public init(
        limits: DecodeLimits = .standard, interruption: Interruption = Interruption(), allowsTruncated: Bool = false,
        isLinear: Bool = false
    ) {
        self.limits = limits
        self.interruption = interruption
        self.allowsTruncated = allowsTruncated
        self.isLinear = isLinear
    }
}
