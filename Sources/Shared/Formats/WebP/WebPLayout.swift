import Support

extension ImageFormat {
    /// Detected by `RIFF`, a length of any value, and `WEBP`.
    public static let webp = ImageFormat(
        "webp", name: "WebP", signature: Signature(Array("RIFF----WEBP".utf8), blank: 4..<8),
        header: { window, _ in try WebPLayout.header(&window) },
        checkEnd: { source, _, _ in try WebPLayout.checkEnd(source) }, findMetadata: WebPLayout.findMetadata)
}

/// The chunks of a WebP (WebP container specification; VP8: RFC 6386 §9.1; VP8L: WebP lossless specification §3).
enum WebPLayout {
    /// More chunks than any real file has before `EXIF`, including animations of thousands of frames.
    static let metadataChunkLimit = 16_384

    private enum Feature {
        static let animation: UInt8 = 0x02
        static let exif: UInt8 = 0x08
        static let alpha: UInt8 = 0x10
    }

    struct Chunk {
        let type: FourCC
        /// The range of the data, which may extend beyond the end of the file.
        let body: Range<Int>
        /// The offset of the next chunk. Data is padded to an even length.
        var end: Int { body.upperBound + body.count % 2 }
    }

    /// Reads size, alpha and animation from the first chunk, and the orientation from the `EXIF` chunk if its feature
    /// flag is set, like libwebp.
    static func header(_ window: inout SourceWindow) throws -> ImageHeader {
        guard let chunk = try nextChunk(&window, at: 12) else { throw FormatFailure.truncated(.webp) }
        switch chunk.type {
        case "VP8 ": return ImageHeader(format: .webp, storedSize: try lossySize(&window, chunk))
        case "VP8L":
            let (size, hasAlpha) = try losslessSize(&window, chunk)
            return ImageHeader(format: .webp, storedSize: size, hasAlpha: hasAlpha)
        case "VP8X":
            guard let features = try window.byte(at: chunk.body.lowerBound) else {
                throw FormatFailure.truncated(.webp)
            }
            return ImageHeader(
                format: .webp, storedSize: try canvasSize(&window, chunk),
                orientation: features & Feature.exif == 0 ? .upright : try orientation(&window, from: chunk.end),
                isAnimated: features & Feature.animation != 0, hasAlpha: features & Feature.alpha != 0)
        default: throw FormatFailure.corrupt(.webp, "a first chunk other than VP8, VP8L and VP8X")
        }
    }

    /// Walks over the chunks up to the size of the container. At least one of them must be a picture or a frame.
    /// Ignores later bytes.
    static func checkEnd(_ source: any ByteSource) throws {
        var window = SourceWindow.forHeader(source)
        guard let riffSize = try window.littleEndian(at: 4, 4) else { throw FormatFailure.truncated(.webp) }
        let end = 8 + riffSize
        // An odd size does not include the padding byte, which some writers omit at the end of the file.
        guard end <= window.count else { throw FormatFailure.truncated(.webp) }
        var sawPicture = false
        var canvas: PixelSize?
        var offset = 12
        while offset + 8 <= end, let chunk = try nextChunk(&window, at: offset) {
            guard chunk.body.upperBound <= end else {
                throw FormatFailure.corrupt(.webp, "a chunk that exceeds the container")
            }
            if chunk.type == "VP8X" {
                canvas = try canvasSize(&window, chunk)
            } else if let canvas, !sawPicture, let size = try pictureSize(&window, chunk), size != canvas {
                throw FormatFailure.corrupt(.webp, "a picture of \(size) pixels on a canvas of \(canvas)")
            }
            if chunk.type == "VP8 ", !sawPicture { try checkPartitions(&window, chunk) }
            if chunk.type == "VP8 " || chunk.type == "VP8L" || chunk.type == "ANMF" { sawPicture = true }
            offset = chunk.end
        }
        guard sawPicture else { throw FormatFailure.corrupt(.webp, "no picture in the container") }
    }

    private static func checkPartitions(_ window: inout SourceWindow, _ chunk: Chunk) throws {
        let (start, count) = (chunk.body.lowerBound, chunk.body.count)
        guard let head = try window.bytes(at: start, min(count, VP8Partitions.headerBytes)),
            try VP8Partitions.fit(head, count: count, { try window.byte(at: start + $0) })
        else { throw FormatFailure.truncated(.webp) }
    }

    static func findMetadata(_ window: inout SourceWindow, _ found: inout FoundParts) throws {
        var offset = 12
        for _ in 0..<metadataChunkLimit {
            guard let chunk = try nextChunk(&window, at: offset) else { break }
            if chunk.type == "EXIF" { try found.takeExif(chunk.body) }
            if chunk.type == "XMP " { try found.takeXMP(chunk.body) }
            offset = chunk.end
        }
    }

