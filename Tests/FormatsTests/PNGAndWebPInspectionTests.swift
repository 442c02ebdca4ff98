import Formats
import Support
import TestSupport
import Testing

@Suite struct PNGAndWebPInspectionTests {
    private func inspect(_ bytes: [UInt8]) throws -> ImageHeader { try ImageInspection.inspect(MemorySource(bytes)) }
    private func code(_ bytes: [UInt8]) -> String? { failure { _ = try inspect(bytes) }?.code }
    private func fault(_ bytes: [UInt8]) -> String? { failure { _ = try inspect(bytes) }?.fault }

    @Test func pngFaultsAreReported() {
        #expect(fault(Tiny.png(data: 0)) == "no image data")
        #expect(fault(Tiny.png(before: Tiny.chunk("IDAT", []), data: 0)) == "no image data")
        #expect(fault(Tiny.png(before: Tiny.chunk("a\u{1}cd", []))) == "a chunk whose type is not four letters")
        let long = Tiny.png(before: [0xFF, 0xFF, 0xFF, 0xFF] + Array("abcd".utf8))
        #expect(fault(long) == "a chunk over 2^31 - 1 bytes")
        #expect(fault(Tiny.pngSignature + Tiny.chunk("IDAT", [1])) == "a first chunk other than IHDR")
        let filter = Tiny.chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 1, 0])
        #expect(fault(Tiny.pngSignature + filter) == "an unknown compression, filter or interlace method")
        #expect(code(Tiny.png(before: [0x7F, 0xFF, 0xFF, 0xFF] + Array("abcd".utf8))) == "truncated-image")
    }

    /// A chunk with a wrong checksum.
    private func damaged(_ type: String, _ body: [UInt8]) -> [UInt8] {
        var chunk = Tiny.chunk(type, body)
        chunk[chunk.count - 1] ^= 1
        return chunk
    }

    @Test func checksumsOfPNGChunksNeededForDrawingMustBeRight() {
        let palette = damaged("PLTE", [1, 2, 3])
        #expect(fault(Tiny.png(before: damaged("IDAT", [1]))) == "a wrong chunk checksum")
        #expect(fault(Tiny.png(colour: 3, before: palette)) == "a wrong chunk checksum")
        #expect(fault(Tiny.png(after: damaged("IEND", []))) == "a wrong chunk checksum")
        var header = Tiny.png()
        header[29] ^= 1
        #expect(fault(header) == "a wrong chunk checksum")
        // Decoders ignore the checksums of these chunks.
        #expect(code(Tiny.png(before: palette)) == nil)
        #expect(code(Tiny.png(before: damaged("tEXt", [65, 0, 65]), after: damaged("eXIf", [1]))) == nil)
        #expect(code(Tiny.png(after: damaged("fdAT", [0, 0, 0, 0]))) == nil)
        // An animation needs the chunks of its frames.
        let claim = Tiny.chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0])
        #expect(fault(Tiny.png(before: claim, after: damaged("fdAT", [0, 0, 0, 0]))) == "a wrong chunk checksum")
        #expect(fault(Tiny.png(before: damaged("acTL", [0, 0, 0, 2, 0, 0, 0, 0]))) == "a wrong chunk checksum")
    }

    @Test func checksumsOfChunksLargerThanTheWindowAreVerified() {
        let large = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(code(Tiny.png(before: Tiny.chunk("IDAT", large))) == nil)
        #expect(fault(Tiny.png(before: damaged("IDAT", large))) == "a wrong chunk checksum")
    }

    @Test func unsupportedPNGsAreReportedAsUnsupported() {
        let known = Tiny.png()
        let apple = Array(known[..<8]) + Tiny.chunk("CgBI", [0x50, 0, 0x20, 2]) + known[8...]
        #expect(code(apple) == "unsupported-image" && fault(apple) == "Apple's CgBI variant")
        let critical = Tiny.png(before: Tiny.chunk("ABCD", [1]))
        #expect(code(critical) == "unsupported-image" && fault(critical) == "an unknown critical chunk")
    }

    @Test func webpFaultsAreReported() {
        let rows: [([UInt8], String)] = [
            (Tiny.webp(Tiny.extended(0x10), Tiny.riffChunk("ALPH", [1])), "no picture in the container"),
            (Tiny.webp(Tiny.riffChunk("JUNK", [1, 2])), "a first chunk other than VP8, VP8L and VP8X"),
            (
                Tiny.webp(Tiny.extended(0), Array("VP8 ".utf8) + [0xFF, 0xFF, 0xFF, 0xFF]),
                "a chunk that exceeds the container"
            ),
            (
                Tiny.webp(Tiny.riffChunk("VP8 ", [UInt8](repeating: 1, count: 16))),
                "a lossy stream that does not begin with a key frame"
            ),
            (
                Tiny.webp(Tiny.riffChunk("VP8L", [UInt8](repeating: 1, count: 16))),
                "a lossless stream without its signature"
            ),
        ]
        for (bytes, expected) in rows { #expect(fault(bytes) == expected) }
    }

    @Test func lossyWebPNeedsAllItsPartitions() {
        // `first` is the size of the first partition, whose bits declare two further partitions. `second` is the stored
        // size of the second partition.
        func stream(_ first: Int, _ second: [UInt8], data: Int) -> [UInt8] {
            let bits: [UInt8] = [0, 1, 0] + [UInt8](repeating: 0, count: 5)
            return Tiny.webp(
                Tiny.riffChunk(
                    "VP8 ",
                    Tiny.littleEndian(first << 5 | 0x10, 3) + [0x9D, 0x01, 0x2A, 20, 0, 10, 0] + bits + second
                        + [UInt8](repeating: 1, count: data)))
        }
        #expect(code(stream(8, [2, 0, 0], data: 3)) == nil)
        #expect(code(stream(8, [3, 0, 0], data: 3)) == "truncated-image")
        #expect(code(stream(8, [0, 0, 1], data: 3)) == "truncated-image")
        #expect(code(stream(8, [2], data: 0)) == "truncated-image")
        #expect(code(stream(200, [2, 0, 0], data: 3)) == "truncated-image")
    }

    @Test func stillWebPMustFillItsCanvas() {
        #expect(code(Tiny.webp(Tiny.extended(0), Tiny.lossy())) == nil)
        #expect(code(Tiny.webp(Tiny.extended(0), Tiny.lossless())) == nil)
        let large = Tiny.webp(Tiny.extended(0, width: 11_000, height: 12_000), Tiny.lossy())
        #expect(fault(large) == "a picture of 20x10 pixels on a canvas of 11000x12000")
        let wide = Tiny.webp(Tiny.extended(0), Tiny.lossless(width: 21))
        #expect(fault(wide) == "a picture of 21x10 pixels on a canvas of 20x10")
    }
}
