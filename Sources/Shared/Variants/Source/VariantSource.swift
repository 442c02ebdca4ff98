import Images

/// A source from which variants are made: a picture, its thumbnail, or a placeholder.
protocol VariantSource {
    /// Returns a digest of the picture's bytes, or an empty text if the key alone identifies the content. Cost: O(n) in
    /// the size of the picture. Throws if the picture cannot be read.
    func content() throws -> String

    /// Returns a text with all settings that affect the bytes of a variant, and the version of the engine.
    func key(_ variant: Variant) -> String

    /// Returns the format of a variant. Throws if it depends on a picture that cannot be read.
    func format(of variant: Variant) throws -> OutputFormat

    /// Makes variants. Calls `done` with the index of each variant as soon as the variant is complete.
    func make(_ requests: [VariantMaker.Request], done: (Int, DownsampleResult) throws -> Void) throws
}
