import Formats
import Support

/// The compressed image data of a PNG source, to copy into an output with the same pixels.
struct PassthroughPNG {
    private let source: any ByteSource
    private let image: PNGImageData

    /// Returns nil if the data cannot be copied: its samples have 16 bits, or an interlaced output is requested and the
    /// source is not interlaced.
    init?(_ source: some ByteSource, isProgressive: Bool) throws {
        let image = try PNGImageData(source)
        guard image.header.depth <= 8, image.header.isInterlaced || !isProgressive else { return nil }
        self.source = source
        self.image = image
    }

    /// The size of palette and image data, to compare with other encodings.
    var byteCount: Int { image.byteCount }

    func write(_ metadata: PictureMetadata, isGray: Bool, into drain: EncoderOutput) throws {
        let file = PNGFile(drain)
        let header = image.header
        try file.begin(
            header.size, depth: header.depth, colourType: header.colourType, isInterlaced: header.isInterlaced)
        try file.write(metadata, isGray: isGray)
        if let palette = image.palette { try copy("PLTE", palette, to: file) }
        if let transparency = image.transparency { try copy("tRNS", transparency, to: file) }
        for data in image.data { try copy("IDAT", data, to: file) }
        try file.write("IEND", [])
    }

    /// The maximum size of a copied IDAT chunk. Longer chunks are split.
    private static let mostBytes = 1 << 20

    private func copy(_ type: FourCC, _ body: Range<Int>, to file: PNGFile) throws {
        guard type == "IDAT", body.count > Self.mostBytes else { return try file.write(type, source.bytes(body)) }
        for start in stride(from: body.lowerBound, to: body.upperBound, by: Self.mostBytes) {
            try file.write(type, source.bytes(start..<min(start + Self.mostBytes, body.upperBound)))
        }
    }
}

/// Writes the source's image data instead of the rows, which are decoded only to detect damage.
final class KeptPNGWriter: RowWriter {
    private let kept: PassthroughPNG
    private let channels: Int
    private let metadata: PictureMetadata
    private let drain: EncoderOutput

    init(_ kept: PassthroughPNG, channels: Int, metadata: PictureMetadata, into drain: EncoderOutput) {
        self.kept = kept
        self.channels = channels
        self.metadata = metadata
        self.drain = drain
    }

    func write(_ row: UnsafePointer<UInt8>) {}

    func finish() throws { try kept.write(metadata, isGray: channels < 3, into: drain) }
}
