import Formats

/// The marker segments of a JPEG (T.81, annex B), in the order in which libjpeg writes them.
enum JPEGHeader {
    /// Returns the start of a baseline JPEG: the JFIF segment (T.871, 10.1), the metadata, the quantisation tables, and
    /// the frame header. Throws `ImageError` if the metadata does not fit.
    static func frame(
        _ size: PixelSize, isGray: Bool, _ coding: JPEGCoding, _ metadata: PictureMetadata
    ) throws -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8] + segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
        for (number, body) in try metadata.segments(isGray: isGray) { bytes += segment(0xE0 + number, body) }
        for table in 0..<(isGray ? 1 : 2) {
            bytes += segment(
                0xDB, [UInt8(table)] + JPEGBlock.zigzag.map { coding.tables.steps[table * 64 + $0] })
        }
        let luma = isGray ? 0x11 : UInt8(coding.sampling.across << 4 | coding.sampling.down)
        let components: [UInt8] = isGray ? [1, luma, 0] : [1, luma, 0, 2, 0x11, 1, 3, 0x11, 1]
        return bytes + segment(0xC0, [8] + twoBytes(size.height) + twoBytes(size.width) + [isGray ? 1 : 3] + components)
    }

    /// Returns the Huffman tables, DC and AC of luma, then of chroma, and the header of a scan with all components.
    static func scan(isGray: Bool, _ tables: [HuffmanCode]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (table, identifier) in zip(tables, [0x00, 0x10, 0x01, 0x11] as [UInt8]).prefix(isGray ? 2 : 4) {
            bytes += segment(0xC4, [identifier] + table.counts + table.symbols)
        }
        return bytes + segment(0xDA, (isGray ? [1, 1, 0x00] : [3, 1, 0x00, 2, 0x11, 3, 0x11]) + [0, 63, 0])
    }

    private static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, marker] + twoBytes(body.count + 2) + body
    }

    private static func twoBytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}

extension PictureMetadata {
    /// Returns the bodies of application segments with their numbers: EXIF (CIPA DC-008 4.7.2) and XMP (XMP part 3,
    /// §1.1.3), each only if it fits in a segment, and the profile in as many segments as necessary (ICC.1:2022 B.4).
    /// Throws `ImageError` if the profile is too large.
    func segments(isGray: Bool) throws -> [(number: UInt8, body: [UInt8])] {
        var segments: [(number: UInt8, body: [UInt8])] = []
        for (prefix, body) in [("Exif\0\0", exif), ("http://ns.adobe.com/xap/1.0/\0", xmp)] {
            guard let body, prefix.utf8.count + body.count <= 65_533 else { continue }
            segments.append((1, Array(prefix.utf8) + body))
        }
        guard let profile = profile(isGray: isGray) else { return segments }
        let pieces = stride(from: 0, to: profile.count, by: 65_519).map {
            profile[$0..<min($0 + 65_519, profile.count)]
        }
        guard let count = UInt8(exactly: pieces.count) else {
            throw ImageError.encoder(.jpeg, "the colour profile has more than 16 MB")
        }
        for (index, piece) in pieces.enumerated() {
            segments.append((2, Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), count] + piece))
        }
        return segments
    }
}
