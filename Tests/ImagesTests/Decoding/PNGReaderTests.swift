import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// The chunks of a PNG, which tests change and reassemble.
struct PNGChunks {
    struct Chunk {
        var type: String
        var body: [UInt8]
    }

    var chunks: [Chunk] = []

    init(_ bytes: [UInt8]) {
        var offset = 8
        while offset + 12 <= bytes.count {
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            chunks.append(Chunk(type: type, body: Array(bytes[offset + 8..<offset + 8 + length])))
            offset += 12 + length
        }
    }

    /// The zlib stream in the IDAT chunks.
    var data: [UInt8] { chunks.filter { $0.type == "IDAT" }.flatMap(\.body) }

    /// Splits the stream into chunks of these sizes, with the remainder in a final chunk.
    mutating func setData(_ data: [UInt8], sizes: [Int] = []) {
        let place = chunks.firstIndex { $0.type == "IDAT" }!
        chunks.removeAll { $0.type == "IDAT" }
        var pieces: [Chunk] = []
        var rest = data[...]
        for size in sizes {
            pieces.append(Chunk(type: "IDAT", body: Array(rest.prefix(size))))
            rest = rest.dropFirst(size)
        }
        chunks.insert(contentsOf: pieces + [Chunk(type: "IDAT", body: Array(rest))], at: place)
    }

    var bytes: [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunks.flatMap { chunk -> [UInt8] in
                let named = Array(chunk.type.utf8) + chunk.body
                return Self.number(UInt32(chunk.body.count)) + named + Self.number(Self.crc(named))
            }
    }

    static func number(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    /// CRC-32 as PNG defines it (annex D).
    static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
        }
        return ~crc
    }
}

@Suite struct PNGReaderTests {
    /// Returns a picture that is large enough to be decoded on another thread. Its sides are prime numbers.
    private static func large(channels: Int) -> PixelBuffer {
        var picture = PixelBuffer.waves(701, 523, channels: channels)
        for i in stride(from: 0, to: picture.bytes.count, by: 97) { picture.bytes[i] &+= 41 }
        return picture
    }

    private func pixels(_ source: any ByteSource, threads: Int, allowsDirect: Bool = true) throws -> [UInt8] {
        let options = DecodeOptions(spareThreads: ThreadBudget(threads))
        let reader = try PNGReader(source, options: options, allowsDirect: allowsDirect)
        let count = reader.size.width * reader.layout.channels * reader.sampleBytes
        var bytes: [UInt8] = []
        let row = AlignedBuffer(count: count)
        for _ in 0..<reader.size.height {
            try reader.readRow(into: row.bytes)
            bytes.append(contentsOf: UnsafeBufferPointer(start: row.bytes, count: count))
            // The reader must not depend on an earlier row, because its caller may change the row.
            row.bytes.update(repeating: 0x77, count: count)
        }
        try reader.finish()
        return bytes
    }

