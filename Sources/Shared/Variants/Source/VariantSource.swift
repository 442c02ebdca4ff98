import Images

/// What variants are made of: a picture, its own thumbnail, or a placeholder.
protocol VariantSource {
    /// What tells its content from that of all others, beside the key: a digest of a picture's bytes, empty if the key
    /// says it all. Cost: O(bytes). Throws if they cannot be read.
    func content() throws -> String

    /// Every option that changes the bytes of a variant, and the version of what makes them.
    func key(_ variant: Variant) -> String

    /// The format that a variant is written in. Throws if that depends on a picture which cannot be read.
    func format(of variant: Variant) throws -> OutputFormat

    /// Makes variants; `done` is told the index of each as soon as it is. Throws why one cannot be made, and what the
    /// sinks and `done` throw.
    func make(_ requests: [VariantMaker.Request], done: (Int, DownsampleResult) throws -> Void) throws
}
