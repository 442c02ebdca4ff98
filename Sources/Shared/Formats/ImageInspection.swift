import Support

/// The check that bytes must pass before they are kept or shown as a picture.
public enum ImageInspection {
    /// Returns the header of a whole picture.
    ///
    /// A picture has the magic of a readable format, a header with a size above zero, and a well-formed structure up to
    /// the format's own end mark. The tables of a JPEG and the checksums of a PNG must be right. Bytes behind the end
    /// mark and pixels are not checked.
    /// Throws `FormatFailure`, and the errors of the source. Linear for JPEG, PNG and GIF, in 64 KB of memory; other
    /// formats take a few reads.
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
        switch header.format {
        case .jpeg:
            var window = SourceWindow.forWalk(source)
            try JPEGLayout.checkEnd(&window)
        case .png:
            var window = verifiesChecksums ? SourceWindow.forWalk(source) : .forHeader(source)
            try PNGLayout.checkEnd(&window, verifiesChecksums: verifiesChecksums)
        case .webp:
            var window = SourceWindow.forHeader(source)
            try WebPLayout.checkEnd(&window)
        case .tiff:
            var window = SourceWindow.forHeader(source)
            try TIFFLayout.checkEnd(&window)
        case .avif, .heic:
            // Its header has been read from all that can be looked at.
            break
        case .jpegXL:
            var window = SourceWindow.forHeader(source)
            try JPEGXLLayout.checkEnd(&window)
        case .gif:
            try checkGIF(source, &header)
        }
    }

    /// Counts frames without keeping them: the limits on frames are the decoder's.
    private static func checkGIF(_ source: some ByteSource, _ header: inout ImageHeader) throws {
        var window = SourceWindow.forWalk(source)
        let screen = try GIFLayout.screen(&window)
        var frames = 0
        var hasAlpha = false
        _ = try GIFLayout.walk(&window, from: screen.end) { block in
            guard case .frame(let frame) = block else { return }
            frames += 1
            if frame.transparentIndex != nil { hasAlpha = true }
        }
        guard frames > 0 else { throw FormatFailure.corrupt(.gif, "no frame") }
        header.isAnimated = frames > 1
        header.hasAlpha = hasAlpha
    }
}
