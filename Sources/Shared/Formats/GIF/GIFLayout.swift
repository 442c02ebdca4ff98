import Support

extension ImageFormat {
    /// Detected by the signature of either version (GIF89a §17).
    public static let gif = ImageFormat(
        "gif", name: "GIF", signature: Signature(Array("GIF87a".utf8), Array("GIF89a".utf8)),
        header: { window, _ in try GIFLayout.header(&window) },
        checkEnd: { source, header, _ in try GIFLayout.checkEnd(source, &header) },
        findMetadata: GIFLayout.findMetadata)
}

/// The blocks of a GIF. Section numbers refer to the GIF89a specification.
enum GIFLayout {
    /// The logical screen (§18). Some writers store 0 as the width or height. The screen then extends to the edge of
    /// the first image, as in browsers, Pillow and libvips.
    struct Screen {
        let size: PixelSize
        /// Colours in the global palette; 0 if there is none.
        let paletteCount: Int
        /// The offset of the first block.
        let end: Int
    }

    enum Block {
        case frame(GIFFrame)
        /// The count of a looping extension: the number of repetitions after the first play, or 0 to loop forever.
        case loop(Int)
        /// A comment extension (§24).
        case comment
    }

    /// A graphic control extension, for the image that follows (§23).
    private struct Control {
        var delayMilliseconds = 0
        var disposal = GIFFrame.Disposal.unspecified
        var transparentIndex: UInt8?
    }

    static func header(_ window: inout SourceWindow) throws -> ImageHeader {
        ImageHeader(format: .gif, storedSize: try screen(&window).size, isAnimated: nil, hasAlpha: nil)
    }

    static func checkEnd(_ source: any ByteSource, _ header: inout ImageHeader) throws {
        var window = SourceWindow.forWalk(source)
        let screen = try screen(&window)
        var frames = 0
        var hasAlpha = false
        _ = try walk(&window, from: screen.end) { block in
            guard case .frame(let frame) = block else { return }
            frames += 1
            if frame.transparentIndex != nil { hasAlpha = true }
        }
        guard frames > 0 else { throw FormatFailure.corrupt(.gif, "no frame") }
        header.isAnimated = frames > 1
        header.hasAlpha = hasAlpha
    }

    static func screen(_ window: inout SourceWindow) throws -> Screen {
        let paletteCount = paletteCount(try byte(&window, at: 10))
        let end = 13 + 3 * paletteCount
        var size = PixelSize(width: try number(&window, at: 6), height: try number(&window, at: 8))
        if size.width == 0 || size.height == 0 {
            let edges = try firstImageEdges(&window, from: end)
            size = PixelSize(
                width: size.width == 0 ? edges.width : size.width,
                height: size.height == 0 ? edges.height : size.height)
        }
        guard size.width > 0, size.height > 0 else { throw FormatFailure.corrupt(.gif, "a width or height of 0") }
        return Screen(size: size, paletteCount: paletteCount, end: end)
    }

    /// Returns the right and bottom edge of the first image, or zeros if there is no image. `walk` reports the missing
    /// image.
    private static func firstImageEdges(_ window: inout SourceWindow, from offset: Int) throws -> PixelSize {
        var offset = offset
        do {
            while true {
                switch try byte(&window, at: offset) {
                case 0x2C:
                    let (left, top) = (try number(&window, at: offset + 1), try number(&window, at: offset + 3))
                    return PixelSize(
                        width: left + (try number(&window, at: offset + 5)),
                        height: top + (try number(&window, at: offset + 7)))
                case 0x21: offset = try subBlocks(&window, at: offset + 2).end
                case 0: offset += 1
                default: return PixelSize(width: 0, height: 0)
                }
            }
        } catch FormatFailure.truncated {
            return PixelSize(width: 0, height: 0)
        }
    }

    /// Calls `visit` with each block from `offset` up to the trailer. Returns the offset after the trailer. Throws
    /// `FormatFailure` for a malformed block, and the errors of `visit`.
    static func walk(_ window: inout SourceWindow, from offset: Int, visit: (Block) throws -> Void) throws -> Int {
        var control = Control()
        var offset = offset
        while true {
            switch try byte(&window, at: offset) {
            case 0x2C:
                let (frame, end, isWhole) = try image(&window, at: offset + 1, control)
                try visit(.frame(frame))
                guard isWhole else { throw FormatFailure.truncated(.gif) }
                control = Control()
                offset = end
            case 0x21:
                let label = try byte(&window, at: offset + 1)
                switch label {
                case 0xF9: control = try graphicControl(&window, at: offset + 2)
                case 0xFF: if let count = try loopCount(&window, at: offset + 2) { try visit(.loop(count)) }
                // A plain text extension consumes the graphic control extension (§25). Viewers do not draw the text.
                case 0x01: control = Control()
                case 0xFE: try visit(.comment)
                default: break
                }
                offset = try subBlocks(&window, at: offset + 2).end
            case 0x3B: return offset + 1
            // Some writers add zeros as padding. Other decoders skip them too.
            case 0: offset += 1
            default: throw FormatFailure.corrupt(.gif, "a block that is not an image, extension or trailer")
            }
        }
    }

