import Support

/// The check that bytes must pass before they are kept or shown as a picture.
public enum ImageInspection {
    /// Checks that the bytes are a whole picture, and returns its header.
    ///
    /// A whole picture has the signature of a supported format, a size above zero, and a well-formed structure up to
    /// the format's end marker. The tables of a JPEG and the checksums of a PNG must be valid. The scans of a JPEG, the
    /// frames of a GIF and the partitions of a WebP must be long enough for their pixels. Pixels, and bytes after the
    /// end marker, are not checked. Reads JPEG, PNG and GIF once, in 64 KB of memory, and only a small part of other
    /// formats. Throws `FormatFailure`, and the errors of the source.
    public static func inspect(_ source: some ByteSource) throws -> ImageHeader {
        var header = try ImageHeader.read(source)
        try checkEnd(of: source, &header)
        return header
    }

    /// Checks the rest of a picture whose header has been read, and sets `isAnimated` and `hasAlpha` of a GIF. Throws
    /// like `inspect`.
    ///
    /// - Parameter verifiesChecksums: false if a decoder verifies the checksums of a PNG later.
    public static func checkEnd(
        of source: some ByteSource, _ header: inout ImageHeader, verifiesChecksums: Bool = true
    ) throws {
        try header.format.checkEnd(source, &header, verifiesChecksums)
    }
}
