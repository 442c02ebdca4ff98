import Support

extension JPEGFrame {
    /// The supported scales in eighths, ascending.
    public static let scales = BlockLayout.sizes

    /// Returns `JPEGPlane.sharpening` for a plane that is decoded at `scale` eighths. With it, the contrast of
    /// frequencies up to a quarter of a cycle per sample changes by at most 1 %. At 1/8, samples are averages of blocks,
    /// which lose up to 10 %; at 2/8 they lose up to 5 %.
    public static func sharpening(scale: Int) -> Double { scale == 1 ? 0.05 : scale == 2 ? 0.02 : 0 }

    /// Starts to decode the picture in `source`. Returns nil if libjpeg must decode it.
    ///
    /// - Parameters:
    ///   - scale: the scale of luma in eighths, one of `scales`.
    ///   - reduction: the size of the picture divided by the size of the output. At 1 all scans are decoded; at higher
    ///     values, scans of a progressive picture may be skipped (`ScanChoice`).
    public func planes(
        of source: any ByteSource, scale: Int, for use: JPEGPlaneUse = .planes, reduction: Double = 1,
        options: JPEGOptions
    ) throws -> (any JPEGPlanes)? {
        try SequentialPlanes(self, source, scale: scale, for: use, options: options)
            ?? CoefficientPlanes(self, source, scale: scale, for: use, reduction: reduction, options: options)
    }
}
