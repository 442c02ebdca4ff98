import Support

extension JPEGFrame {
    /// Eighths of its size that a picture can be decoded at, the smallest first.
    public static let scales = BlockLayout.sizes

    /// Starts to decode the picture; nil if it is of a kind that this decoder leaves to libjpeg.
    ///
    /// - Parameters:
    ///   - source: the bytes that the frame was read from.
    ///   - scale: eighths of its size at which luma is decoded, one of `scales`.
    ///   - reduction: the picture's size over the output's; 1 asks for everything, and a higher number allows to skip
    ///     scans of a progressive picture (`ScanChoice`).
    public func planes(
        of source: any ByteSource, scale: Int, for use: JPEGPlaneUse = .planes, reduction: Double = 1,
        options: JPEGOptions
    ) throws -> (any JPEGPlanes)? {
        try SequentialPlanes(self, source, scale: scale, for: use, options: options)
            ?? CoefficientPlanes(self, source, scale: scale, for: use, reduction: reduction, options: options)
    }
}
