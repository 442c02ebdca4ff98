import CZlib
import Formats
import Support

/// One frame of an animated PNG as a PNG of its own, as if somebody had written it: header, palette and the like, image
/// data, end. It takes memory for a description of each chunk; the data stays where it is.
///
/// The checksum of image data is derived from that of the frame's chunk, so that damage shows as it does in any PNG.
struct PNGFrameSource: ByteSource {
    /// Chunks of a frame: as many as 512 MB have that are cut up as libpng does.
    private static let chunkLimit = 65_536

    private enum Bytes {
        case made([UInt8])
        case stored(Range<Int>)

        var count: Int {
            switch self {
            case .made(let bytes): bytes.count
            case .stored(let range): range.count
            }
        }
    }

    let count: Int
    private let source: any ByteSource
    /// In order, each with its offset.
    private let pieces: [(offset: Int, bytes: Bytes)]

    init(_ source: some ByteSource, _ animation: PNGAnimation, frame: PNGAnimation.Frame) throws {
        var pieces: [(offset: Int, bytes: Bytes)] = []
        var count = 0
        func add(_ bytes: Bytes) throws {
            guard pieces.count < Self.chunkLimit * 2 else {
                throw ImageError.overLimit(.png, "a frame of over \(Self.chunkLimit) chunks")
            }
            pieces.append((count, bytes))
            count += bytes.count
        }
        try add(.made(Self.head(try source.bytes(0..<33), frame.size)))
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
        self.source = source
        self.pieces = pieces
        self.count = count
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        guard offset >= 0, offset < count else { return 0 }
        var done = 0
        // The last piece that begins at or before the offset.
        var (low, high) = (0, pieces.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if pieces[middle].offset <= offset { low = middle } else { high = middle }
        }
        var index = low
        while done < buffer.count, index < pieces.count {
            let piece = pieces[index]
            let start = offset + done - piece.offset
            let room = UnsafeMutableRawBufferPointer(
                rebasing: buffer[done..<min(done + piece.bytes.count - start, buffer.count)])
            switch piece.bytes {
            case .made(let bytes): room.copyBytes(from: bytes[start..<start + room.count])
            case .stored(let range):
                let got = try source.read(into: room, at: range.lowerBound + start)
                guard got == room.count else { return done + got }
            }
            done += room.count
            index += 1
        }
        return done
    }

    /// Signature and header of the file with another size.
    private static func head(_ bytes: [UInt8], _ size: PixelSize) -> [UInt8] {
        var bytes = Array(bytes[..<29])
        bytes.replaceSubrange(16..<24, with: number(UInt32(size.width)) + number(UInt32(size.height)))
        return bytes + number(crc(Array(bytes[12...]), followedBy: 0))
    }

    /// What `bytes` contribute to the checksum of a text that goes on for `count` bytes: the checksum of the whole is
    /// that, exclusive or the checksum of the rest.
    private static func crc(_ bytes: [UInt8], followedBy count: Int) -> UInt32 {
        let sum = crc32(0, bytes, uInt(bytes.count))
        return UInt32(truncatingIfNeeded: count == 0 ? sum : crc32_combine(sum, 0, count))
    }

    private static func number(_ value: UInt32) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
