import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// PNGs that need no change keep their image data, so they never grow.
@Suite struct PassthroughPNGTests {
    /// Returns a PNG that is compressed with more effort than the output.
    private func source(_ size: PixelSize = PixelSize(width: 90, height: 70)) throws -> [UInt8] {
        try encode(PixelBuffer.waves(size.width, size.height, channels: 3), EncodeOptions(format: .png, effort: 9))
    }

    private func made(
        _ bytes: [UInt8], effort: Int = 1, isProgressive: Bool = false, options: DecodeOptions = DecodeOptions(),
        _ change: (inout Output) -> Void = { _ in }
    ) throws -> [UInt8] {
        let sink = MemorySink()
        var output = Output(
            Geometry(), encoding: EncodeOptions(format: .png, effort: effort, isProgressive: isProgressive), sink: sink)
        change(&output)
        let source = MemorySource(bytes)
        try downsample(source, inspect(source), to: [output], options: options) { _, _ in }
        return sink.bytes
    }

    private func data(_ bytes: [UInt8]) throws -> [UInt8] {
        try PNGImageData(MemorySource(bytes)).data.flatMap { bytes[$0] }
    }

    /// The bytes of a chunk.
    private func chunk(_ type: FourCC, _ body: [UInt8]) throws -> [UInt8] {
        let sink = MemorySink()
        try PNGFile(EncoderOutput(.png, sink)).write(type, body)
        return sink.bytes
    }

    @Test func unchangedDataIsKept() throws {
        let source = try source()
        #expect(try made(source) == source)
        #expect(try made(source) { $0.wantsHash = true } == source)
    }

    @Test func textChunksAreDropped() throws {
        let source = try source()
        let text = try chunk("tEXt", Array("Comment\0home".utf8))
        #expect(try made(source[..<33] + text + source[33...]) == source)
    }

    @Test func smallerEncodingIsUsed() throws {
        let source = try encode(PixelBuffer.waves(90, 70, channels: 3), EncodeOptions(format: .png))
        let bytes = try made(source, effort: 9)
        #expect(bytes.count < source.count)
        #expect(try decode(MemorySource(bytes)) == decode(MemorySource(source)))
    }

    @Test func changedPictureIsEncodedAgain() throws {
        let source = try source()
        let kept = try data(source)
        #expect(try data(made(source, effort: 0)) != kept)
        #expect(try data(made(source, isProgressive: true)) != kept)
        #expect(try data(made(source) { $0.cornerRadius = 9 }) != kept)
        #expect(try data(made(source) { $0.geometry.quarterTurns = 1 }) != kept)
        #expect(try data(made(source) { $0.geometry = Geometry(width: 45) }) != kept)
        #expect(try data(made(source, options: DecodeOptions(allowsTruncated: true))) != kept)
    }

    /// Rows are still decoded to detect damage.
    @Test func largePictureIsCopiedOnlyIfItIsUndamaged() throws {
        let size = PixelSize(width: 4096, height: 1040)
        var source = try encode(PixelBuffer(size: size, filledWith: [9]), EncodeOptions(format: .png))
        #expect(try data(made(source)) == data(source))
        let place = try PNGImageData(MemorySource(source)).data[0].lowerBound + 40
        source[place] ^= 0x55
        #expect(throws: (any Error).self) { try made(source) }
    }

    @Test func noPNGOfTheCorpusGrows() throws {
        var count = 0
        for path in try Corpus.pictures(in: "png-suite") {
            // Removes the gamma, which would change the pixels.
            let bytes = withoutGamma(try TestFile.bytes(path))
            // Skips bit depths (PNG 11.2.1) above 8, because samples of 16 bits become 8 bits.
            guard bytes[24] <= 8, let made = try? made(bytes, effort: 3) else { continue }
            count += 1
            #expect(made.count <= bytes.count, "\(path): \(made.count) for \(bytes.count)")
        }
        #expect(count > (Corpus.isPresent ? 80 : 20))
    }

    private func withoutGamma(_ bytes: [UInt8]) -> [UInt8] {
        let name = Array("gAMA".utf8)
        guard let start = bytes.indices.dropLast(4).first(where: { bytes[$0..<$0 + 4].elementsEqual(name) }) else {
            return bytes
        }
        // Removes the length before the name, and the four data bytes and the checksum after it.
        return Array(bytes[..<(start - 4)] + bytes[(start + 12)...])
    }
}
