import Formats
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct OrientationTests {
    /// Returns the pixels as stored with this orientation: the inverse of `upright(from:)`.
    private func stored(_ upright: PixelBuffer, _ orientation: Orientation) -> PixelBuffer {
        switch orientation {
        case .rotated90Clockwise: upright.upright(from: .rotated90CounterClockwise)
        case .rotated90CounterClockwise: upright.upright(from: .rotated90Clockwise)
        default: upright.upright(from: orientation)
        }
    }

    /// Inserts an Exif segment, which contains only the orientation, after SOI.
    private func tagged(_ jpeg: [UInt8], _ orientation: Orientation) -> [UInt8] {
        let tiff: [UInt8] =
            Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1]
            + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation.rawValue, 0, 0] + [0, 0, 0, 0]
        let payload = Array("Exif".utf8) + [0, 0] + tiff
        let length = payload.count + 2
        return Array(jpeg[0..<2]) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + payload + jpeg[2...]
    }

    @Test func fourQuarterTurnsAreTheIdentity() {
        let picture = PixelBuffer.noise(5, 3, channels: 3)
        var turned = picture
        for _ in 0..<4 { turned = turned.upright(from: .rotated90Clockwise) }
        #expect(turned == picture)
        #expect(picture.upright(from: .rotated90Clockwise).sample(0, 0, 0) == picture.sample(0, 2, 0))
    }

    @Test(arguments: Orientation.allCases) func planesAreRotatedUpright(orientation: Orientation) throws {
        for (width, height) in [(96, 64), (97, 61)] {
            let upright = PixelBuffer.waves(width, height, channels: 3)
            let input = tagged(try stored(upright, orientation).jpeg(quality: 100, chroma: .full), orientation)
            for (w, h) in [(48, 32), (33, 21), (width, height)] {
                let target = PixelSize(width: w, height: h)
                let output = try downsampled(input, to: target, EncodeOptions(quality: 100))
                let reference = referenceLanczos(upright, to: target)
                #expect(try psnr(output.bytes, reference.bytes) > halvedChroma(reference) - 0.7)
            }
        }
    }

    @Test(arguments: Orientation.allCases) func rowsAreRotatedUpright(orientation: Orientation) throws {
        let upright = PixelBuffer.waves(60, 44, channels: 1)
        let input = tagged(try stored(upright, orientation).jpeg(quality: 100), orientation)
        let target = PixelSize(width: 25, height: 18)
        let output = try downsampled(input, to: target, EncodeOptions(format: .png))
        #expect(psnr(output.bytes, referenceLanczos(upright, to: target).bytes) > 40)
        let whole = try decode(MemorySource(input))
        #expect(psnr(whole.bytes, upright.bytes) > 40)
        #expect(try inspect(MemorySource(input)).uprightSize == upright.size)
    }
}
