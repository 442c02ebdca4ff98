import Images

/// The origin of variants: a picture, its thumbnail, or a placeholder.
protocol VariantSource {
    /// Returns a digest of the picture's bytes; empty if the key alone identifies the content. O(bytes). Throws if the
    /// picture cannot be read.
    func content() throws -> String

    /// Returns all options that affect the bytes of a variant, and the version of the engine.
    func key(_ variant: Variant) -> String

    /// Returns the format of a variant. Throws if it depends on a picture that cannot be read.
    func format(of variant: Variant) throws -> OutputFormat

    /// Makes variants, and calls `done` with the index of each as soon as it is complete.
    func make(_ requests: [VariantMaker.Request], done: (Int, DownsampleResult) throws -> Void) throws
}