    @Test(arguments: 1...4) func pixelsSurviveARoundTripWithAnyNumberOfThreads(channels: Int) throws {
        let picture = Self.large(channels: channels)
        let source = MemorySource(try encode(picture, EncodeOptions(format: .png)))
        for threads in [0, 1, 4] { #expect(try pixels(source, threads: threads) == picture.bytes) }
    }

    @Test(arguments: 1...4) func libpngDecodesTheSamePixels(channels: Int) throws {
        for picture in [Self.large(channels: channels), .noise(33, 21, channels: channels)] {
            let source = MemorySource(try encode(picture, EncodeOptions(format: .png)))
            #expect(try pixels(source, threads: 0, allowsDirect: false) == picture.bytes)
        }
    }

    /// Indices beyond the palette occur.
    @Test(arguments: [1, 2, 4, 8], [nil, 0, 1, 200]) func libpngExpandsTheSameColours(depth: Int, alphas: Int?) throws {
        var random = SeededRandom(seed: UInt64(depth))
        for width in [1, 2, 7, 8, 9, 33, 1021] {
            let height = width == 1021 ? 1031 : 5
            let palette = (0..<3 * min(1 << depth, 200)).map { _ in UInt8.random(in: 0...255, using: &random) }
            let isGray = alphas == nil && depth < 8
            var file = PNGChunks(DrawnPicture.noise(width, height, channels: 1, seed: 1).png())
            file.chunks[0].body.replaceSubrange(8..<10, with: [UInt8(depth), isGray ? 0 : 3])
            let rowBytes = (width * depth + 7) / 8
            file.setData(
                Deflate.zlib(
                    (0..<height).flatMap { y -> [UInt8] in
                        [UInt8(y % 5)] + (0..<rowBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
                    }))
            if !isGray { file.chunks.insert(PNGChunks.Chunk(type: "PLTE", body: palette), at: 1) }
            if let alphas, alphas > 0 {
                let values = (0..<min(alphas, palette.count / 3)).map { UInt8(truncatingIfNeeded: $0 * 7) }
                file.chunks.insert(PNGChunks.Chunk(type: "tRNS", body: values), at: 2)
            }
            let source = MemorySource(file.bytes)
            let expected = try pixels(source, threads: 0, allowsDirect: false)
            for threads in [0, 1] { #expect(try pixels(source, threads: threads) == expected, "\(width)") }
        }
    }

    @Test(arguments: ["png-suite", "photos", "exif"])
    func libpngDecodesTheSamePixelsOfTheCorpus(_ folder: String) throws {
        for path in try Corpus.pictures(in: folder) where path.hasSuffix(".png") && !path.contains("png-suite/x") {
            let source = try File.openInput(path)
            guard source.count < 1 << 20 else { continue }
            #expect(try pixels(source, threads: 1) == pixels(source, threads: 0, allowsDirect: false), "\(path)")
        }
    }

    @Test(arguments: [false, true]) func transparencyBeforeThePaletteDoesNotChangeTheColours(isWide: Bool) throws {
        let picture = DrawnPicture.noise(40, 9, channels: 3, seed: 4)
        let key: [UInt8] = [0, picture.bytes[0], 0, picture.bytes[1], 0, picture.bytes[2]]
        let chunks = [PNGChunk("tRNS", key), PNGChunk("PLTE", [1, 2, 3])]
        var bytes = picture.png(chunks: chunks)
        if isWide {
            var file = PNGChunks(bytes)
            file.chunks[0].body[8] = 16
            let rows: [UInt8] = (0..<9).flatMap { y -> [UInt8] in
                [0] + picture.bytes[y * 120..<(y + 1) * 120].flatMap { [$0, $0] }
            }
            file.setData(Deflate.zlib(rows))
            bytes = file.bytes
        }
        // A decoder may ignore the transparency, but must not change the colours.
        let read = try decode(MemorySource(bytes))
        let colours = read.bytes.enumerated().filter { read.channels == 3 || $0.offset % 4 < 3 }.map(\.element)
        #expect(read.size == PixelSize(width: 40, height: 9) && colours == picture.bytes)
    }

    @Test func dataMayBeSplitIntoChunksAnywhere() throws {
        let picture = PixelBuffer.noise(40, 30, channels: 3)
        var png = PNGChunks(try encode(picture, EncodeOptions(format: .png)))
        png.setData(png.data, sizes: [0, 1, 1, 0, 7, 300, 0])
        png.chunks.insert(.init(type: "teXt", body: [1, 2, 3]), at: png.chunks.count - 1)
        #expect(try pixels(MemorySource(png.bytes), threads: 0) == picture.bytes)
    }

    /// When all chunks have been read, the inflater still holds more data than fits in the buffer.
    @Test func bytesBufferedInTheInflaterAreNotLost() throws {
        var png = PNGChunks(try encode(.noise(40, 30, channels: 3), EncodeOptions(format: .png)))
        png.chunks[0].body.replaceSubrange(..<8, with: PNGChunks.number(300) + PNGChunks.number(300))
        for behind in stride(from: 0, to: 80_000, by: 3_000) {
            png.setData(Deflate.zlib([UInt8](repeating: 0, count: 901 * 300 + behind)))
            #expect(try pixels(MemorySource(png.bytes), threads: 0).allSatisfy { $0 == 0 }, "\(behind)")
        }
    }

    @Test func dataAfterTheLastRowIsIgnored() throws {
        let picture = PixelBuffer.noise(40, 30, channels: 3)
        var png = PNGChunks(try encode(picture, EncodeOptions(format: .png)))
        png.setData(png.data + [1, 2, 3, 4])
        #expect(try pixels(MemorySource(png.bytes), threads: 0) == picture.bytes)
    }

    @Test(arguments: [0, 1]) func damageIsReportedWithItsErrorCode(threads: Int) throws {
        let picture = Self.large(channels: 3)
        let bytes = try encode(picture, EncodeOptions(format: .png))
        let png = PNGChunks(bytes)
        func code(_ bytes: [UInt8]) -> String? {
            failureCode { _ = try pixels(MemorySource(bytes), threads: threads) }
        }
        func words(_ bytes: [UInt8]) -> String? { message { _ = try pixels(MemorySource(bytes), threads: threads) } }
        func changed(_ change: (inout PNGChunks) -> Void) -> [UInt8] {
            var copy = png
            change(&copy)
            return copy.bytes
        }
        #expect(code(bytes) == nil)
        for missing in [1, 12, 13, 20, bytes.count / 2] {
            #expect(code(Array(bytes.dropLast(missing))) == "truncated-image")
        }
        var flipped = bytes
        flipped[bytes.count / 2] ^= 0x10
        #expect(code(flipped) == "corrupt-image")
        // The checksums of the chunks are right, but the checksum of the zlib stream is wrong.
        #expect(code(changed { $0.setData(png.data.dropLast() + [png.data.last! ^ 1]) }) == "corrupt-image")
        // The chunks are complete, but contain too little data.
        for count in [png.data.count - 30, png.data.count / 2] {
            let short = changed { $0.setData(Array(png.data.prefix(count))) }
            #expect(words(short) == "65 the PNG is corrupt: too little pixel data")
        }
        // An unknown critical chunk, and an unknown ancillary chunk, before and after the data.
        let unsupported = "65 unsupported PNG: an unknown critical chunk"
        for (type, first, second) in [
            ("NoPe", "65 unsupported PNG: NoPe: unhandled critical chunk", unsupported), ("noPe", nil, nil),
        ] {
            #expect(words(changed { $0.chunks.insert(.init(type: type, body: [1]), at: 1) }) == first)
            #expect(
                words(changed { $0.chunks.insert(.init(type: type, body: [1]), at: $0.chunks.count - 1) }) == second)
        }
        // The chunk IEND has twelve bytes: length, type and checksum.
        for (place, value, fault) in [
            (12, 0xFF, "an invalid chunk length"), (8, 1, "an invalid chunk type"), (1, 0, "a wrong chunk checksum"),
        ] {
            var changed = bytes
            changed[bytes.count - place] = UInt8(value)
            #expect(words(changed) == "65 the PNG is corrupt: \(fault)")
        }
        let rows = (0..<picture.size.height).flatMap { _ in [7] + [UInt8](repeating: 0, count: picture.size.width * 3) }
        #expect(
            words(changed { $0.setData(Deflate.zlib(rows)) }) == "65 the PNG is corrupt: an unknown filter")
    }

    /// Fails when a position is read or, with an `interruption`, cancels the run there.
    private struct FailingSource: ByteSource {
        let bytes: MemorySource
        let place: Int
        var interruption: Interruption?

        var count: Int { bytes.count }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
            if offset + buffer.count > place {
                guard let interruption else { throw SystemFailure(errno: 5, "read") }
                interruption.cancel(.outputClosed)
            }
            return bytes.read(into: buffer, at: offset)
        }
    }

