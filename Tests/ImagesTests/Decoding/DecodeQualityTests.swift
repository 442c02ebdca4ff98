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
        return psnr(
            try samples(source, quality, encoding, side: side), referenceLanczos(try decode(source), to: size).bytes)
    }

    /// Returns the samples of a square output.
    private func samples(
        _ source: MemorySource, _ quality: DecodeOptions.Quality,
        _ encoding: EncodeOptions = EncodeOptions(format: .png), side: Int
    ) throws -> [UInt8] {
        let (bytes, _) = try downsample(
            source, to: .exactly(PixelSize(width: side, height: side)), encode: encoding,
            options: DecodeOptions(quality: quality))
        return try decode(MemorySource(bytes)).bytes
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
        #expect(try distance(.auto, jpeg, side: 300) == distance(.full, jpeg, side: 300))
        // The scaled decode has 192 pixels, so the resampler still reduces them by a factor of 1.92, which is enough.
        #expect(try distance(.auto, jpeg, side: 100) == distance(.fast, jpeg, side: 100))
        #expect(try distance(.auto, jpeg, side: 100) < distance(.full, jpeg, side: 100))
        let fine = EncodeOptions(format: .jpeg, quality: 90)
        #expect(try distance(.auto, fine, side: 100) == distance(.full, fine, side: 100))
        #expect(try distance(.auto, fine, side: 100) > distance(.fast, fine, side: 100) + 1)
    }

    @Test func averagedBlocksKeepTheContrastOfVisibleDetail() throws {
        let length = 1024
        let bytes = (0..<length * length).map { index in
            UInt8((127.5 + 80 * cos(2 * .pi * Double(index % length) / 40)).rounded())
        }
        let picture = PixelBuffer(size: PixelSize(width: length, height: length), channels: 1, bytes: bytes)
        let source = MemorySource(try picture.jpeg(quality: 98))
        let contrasts = try [DecodeOptions.Quality.fast, .full].map { quality in
            let levels = try samples(source, quality, side: 64).map { Double($0) - 127.5 }
            return (levels.reduce(0) { $0 + $1 * $1 } / Double(levels.count)).squareRoot()
        }
        #expect(abs(contrasts[0] / contrasts[1] - 1) < 0.02, "\(contrasts)")
    }

    /// The last row and column of a scaled decode may be partly outside of the picture.
    @Test(arguments: [13, 20, 30, 60]) func scaledDecodeKeepsDarkEdges(side: Int) throws {
        let length = 212
        let bytes = (0..<length * length).map { index -> UInt8 in
            let distance = length - max(index % length, index / length)
            return distance < 8 ? UInt8(distance * 20) : 160
        }
        let picture = PixelBuffer(size: PixelSize(width: length, height: length), channels: 1, bytes: bytes)
        let source = MemorySource(try picture.jpeg(quality: 98))
        let scaled = try samples(source, .fast, side: side)
        let differences = zip(scaled, try samples(source, .full, side: side)).map { abs(Int($0) - Int($1)) }
        #expect(differences.max()! <= 4, "\(differences.max()!)")
    }
}