    /// Finds XMP in its application extension (XMP part 3, §1.1.2). The packet is plain text without sub-blocks. A
    /// program that walks over sub-blocks treats letters of the packet as lengths, until it reaches the 258 bytes after
    /// the packet. From any offset in these bytes, the walk continues to the end of the extension.
    static func findMetadata(_ window: inout SourceWindow, _ found: inout FoundParts) throws {
        let trailer = 258
        do {
            var offset = try screen(&window).end
            while let introducer = try window.byte(at: offset), let label = try window.byte(at: offset + 1) {
                if introducer == 0x2C {
                    guard let flags = try window.byte(at: offset + 9) else { return }
                    offset = try subBlocks(&window, at: offset + 11 + 3 * paletteCount(flags)).end
                } else if introducer == 0x21 {
                    let end = try subBlocks(&window, at: offset + 2).end
                    let packet = offset + 14
                    if label == 0xFF, try window.has("\u{B}XMP DataXMP", at: offset + 2), end - packet > trailer,
                        try window.bigEndian(at: end - trailer, 2) == 0x01FF
                    {
                        try found.takeXMP(packet..<end - trailer)
                        return
                    }
                    offset = end
                } else if introducer == 0 {
                    offset += 1
                } else {
                    return
                }
            }
        } catch is FormatFailure {
            // Keep the metadata that precedes the damage.
        }
    }

    /// Reads an image descriptor (§20), and skips its palette and data (§22). `isWhole` is false if the data is too
    /// short for all pixels.
    private static func image(
        _ window: inout SourceWindow, at offset: Int, _ control: Control
    ) throws -> (GIFFrame, end: Int, isWhole: Bool) {
        let left = try number(&window, at: offset)
        let top = try number(&window, at: offset + 2)
        let size = PixelSize(width: try number(&window, at: offset + 4), height: try number(&window, at: offset + 6))
        let flags = try byte(&window, at: offset + 8)
        guard size.width > 0, size.height > 0 else {
            throw FormatFailure.corrupt(.gif, "a frame with a width or height of 0")
        }
        let paletteCount = paletteCount(flags)
        let data = offset + 9 + 3 * paletteCount
        // Appendix F allows 2 to 8, but real files also have 1. `LZWDecoder` supports up to 11, because codes have up
        // to 12 bits and the first codes have one bit more than the code size.
        let codeSize = Int(try byte(&window, at: data))
        guard (1...11).contains(codeSize) else { throw FormatFailure.corrupt(.gif, "a code size outside 1 to 11") }
        guard try byte(&window, at: data + 1) != 0 else { throw FormatFailure.corrupt(.gif, "a frame without data") }
        let frame = GIFFrame(
            left: left, top: top, size: size, delayMilliseconds: control.delayMilliseconds,
            disposal: control.disposal, transparentIndex: control.transparentIndex,
            localPaletteCount: paletteCount, isInterlaced: flags & 0x40 != 0)
        let (end, dataBytes) = try subBlocks(&window, at: data + 1)
        // The first code has one pixel, and each following code has at most one pixel more than the previous code.
        // 100,000 such codes suffice for every frame size.
        let codes = min(8 * dataBytes / (codeSize + 1), 100_000)
        return (frame, end, isWhole: codes * (codes + 1) / 2 >= size.width * size.height)
    }

    private static func graphicControl(_ window: inout SourceWindow, at offset: Int) throws -> Control {
        guard try byte(&window, at: offset) == 4 else {
            throw FormatFailure.corrupt(.gif, "a graphic control extension of invalid length")
        }
        let flags = try byte(&window, at: offset + 1)
        return Control(
            delayMilliseconds: try number(&window, at: offset + 2) * 10,
            disposal: GIFFrame.Disposal(flags >> 2 & 7),
            transparentIndex: flags & 1 == 0 ? nil : try byte(&window, at: offset + 4))
    }

    /// Returns the count of a Netscape 2.0 looping extension, which some writers name `ANIMEXTS1.0`: after the eleven
    /// bytes of the name, a sub-block with the byte 1 and a 16-bit number. Returns nil for other application extensions
    /// (§26) and other sub-blocks, such as 2, the buffer size.
    private static func loopCount(_ window: inout SourceWindow, at offset: Int) throws -> Int? {
        guard try byte(&window, at: offset) == 11,
            try window.has("NETSCAPE2.0", at: offset + 1) || window.has("ANIMEXTS1.0", at: offset + 1),
            try byte(&window, at: offset + 12) >= 3, try byte(&window, at: offset + 13) & 7 == 1
        else { return nil }
        return try number(&window, at: offset + 14)
    }

    /// Returns the offset after the empty sub-block that ends a series of sub-blocks (§15, §16), and the number of
    /// bytes in the series.
    private static func subBlocks(_ window: inout SourceWindow, at offset: Int) throws -> (end: Int, bytes: Int) {
        var (end, bytes) = (offset, 0)
        while true {
            let length = Int(try byte(&window, at: end))
            end += 1 + length
            if length == 0 { return (end, bytes) }
            bytes += length
        }
    }

    /// Returns the number of colours. Bit 7 is set if there is a palette; the low three bits are the binary logarithm
    /// of the number of colours, minus 1.
    private static func paletteCount(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 2 << Int(flags & 7) }

    private static func byte(_ window: inout SourceWindow, at offset: Int) throws -> UInt8 {
        guard let byte = try window.byte(at: offset) else { throw FormatFailure.truncated(.gif) }
        return byte
    }

    private static func number(_ window: inout SourceWindow, at offset: Int) throws -> Int {
        guard let number = try window.littleEndian(at: offset, 2) else { throw FormatFailure.truncated(.gif) }
        return number
    }
}
