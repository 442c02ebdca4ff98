import CDeflate
import Formats
import Support

/// Reads the pixel data of a PNG: checks the chunks from the first IDAT on, and decompresses the zlib stream that all
/// IDAT chunks form (PNG 5.3 to 5.6, 10.1).
///
/// `@unchecked Sendable`: `FilteredRows` uses a stream either on the caller's thread or on its worker, never on both.
final class PNGDataStream: @unchecked Sendable {
    private let source: any ByteSource
    private let options: DecodeOptions
    /// The next offset to read in the source.
    private var offset: Int
    private let buffer = AlignedBuffer(count: 128 << 10)
    private var position = 0
    private var end = 0
    /// The number of bytes of the current chunk that have not been read.
    private var chunkRest = 0
    /// The checksum of the bytes read from the current chunk; nil between chunks.
    private var crc: UInt32?
    private let byteCount: Int
    /// Lazy, so that the thread that decompresses creates it.
    private lazy var inflater = Inflater(expecting: byteCount)
    /// Whether the inflater may return more output without new input.
    private var mayHoldMore = false
    /// The bytes in `buffer` that have not been decompressed.
    private var packed = UnsafeRawBufferPointer(start: nil, count: 0)

    /// - Parameters:
    ///   - offset: the offset of the first IDAT chunk.
    ///   - byteCount: the decompressed length.
    init(_ source: any ByteSource, at offset: Int, byteCount: Int, options: DecodeOptions) {
        self.source = source
        self.options = options
        self.offset = offset
        self.byteCount = byteCount
    }

    /// Decompresses the next `count` bytes. Returns the number of decompressed bytes, and the error if there are fewer.
    func unpack(into bytes: UnsafeMutablePointer<UInt8>, count: Int) -> (count: Int, error: (any Error)?) {
        var done = 0
        do {
            while done < count {
                if inflater.state == .ended { throw corrupt("too little pixel data") }
                done += try step(into: UnsafeMutableRawBufferPointer(start: bytes + done, count: count - done))
                try check()
            }
        } catch {
            return (done, error)
        }
        return (count, nil)
    }

    /// Reads to the end of the zlib stream, verifies its checksum, and reads up to the end chunk. Ignores pixels after
    /// the last row.
    func finish() throws {
        let scratch = AlignedBuffer(count: 16 << 10)
        while inflater.state != .ended {
            try options.check()
            _ = try step(into: UnsafeMutableRawBufferPointer(start: scratch.bytes, count: scratch.count))
            try check()
        }
        try skipChunk()
        while true {
            let type = try beginChunk()
            switch type {
            case "IDAT", "PLTE": try skipChunk()
            case "IEND":
                try skipChunk()
                return
            default:
                guard type.isAncillary else {
                    try skipChunk()
                    throw ImageError.unsupported(.png, "an unknown critical chunk")
                }
                try skip(chunkRest + 4)
                crc = nil
            }
        }
    }

    /// Decompresses until the available input is used up or `room` is full. Returns the number of bytes written.
    private func step(into room: UnsafeMutableRawBufferPointer) throws -> Int {
        if packed.isEmpty && !mayHoldMore { try supply() }
        let (read, written) = inflater.inflate(packed, into: room)
        packed = UnsafeRawBufferPointer(rebasing: packed[read...])
        mayHoldMore = written == room.count
        return written
    }

    /// Throws if the compressed data is damaged.
    private func check() throws {
        switch inflater.state {
        case .open, .ended: break
        case .outOfMemory: throw ImageError.outOfMemory
        case .damaged(let fault): throw corrupt(fault)
        }
    }

    /// Sets `packed` to the next bytes of compressed pixel data.
    private func supply() throws {
        while chunkRest == 0 {
            if crc != nil { try checkSum() }
            guard try beginChunk() == "IDAT" else { throw corrupt("too little pixel data") }
        }
        let bytes = try nextBytes(atMost: chunkRest)
        packed = UnsafeRawBufferPointer(bytes)
        chunkRest -= bytes.count
    }

    /// Reads a chunk's length and type.
    private func beginChunk() throws -> FourCC {
        let length = Int(try fourBytes())
        let type = FourCC(try fourBytes())
        guard length <= Int32.max else { throw corrupt("an invalid chunk length") }
        guard type.isLetters else { throw corrupt("an invalid chunk type") }
        chunkRest = length
        var bytes = type.code.bigEndian
        crc = withUnsafeBytes(of: &bytes) { libdeflate_crc32(0, $0.baseAddress, 4) }
        return type
    }

    /// Reads the rest of a chunk, and its checksum.
    private func skipChunk() throws {
        while chunkRest > 0 { chunkRest -= try nextBytes(atMost: chunkRest).count }
        try checkSum()
    }

    private func checkSum() throws {
        guard try fourBytes() == crc else { throw corrupt("a wrong chunk checksum") }
        crc = nil
    }

    /// Skips bytes without reading them.
    private func skip(_ count: Int) throws {
        let buffered = min(count, end - position)
        position += buffered
        let (next, overflow) = offset.addingReportingOverflow(count - buffered)
        guard !overflow, next <= source.count else { throw ImageError.truncated(.png) }
        offset = next
    }

    private func fourBytes() throws -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            if position == end { try fill() }
            value = value << 8 | UInt32(buffer.bytes[position])
            position += 1
        }
        return value
    }

    /// Returns the next available bytes of a chunk, and adds them to its checksum.
    private func nextBytes(atMost count: Int) throws -> UnsafeMutableBufferPointer<UInt8> {
        if position == end { try fill() }
        let bytes = UnsafeMutableBufferPointer(start: buffer.bytes + position, count: min(count, end - position))
        crc = libdeflate_crc32(crc ?? 0, bytes.baseAddress, bytes.count)
        position += bytes.count
        return bytes
    }

    private func fill() throws {
        try options.check()
        let room = UnsafeMutableRawBufferPointer(start: buffer.bytes, count: buffer.count)
        let count = try source.read(into: room, at: offset)
        guard count > 0 else { throw ImageError.truncated(.png) }
        offset += count
        position = 0
        end = count
    }

    private func corrupt(_ fault: String) -> ImageError { .corrupt(.png, fault) }
}
