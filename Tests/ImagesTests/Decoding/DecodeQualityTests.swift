import Formats
import Libc
import Support
import TestSupport
import Testing

@testable import Images

/// The scale at which a JPEG is decoded for a much smaller output.
@Suite struct DecodeQualityTests {
    /// Rings that become finer from the centre outwards, up to the Nyquist frequency.
    private static let zonePlate: PixelBuffer = {
        let side = 512
        let bytes = (0..<side * side).flatMap { index -> [UInt8] in
            let (x, y) = (Double(index % side - side / 2), Double(index / side - side / 2))
            let gray = UInt8((127.5 + 120 * cos(.pi * (x * x + y * y) / Double(side))).rounded())
            return [gray, gray, gray]
        }
        return PixelBuffer(size: PixelSize(width: side, height: side), channels: 3, bytes: bytes)
    }()

    private func distance(_ quality: DecodeOptions.Quality, _ encoding: EncodeOptions, side: Int) throws -> Double {
        let source = MemorySource(try Self.zonePlate.jpeg(quality: 98))
        let size = PixelSize(width: side, height: side)
        let (bytes, _) = try downsample(
            source, to: .exactly(size), encode: encoding, options: DecodeOptions(quality: quality))
        return psnr(try decode(MemorySource(bytes)).bytes, referenceLanczos(try decode(source), to: size).bytes)
    }

    @Test func fullQualityAndLosslessOutputsUseAFullDecode() throws {
        let png = EncodeOptions(format: .png)
        let full = try distance(.full, png, side: 128)
        #expect(full > 50)
        #expect(try distance(.auto, png, side: 128) == full)
        #expect(try distance(.fast, png, side: 128) < 45)
    }

    @Test func decoderScalesOnlyIfTheResamplerStillReducesEnough() throws {
        let jpeg = EncodeOptions(format: .jpeg, quality: 82)
        #expect(try distance(.auto, jpeg, side: 190) == distance(.full, jpeg, side: 190))
        #expect(try distance(.auto, jpeg, side: 64) > distance(.fast, jpeg, side: 64) + 1)
        // The scaled decode has 256 pixels, so the resampler still reduces them by a factor of 2.56, which is enough.
        #expect(try distance(.auto, jpeg, side: 100) == distance(.fast, jpeg, side: 100))
        #expect(try distance(.auto, jpeg, side: 100) < distance(.full, jpeg, side: 100))
    }
}
