import CZlib
import Support

extension ImageFormat {
    /// PNG, including animated PNG.
    public static let png = ImageFormat(
        "png", name: "PNG", signature: Signature(PNGHeader.signature),
        header: { window, _ in try PNGLayout.header(&window) },
        checkEnd: { source, _, verifiesChecksums in
            try PNGLayout.checkEnd(source, verifiesChecksums: verifiesChecksums)
        }, findMetadata: PNGLayout.findMetadata)
}

/// The chunks of a PNG (PNG specification, third edition, §5 and §11).
public enum PNGLayout {
    /// The maximum number of chunks that are searched for `eXIf`, which may follow the image data (§11.3.3.4). Enough
    /// for 128 MB in the 8 KB chunks that libpng writes. A malicious file costs about 20 ms.
    static let metadataChunkLimit = 16_384

    public struct Chunk: Sendable, Hashable {
        public let type: FourCC
        /// The range of the data, which may extend beyond the end of the file.
        public let body: Range<Int>
        /// The offset of the next chunk, after the CRC.
        var end: Int { body.upperBound + 4 }
    }

    /// Reads IHDR, the first chunk (§11.2.1), tRNS and acTL before the image data, and eXIf at any position.
    static func header(_ window: inout SourceWindow) throws -> ImageHeader {
        let first = try nextChunk(&window, at: 8)
        if first.type == "CgBI" { throw FormatFailure.notRead(.png, "Apple's CgBI variant") }
        guard first.type == "IHDR", first.body.count == 13 else {
            throw FormatFailure.corrupt(.png, "a first chunk other than IHDR")
        }
        guard let bytes = try window.bytes(at: first.body.lowerBound, 13) else { throw FormatFailure.truncated(.png) }
        let header = try PNGHeader(Array(bytes))
        var orientation = Orientation.upright
        var hasAlpha = header.hasAlpha
        var (isAnimated, announcesFrames, sawFrame, hasSeparateStaticImage, sawData) = (
            false, false, false, false, false
        )
        var offset = first.end
        for _ in 0..<metadataChunkLimit {
            guard let chunk = try readableChunk(&window, at: offset), chunk.type != "IEND" else { break }
            switch chunk.type {
            case "IDAT" where !sawData:
                sawData = true
                hasSeparateStaticImage = announcesFrames && !sawFrame
            case "fcTL": sawFrame = true
            case "tRNS" where !sawData: hasAlpha = true
            case "acTL" where !sawData:
                let count = try window.bigEndian(at: chunk.body.lowerBound, 4) ?? 0
                (announcesFrames, isAnimated) = (count > 0, count > 1)
            case "eXIf": orientation = try ExifOrientation.read(&window, in: chunk.body)
            default: break
            }
            if chunk.type == "eXIf" && sawData { break }
            offset = chunk.end
        }
        return ImageHeader(
            format: .png, storedSize: header.size, orientation: orientation, isAnimated: isAnimated, hasAlpha: hasAlpha,
            hasSeparateStaticImage: hasSeparateStaticImage)
    }

    /// Walks over all chunks up to IEND. Ignores later bytes. With `verifiesChecksums`, reads all bytes, and verifies
    /// the checksums of the chunks that a decoder needs for the picture or its frames; decoders ignore other checksums.
    static func checkEnd(_ source: any ByteSource, verifiesChecksums: Bool) throws {
        var window = verifiesChecksums ? SourceWindow.forWalk(source) : .forHeader(source)
        var sawData = false
        var isAnimated = false
        // Byte 25 is the colour type in IHDR. `header` has checked the length of IHDR.
        let hasPalette = try window.byte(at: 25) == 3
        var offset = 8
        while true {
            let chunk = try nextChunk(&window, at: offset)
            guard chunk.end <= window.count else { throw FormatFailure.truncated(.png) }
            let isDrawn: Bool
            switch chunk.type {
            case "IHDR", "IEND": isDrawn = true
            case "IDAT":
                isDrawn = true
                // Some IDAT chunks may be empty (§11.2.3), but not all.
                if !chunk.body.isEmpty { sawData = true }
            case "PLTE": isDrawn = hasPalette
            case "acTL":
                isAnimated = isAnimated || !sawData
                isDrawn = isAnimated
            case "fcTL", "fdAT": isDrawn = isAnimated
            default:
                guard chunk.type.isAncillary else { throw FormatFailure.notRead(.png, "an unknown critical chunk") }
                isDrawn = false
            }
            if isDrawn && verifiesChecksums { try verifyChecksum(of: chunk, &window) }
            if chunk.type == "IEND" {
                guard sawData else { throw FormatFailure.corrupt(.png, "no image data") }
                return
            }
            offset = chunk.end
        }
    }

    /// Verifies the CRC over type and data (§5.5).
    private static func verifyChecksum(of chunk: Chunk, _ window: inout SourceWindow) throws {
        var sum: UInt = 0
        let isWhole = try window.read(chunk.body.lowerBound - 4..<chunk.body.upperBound) { bytes in
            sum = crc32_z(sum, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        guard isWhole, let stored = try window.bigEndian(at: chunk.body.upperBound, 4) else {
            throw FormatFailure.truncated(.png)
        }
        guard stored == Int(sum) else { throw FormatFailure.corrupt(.png, "a wrong chunk checksum") }
    }

    /// Returns the chunk at `offset`. Throws `truncated` if its length or type is incomplete, and `corrupt` if the
    /// length is over 2^31 - 1 or the type is not four ASCII letters (§5.3, §5.4).
    static func nextChunk(_ window: inout SourceWindow, at offset: Int) throws -> Chunk {
        guard let length = try window.bigEndian(at: offset, 4),
            let type = try window.bigEndian(at: offset + 4, 4).map({ FourCC(UInt32($0)) })
        else { throw FormatFailure.truncated(.png) }
        guard length <= Int32.max else { throw FormatFailure.corrupt(.png, "a chunk over 2^31 - 1 bytes") }
        guard type.isLetters else { throw FormatFailure.corrupt(.png, "a chunk whose type is not four letters") }
        return Chunk(type: type, body: offset + 8..<offset + 8 + length)
    }

    /// Returns the chunk at `offset`, or nil if it is invalid. `checkEnd` reports invalid chunks.
    static func readableChunk(_ window: inout SourceWindow, at offset: Int) throws -> Chunk? {
        do {
            return try nextChunk(&window, at: offset)
        } catch is FormatFailure {
            return nil
        }
    }
}
