import Support

extension ImageFormat {
    /// Detected by the signature of a codestream (ISO/IEC 18181-1 annex D) or of its container.
    public static let jpegXL = ImageFormat(
        "jxl", name: "JPEG XL",
        signature: Signature([0xFF, 0x0A], [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]),
        header: { window, _ in try JPEGXLLayout.header(&window) },
        checkEnd: { source, _, _ in try JPEGXLLayout.checkEnd(source) })
}

/// The structure of a JPEG XL (ISO/IEC 18181). Functions throw `FormatFailure`.
enum JPEGXLLayout {
    /// More frames than any real file has.
    private static let frameLimit = 65_536

    static func header(_ window: inout SourceWindow) throws -> ImageHeader {
        var bits = JPEGXLBits(try JPEGXLCodestream(&window, mayBeCut: true))
        var image = try JPEGXLImage(&bits)
        _ = try image.readChannels(&bits)
        return ImageHeader(
            format: .jpegXL, storedSize: image.size, orientation: image.orientation, isAnimated: image.isAnimated,
            hasAlpha: image.hasAlpha)
    }

    /// Walks over the boxes, if there are any, and over the frames up to the last. Accepts a codestream with unreadable
    /// headers, because the decoder rejects it.
    static func checkEnd(_ source: any ByteSource) throws {
        var window = SourceWindow.forHeader(source)
        var bits = JPEGXLBits(try JPEGXLCodestream(&window, mayBeCut: false))
        var image = try JPEGXLImage(&bits)
        _ = try walk(&bits, &image) { _ in true }
    }

    /// Calls `body` with each frame up to the last, until `body` returns false. Returns whether all headers are
    /// readable.
    static func walk(
        _ bits: inout JPEGXLBits, _ image: inout JPEGXLImage, _ body: (JPEGXLFrame) -> Bool
    ) throws -> Bool {
        do {
            let (isUsual, hasTones) = try image.readChannels(&bits)
            try image.readColours(&bits, isUsual: isUsual, hasTones: hasTones)
            if let preview = image.previewSize { _ = try JPEGXLFrame(&bits, image, canvas: preview) }
            for _ in 0..<frameLimit {
                let frame = try JPEGXLFrame(&bits, image, canvas: image.size)
                if !body(frame) || frame.isLast { break }
            }
            return true
        } catch is JPEGXLNumbers.Unreadable {
            return false
        }
    }
}
