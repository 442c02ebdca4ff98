/// The chunks of a PNG (PNG specification, third edition, §5 and §11).
enum PNGLayout {
    /// An `eXIf` chunk may stand behind the image data (§11.3.3.4). Its search ends after this many chunks: enough for
    /// 128 MB in the 8 KB chunks that libpng writes, while a hostile file costs some 20 ms.
    static let hopLimit = 16_384

    struct Chunk {
        let type: UInt32
        /// Its data, which may reach beyond the end.
        let body: Range<Int>
        /// Where the next chunk begins, behind the CRC.
        var end: Int { body.upperBound + 4 }
    }

    /// Size and colour type from IHDR, which comes first (§11.2.1); alpha also by tRNS, animation by acTL, which stand
    /// before the image data; orientation by eXIf, wherever it stands.
    static func header(_ window: inout SourceWindow) throws -> ImageHeader {
        let (size, hasAlphaChannel) = try imageHeader(&window)
        var orientation = Orientation.upright
        var isAnimated = false
        var hasAlpha = hasAlphaChannel
        var sawData = false
        var offset = 33
        for _ in 0..<hopLimit {
            guard let chunk = try readableChunk(&window, at: offset), chunk.type != code("IEND") else { break }
            switch chunk.type {
            case code("IDAT"): sawData = true
            case code("tRNS") where !sawData: hasAlpha = true
            case code("acTL") where !sawData:
                isAnimated = try window.bigEndian(at: chunk.body.lowerBound, 4).map { $0 > 1 } ?? false
            case code("eXIf"):
                orientation = try ExifOrientation.read(&window, in: chunk.body)
            default: break
            }
            if chunk.type == code("eXIf") && sawData { break }
            offset = chunk.end
        }
        return ImageHeader(
            format: .png, storedSize: size, orientation: orientation, isAnimated: isAnimated, hasAlpha: hasAlpha)
    }

    /// Hops from chunk to chunk to IEND; bytes behind it don't count, nor do checksums. Throws `FormatFailure`.
    static func checkEnd(_ window: inout SourceWindow) throws {
        var sawData = false
        var offset = 8
        while true {
            let chunk = try nextChunk(&window, at: offset)
            guard chunk.end <= window.count else { throw FormatFailure.truncated(.png) }
            // Some of the chunks may be empty (§11.2.3), but not all.
            if chunk.type == code("IDAT"), !chunk.body.isEmpty { sawData = true }
            if chunk.type == code("IEND") {
                guard sawData else { throw FormatFailure.corrupt(.png, "no image data") }
                return
            }
            offset = chunk.end
        }
    }

    /// Size, and whether there is an alpha channel, from IHDR (§11.2.1, table 11.1).
    private static func imageHeader(_ window: inout SourceWindow) throws -> (PixelSize, Bool) {
        let chunk = try nextChunk(&window, at: 8)
        guard chunk.type == code("IHDR"), chunk.body.count == 13 else {
            throw FormatFailure.corrupt(.png, "its first chunk is not IHDR")
        }
        guard let width = try window.bigEndian(at: 16, 4), let height = try window.bigEndian(at: 20, 4),
            let depth = try window.byte(at: 24), let colour = try window.byte(at: 25),
            let methods = try window.bigEndian(at: 26, 3)
        else { throw FormatFailure.truncated(.png) }
        guard width > 0, height > 0 else { throw FormatFailure.corrupt(.png, "a width or height of 0") }
        guard width <= Int32.max, height <= Int32.max else {
            throw FormatFailure.corrupt(.png, "a width or height over 2^31 - 1")
        }
        let depths: [UInt8]
        switch colour {
        case 0: depths = [1, 2, 4, 8, 16]
        case 3: depths = [1, 2, 4, 8]
        case 2, 4, 6: depths = [8, 16]
        default: depths = []
        }
        guard depths.contains(depth) else {
            throw FormatFailure.corrupt(.png, "colour type \(colour) with a depth of \(depth) bits")
        }
        // Compression and filter method must be 0, interlace method 0 or 1.
        guard methods <= 1 else {
            throw FormatFailure.corrupt(.png, "an unknown compression, filter or interlace method")
        }
        return (PixelSize(width: width, height: height), colour == 4 || colour == 6)
    }

    /// The chunk at `offset`. Throws `truncated` if its length or type is cut off, `corrupt` if they cannot be:
    /// lengths end at 2^31 - 1, types are four ASCII letters (§5.3, §5.4).
    private static func nextChunk(_ window: inout SourceWindow, at offset: Int) throws -> Chunk {
        guard let length = try window.bigEndian(at: offset, 4), let type = try window.bytes(at: offset + 4, 4) else {
            throw FormatFailure.truncated(.png)
        }
        guard length <= Int32.max else { throw FormatFailure.corrupt(.png, "a chunk over 2^31 - 1 bytes") }
        guard type.allSatisfy({ (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }) else {
            throw FormatFailure.corrupt(.png, "a chunk whose type is not four letters")
        }
        return Chunk(type: type.reduce(0) { $0 << 8 | UInt32($1) }, body: offset + 8..<offset + 8 + length)
    }

    /// The chunk at `offset`, or nil: what is wrong behind the header is told by `checkEnd`, and the header stands.
    static func readableChunk(_ window: inout SourceWindow, at offset: Int) throws -> Chunk? {
        do {
            return try nextChunk(&window, at: offset)
        } catch is FormatFailure {
            return nil
        }
    }

    static func code(_ name: StaticString) -> UInt32 {
        (0..<4).reduce(0) { $0 << 8 | UInt32(name.utf8Start[$1]) }
    }
}
