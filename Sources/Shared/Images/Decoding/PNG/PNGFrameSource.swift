import CZlib
import Formats
import Support

extension SplicedSource {
    /// The maximum number of chunks per frame: enough for 512 MB in chunks of the size that libpng writes.
    private static let chunkLimit = 65_536

    /// Presents a frame of an animated PNG as a PNG file: header, shared chunks, image data, end chunk. Only a
    /// description of each chunk is in memory; the data stays in the source.
    ///
    /// The checksums of the image data are derived from the checksums of the frame's chunks, so damage is detected as
    /// in any PNG.
    init(_ source: some ByteSource, _ animation: PNGAnimation, frame: PNGAnimation.Frame) throws {
        var pieces: [Piece] = []
        func add(_ piece: Piece) throws {
            guard pieces.count < Self.chunkLimit * 2 else {
                throw ImageError.overLimit(.png, "a frame of more than \(Self.chunkLimit) chunks")
            }
            pieces.append(piece)
        }
        try add(.made(try Self.head(source.bytes(0..<33), frame.size)))
        try PNGAnimation.chunks(of: source, in: animation.shared) { chunk in
            guard chunk.type != "acTL", chunk.type != "fcTL" else { return }
            try add(.stored(chunk.body.lowerBound - 8..<chunk.body.upperBound + 4))
        }
        try PNGAnimation.chunks(of: source, in: frame.chunks) { chunk in
            switch chunk.type {
            case "IDAT": try add(.stored(chunk.body.lowerBound - 8..<chunk.body.upperBound + 4))
            case "fdAT":
                let body = chunk.body.dropFirst(4)
                let named = try source.bytes(chunk.body.lowerBound - 4..<chunk.body.lowerBound + 4)
                let stored = try source.bytes(chunk.body.upperBound..<chunk.body.upperBound + 4)
                let data = UInt32(ByteOrder.bigEndian.number(stored[...])) ^ Self.crc(named, followedBy: body.count)
                let name = Array("IDAT".utf8)
                try add(.made(Self.number(UInt32(body.count)) + name))
                try add(.stored(body))
                try add(.made(Self.number(data ^ Self.crc(name, followedBy: body.count))))
            default: break
            }
        }
        try add(.made(Self.number(0) + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]))
        self.init(source, pieces)
    }

    /// Returns the signature and header of the file, with the picture size replaced by `size`. Throws if the file has
    /// become shorter.
    private static func head(_ bytes: [UInt8], _ size: PixelSize) throws -> [UInt8] {
        guard bytes.count >= 29 else { throw ImageError.truncated(.png) }
        var bytes = Array(bytes[..<29])
        bytes.replaceSubrange(16..<24, with: number(UInt32(size.width)) + number(UInt32(size.height)))
        return bytes + number(crc(Array(bytes[12...]), followedBy: 0))
    }

    /// Returns the contribution of `bytes` to the checksum of `bytes` followed by `count` more bytes. The exclusive or
    /// of this contribution and the checksum of the further bytes is the checksum of all bytes.
    private static func crc(_ bytes: [UInt8], followedBy count: Int) -> UInt32 {
        let sum = crc32(0, bytes, uInt(bytes.count))
        return UInt32(truncatingIfNeeded: count == 0 ? sum : crc32_combine(sum, 0, count))
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
