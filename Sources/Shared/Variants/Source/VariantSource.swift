import Images

/// The origin of variants: a picture, its thumbnail, or a placeholder.
protocol VariantSource {
    /// Returns a digest that identifies the content together with the key: of a picture's bytes, or empty if the key
    /// suffices. Cost: O(bytes). Throws if they cannot be read.
    func content() throws -> String

    /// Returns all options that affect the bytes of a variant, and the version of the engine.
    func key(_ variant: Variant) -> String

    /// Returns the format of a variant. Throws if it depends on a picture that cannot be read.
    func format(of variant: Variant) throws -> OutputFormat

    /// Makes variants, and passes the index of each to `done` as soon as it is complete. Rethrows errors of the sinks
    /// and `done`.
    func make(_ requests: [VariantMaker.Request], done: (Int, DownsampleResult) throws -> Void) throws
}
