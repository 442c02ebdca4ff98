import CDeflate
import Formats

/// Writes the chunks of a PNG (PNG specification, third edition, §5).
struct PNGFile {
    private let drain: EncoderOutput

    init(_ drain: EncoderOutput) { self.drain = drain }

    /// Writes the signature and the header (§11.2.1).
    func begin(_ size: PixelSize, depth: Int, colourType: UInt8, isInterlaced: Bool) throws {
        try write(bytes: PNGHeader.signature)
        try write(
            "IHDR",
            bigEndian(size.width) + bigEndian(size.height) + [UInt8(depth), colourType, 0, 0, isInterlaced ? 1 : 0])
    }

    /// Writes the chunks before the palette: a valid profile (§11.3.2.3), EXIF (§11.3.4.5), and XMP as uncompressed
    /// text with the keyword that XMP part 3, §1.1.5 requires.
    func write(_ metadata: PictureMetadata, isGray: Bool) throws {
        if let profile = metadata.profile(isGray: isGray) {
            try write("iCCP", Array("ICC profile".utf8) + [0, 0] + Deflate.zlib(profile, level: 9))
        }
        if let exif = metadata.exif { try write("eXIf", exif) }
        // An XMP packet is text, so a packet with a zero byte is invalid.
        if let xmp = metadata.xmp, !xmp.contains(0) {
            try write("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp)
        }
    }

    func write(_ type: FourCC, _ body: [UInt8]) throws {
        let name = bigEndian(Int(type.code))
        try write(bytes: bigEndian(body.count) + name)
        try write(bytes: body)
        let sum = libdeflate_crc32(libdeflate_crc32(0, name, 4), body, body.count)
        try write(bytes: bigEndian(Int(sum)))
    }

    private func write(bytes: [UInt8]) throws { try drain.write(bytes.span.bytes) }

    private func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
