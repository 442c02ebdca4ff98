import Support

/// The check that bytes must pass before they are kept or shown as a picture.
public enum ImageInspection {
    /// Returns the header of a whole picture.
    ///
    /// A picture has the magic of a readable format, a header with a size above zero, and a well-formed structure up to
    /// the format's own end mark. The tables of a JPEG and the checksums of a PNG must be right; the scans of a JPEG,
    /// the frames of a GIF and the partitions of a WebP must be long enough for their pixels. Bytes behind the end mark
    /// and pixels are not checked. Throws `FormatFailure`, and the errors of the source. Linear for JPEG, PNG and GIF,
    /// in 64 KB of memory; other formats take a few reads.
    public static func inspect(_ source: some ByteSource) throws -> ImageHeader {
        var header = try ImageHeader.read(source)
        try checkEnd(of: source, &header)
        return header
    }

    /// Checks the rest of a picture whose header has been read, and fills in `isAnimated` and `hasAlpha` of a GIF.
    /// Throws as `inspect` does.
    ///
    /// - Parameter verifiesChecksums: false for a PNG whose decoder will verify them.
    public static func checkEnd(
        of source: some ByteSource, _ header: inout ImageHeader, verifiesChecksums: Bool = true
    ) throws {
        try header.format.checkEnd(source, &header, verifiesChecksums)
    }
}
