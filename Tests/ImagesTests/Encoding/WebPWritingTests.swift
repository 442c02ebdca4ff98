import Formats
import Libc
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct WebPWritingTests {
    private func written(
        _ picture: PixelBuffer, _ options: EncodeOptions
    ) throws -> (bytes: [UInt8], back: PixelBuffer) {
        let bytes = try encode(picture, options)
        return (bytes, try decode(MemorySource(bytes)))
    }

    /// Squares of four colours.
    private let drawing = PixelBuffer.drawn(120, 90) { x, y in
        [[250, 30, 20], [20, 40, 200], [255, 255, 255], [10, 10, 10]][(x / 7 + y / 5 * 3) % 4]
    }

    @Test func drawingOfFewColoursIsLossless() throws {
        let (bytes, back) = try written(drawing, EncodeOptions(format: .webp, effort: 1))
        #expect(back == drawing)
        let (plain, lossy) = try written(drawing, EncodeOptions(format: .webp))
        #expect(bytes.count < plain.count && lossy != drawing)
    }

    /// `encode` refuses this size earlier.
    @Test func failureOfLibwebpHasItsNumber() {
        let size = PixelSize(width: 20_000, height: 1)
        let writer = WebPWriter(
            size: size, channels: 3, options: EncodeOptions(format: .webp), into: EncoderOutput(.webp, MemorySink()))
        let row = [UInt8](repeating: 7, count: size.width * 3)
        row.withUnsafeBufferPointer { writer.write($0.baseAddress!) }
        // VP8_ENC_ERROR_BAD_DIMENSION
        #expect(message { try writer.finish() } == "70 cannot encode the WebP: libwebp error 5")
    }

    @Test func manyColoursAreLossyAtEveryEffort() throws {
        let picture = PixelBuffer.waves(120, 90, channels: 3)
        for effort in [0, 3, 9] {
            let (bytes, back) = try written(picture, EncodeOptions(format: .webp, effort: effort))
            #expect(back != picture && bytes[12..<16].elementsEqual("VP8 ".utf8))
        }
    }

    @Test func sharpColoursUseSharpYUVConversion() throws {
        // Red rows of two pixels on a background of many colours. A picture with few colours would be lossless.
        let picture = PixelBuffer.drawn(96, 80) { x, y in
            y % 7 < 2 && x % 24 < 18 ? [225, 15, 25] : [200 + x / 3, 215 + y / 4, 235]
        }
        // Sharp YUV conversion preserves light rather than sample values (libwebp's sharpyuv.h).
        func light(_ picture: PixelBuffer) -> [UInt8] {
            (0..<96 * 80).map { place in
                let parts = [0.2126, 0.7152, 0.0722].enumerated().map { channel, weight in
                    weight * pow(Double(picture.bytes[place * 3 + channel]) / 255, 2.2)
                }
                return UInt8((parts.reduce(0, +) * 255).rounded())
            }
        }
        func kept(_ chroma: ChromaChoice, quality: Int = 82, effort: Int = 3) throws -> Double {
            let options = EncodeOptions(format: .webp, quality: quality, effort: effort, chroma: chroma)
            return psnr(light(try written(picture, options).back), light(picture))
        }
        #expect(try kept(.full) > kept(.halved) + 3)
        #expect(try kept(.auto) == kept(.full))
        #expect(try kept(.auto, effort: 6) == kept(.full, effort: 6))
        #expect(try kept(.auto, effort: 0) == kept(.halved, effort: 0))
        #expect(try kept(.auto, quality: 95, effort: 0) == kept(.full, quality: 95, effort: 0))
    }

    @Test func alphaIsReducedToFitTheByteLimit() throws {
        var picture = PixelBuffer.waves(160, 120, channels: 4)
        let noise = PixelBuffer.noise(160, 120, channels: 1).bytes
        for place in noise.indices { picture.bytes[place * 4 + 3] = noise[place] }
        let lowest = try encode(picture, EncodeOptions(format: .webp, quality: 1)).count
        let source = MemorySource(try encode(picture, EncodeOptions(format: .png)))
        let sink = MemorySink()
        let output = Output(
            Geometry(), encoding: EncodeOptions(format: .webp), byteLimit: lowest / 2, sink: sink)
        try downsample(source, inspect(source), to: [output]) { _, _ in }
        #expect(sink.bytes.count <= lowest / 2)
        #expect(try decode(MemorySource(sink.bytes)).hasAlpha)
    }
}
