import Support

/// The look that bytes must pass before they are kept as a picture.
public enum ImageInspection {
    /// Checks that `source` is a whole picture, and gives its header.
    ///
    /// It needs the magic of a readable format, a header with a size above zero, and a structure that is
    /// well-formed up to the format's own end mark. What follows the end mark is not looked at, nor are pixels and
    /// checksums. A GIF's `isAnimated` and `hasAlpha` are filled in.
    /// Throws `FormatFailure`, and what the source throws. Linear for JPEG and GIF, whose bytes are all read once, in
    /// 64 KB of memory; the others are hopped through.
    public static func inspect(_ source: some ByteSource) throws -> ImageHeader {
        let header = try ImageHeader.read(source)
        switch header.format {
        case .jpeg:
            var window = SourceWindow.forWalk(source)
            try JPEGLayout.checkEnd(&window)
        case .png:
            var window = SourceWindow.forHeader(source)
            try PNGLayout.checkEnd(&window)
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
            return try inspectGIF(source)
        }
        return header
    }

    /// Counts frames without keeping them: the limits on frames are the decoder's.
    private static func inspectGIF(_ source: some ByteSource) throws -> ImageHeader {
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
        return ImageHeader(format: .gif, storedSize: screen.size, isAnimated: frames > 1, hasAlpha: hasAlpha)
    }
}