    /// Reads the start code and two sides of 14 bits from the header of a key frame.
    private static func lossySize(_ window: inout SourceWindow, _ chunk: Chunk) throws -> PixelSize {
        let start = chunk.body.lowerBound
        guard let tag = try window.byte(at: start), let startCode = try window.bigEndian(at: start + 3, 3),
            let width = try window.littleEndian(at: start + 6, 2),
            let height = try window.littleEndian(at: start + 8, 2)
        else { throw FormatFailure.truncated(.webp) }
        try require(10, in: chunk, "VP8")
        guard tag & 1 == 0, startCode == 0x9D012A else {
            throw FormatFailure.corrupt(.webp, "a lossy stream that does not begin with a key frame")
        }
        let size = PixelSize(width: width & 0x3FFF, height: height & 0x3FFF)
        guard size.width > 0, size.height > 0 else { throw FormatFailure.corrupt(.webp, "a width or height of 0") }
        return size
    }

    /// Reads the signature, two sides of 14 bits and the alpha flag.
    private static func losslessSize(_ window: inout SourceWindow, _ chunk: Chunk) throws -> (PixelSize, Bool) {
        let start = chunk.body.lowerBound
        guard let signature = try window.byte(at: start), let bits = try window.littleEndian(at: start + 1, 4)
        else { throw FormatFailure.truncated(.webp) }
        try require(5, in: chunk, "VP8L")
        guard signature == 0x2F else {
            throw FormatFailure.corrupt(.webp, "a lossless stream without its signature")
        }
        return (PixelSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1), bits >> 28 & 1 == 1)
    }

    private static func canvasSize(_ window: inout SourceWindow, _ chunk: Chunk) throws -> PixelSize {
        let start = chunk.body.lowerBound
        guard let width = try window.littleEndian(at: start + 4, 3),
            let height = try window.littleEndian(at: start + 7, 3)
        else { throw FormatFailure.truncated(.webp) }
        try require(10, in: chunk, "VP8X")
        let size = PixelSize(width: width + 1, height: height + 1)
        // Both sides have 24 bits, so the product does not overflow.
        guard size.width * size.height <= UInt32.max else {
            throw FormatFailure.corrupt(.webp, "a canvas over 2^32 - 1 pixels")
        }
        return size
    }

    private static func require(_ count: Int, in chunk: Chunk, _ name: String) throws {
        if chunk.body.count < count {
            throw FormatFailure.corrupt(.webp, "a \(name) chunk of fewer than \(count) bytes")
        }
    }

    /// Returns the size of a still picture, or nil for another chunk. A still picture must fill the canvas. The frames
    /// of an animation, which are in `ANMF` chunks, may be smaller.
    private static func pictureSize(_ window: inout SourceWindow, _ chunk: Chunk) throws -> PixelSize? {
        switch chunk.type {
        case "VP8 ": try lossySize(&window, chunk)
        case "VP8L": try losslessSize(&window, chunk).0
        default: nil
        }
    }

    private static func orientation(_ window: inout SourceWindow, from offset: Int) throws -> Orientation {
        var offset = offset
        for _ in 0..<metadataChunkLimit {
            guard let chunk = try nextChunk(&window, at: offset) else { break }
            if chunk.type == "EXIF" { return try ExifOrientation.read(&window, in: chunk.body) }
            offset = chunk.end
        }
        return .upright
    }

    /// Returns the chunk at `offset`, or nil if its type or length is incomplete.
    static func nextChunk(_ window: inout SourceWindow, at offset: Int) throws -> Chunk? {
        guard let type = try window.bigEndian(at: offset, 4), let length = try window.littleEndian(at: offset + 4, 4)
        else { return nil }
        return Chunk(type: FourCC(UInt32(type)), body: offset + 8..<offset + 8 + length)
    }
}

/// Returns the offset after the last whole frame of an animated WebP that may be truncated, or nil if no frame is
/// whole. Skips from chunk to chunk. Throws the errors of the source.
public func endOfWholeFrames(ofWebP source: some ByteSource) throws -> Int? {
    var window = SourceWindow.forHeader(source)
    var end: Int?
    var offset = 12
    while let chunk = try WebPLayout.nextChunk(&window, at: offset), chunk.body.upperBound <= window.count {
        // The last padding byte may be missing.
        if chunk.type == "ANMF" { end = min(chunk.end, window.count) }
        offset = chunk.end
    }
    return end
}