    @Test(arguments: [0, 1]) func sourceErrorIsThrownUnchanged(threads: Int) throws {
        let bytes = MemorySource(try encode(.noise(700, 500, channels: 3), EncodeOptions(format: .png)))
        #expect(throws: SystemFailure(errno: 5, "read")) {
            _ = try pixels(FailingSource(bytes: bytes, place: 300_000), threads: threads)
        }
    }

    @Test(arguments: [0, 1]) func interruptionStopsTheReader(threads: Int) throws {
        let bytes = MemorySource(try encode(.noise(700, 500, channels: 3), EncodeOptions(format: .png)))
        let interruption = Interruption()
        let source = FailingSource(bytes: bytes, place: 300_000, interruption: interruption)
        let options = DecodeOptions(interruption: interruption, spareThreads: ThreadBudget(threads))
        let reader = try PNGReader(source, options: options)
        let row = AlignedBuffer(count: 2100)
        #expect(throws: Cancelled.self) { for _ in 0..<500 { try reader.readRow(into: row.bytes) } }
    }

    @Test func abandonedReaderReturnsItsThread() throws {
        let source = MemorySource(try encode(Self.large(channels: 3), EncodeOptions(format: .png)))
        let threads = ThreadBudget(1)
        let row = AlignedBuffer(count: 2103)
        for rows in [0, 1, 100, 522] {
            do {
                let reader = try PNGReader(source, options: DecodeOptions(spareThreads: threads))
                #expect(!threads.take())
                for _ in 0..<rows { try reader.readRow(into: row.bytes) }
            }
            #expect(threads.take())
            threads.giveBack()
        }
    }

    @Test func finishingEarlyChecksTheRestOfTheFile() throws {
        let bytes = try encode(Self.large(channels: 3), EncodeOptions(format: .png))
        for threads in [0, 1] {
            let options = DecodeOptions(spareThreads: ThreadBudget(threads))
            try PNGReader(MemorySource(bytes), options: options).finish()
            let cut = MemorySource(Array(bytes.dropLast(1)))
            #expect(failureCode { try PNGReader(cut, options: options).finish() } == "truncated-image")
        }
    }
}

@Suite struct ThreadBudgetTests {
    @Test func budgetLimitsTheNumberOfThreads() {
        let threads = ThreadBudget(2)
        #expect([threads.take(), threads.take(), threads.take()] == [true, true, false])
        threads.giveBack()
        #expect([threads.take(), threads.take()] == [true, false])
        #expect(!ThreadBudget(-3).take())
    }
}
