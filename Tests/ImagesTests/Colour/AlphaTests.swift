import Formats
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct AlphaTests {
    @Test(arguments: [4, 2]) func coloursOfNearlyTransparentPixelsAreKept(channels: Int) throws {
        var random = SeededRandom(seed: 8)
        let colour: [UInt8] = channels == 4 ? [200, 100, 50] : [77]
        let picture = DrawnPicture(width: 64, height: 64, channels: channels) { _, _ in
            colour + [UInt8.random(in: 0...3, using: &random)]
        }
        let small = try downsampled(
            picture.png(), to: PixelSize(width: 16, height: 16), EncodeOptions(format: .png))
        var seen = 0
        for pixel in stride(from: 0, to: small.bytes.count, by: channels)
        where small.bytes[pixel + channels - 1] > 0 {
            seen += 1
            for c in colour.indices { #expect(abs(Int(small.bytes[pixel + c]) - Int(colour[c])) <= 1) }
        }
        #expect(seen > 200)
    }

    /// A red disc on a transparent background.
    private static let disc = DrawnPicture(width: 160, height: 160, channels: 4) { x, y in
        let (dx, dy) = (x - 80, y - 80)
        return dx * dx + dy * dy < 70 * 70 ? [200, 10, 10, 255] : [0, 0, 0, 0]
    }

    /// The colours of the visible pixels of the downsampled disc.
    private func seen(_ options: EncodeOptions) throws -> [[UInt8]] {
        let small = try downsampled(Self.disc.png(), to: PixelSize(width: 23, height: 23), options)
        return stride(from: 0, to: small.bytes.count, by: 4).filter { small.bytes[$0 + 3] > 0 }
            .map { Array(small.bytes[$0..<$0 + 3]) }
    }

    @Test func edgesOfAGIFAreNotMixedWithWhite() throws {
        let colours = try seen(EncodeOptions(format: .gif))
        #expect(colours.count > 300)
        for colour in colours { #expect(zip(colour, [200, 10, 10]).allSatisfy { abs(Int($0) - $1) <= 4 }) }
        // A known background is mixed into the edges.
        let onWhite = try seen(EncodeOptions(format: .gif, background: .white))
        #expect(onWhite.count == colours.count)
        #expect(onWhite.contains { $0[1] > 60 })
    }

    @Test func edgesOfAnAnimatedGIFAreNotMixedWithWhite() throws {
        let half = PixelBuffer(size: PixelSize(width: 8, height: 8), filledWith: [200, 10, 10, 160])
        let opaque = PixelBuffer(size: PixelSize(width: 8, height: 8), filledWith: [10, 10, 200, 255])
        let gif = try encodeAnimation([half, opaque], delay: 100, EncodeOptions(format: .gif))
        #expect(try Array(decodeFrame(0, of: MemorySource(gif)).bytes[0..<4]) == [200, 10, 10, 255])
    }

    @Test func transparentMarginOfAnAnimatedWebPSetsTheAlphaFlag() throws {
        func frame(_ ground: [UInt8], _ step: Int) -> PixelBuffer {
            let picture = DrawnPicture(width: 64, height: 64, channels: 4) { x, y in
                (16..<48).contains(x) && (16..<48).contains(y) ? [UInt8(100 + 50 * step), 80, 40, 255] : ground
            }
            return PixelBuffer(size: PixelSize(width: 64, height: 64), channels: 4, bytes: picture.bytes)
        }
        for (ground, isTransparent) in [([0, 0, 0, 0], true), ([9, 9, 9, 255], false)] as [([UInt8], Bool)] {
            let webp = try encodeAnimation(
                [frame(ground, 0), frame(ground, 1)], delay: 100, EncodeOptions(format: .webp))
            #expect(webp[12..<16].elementsEqual("VP8X".utf8))
            #expect((webp[20] & 0x10 != 0) == isTransparent)
            let shown = try decodeFrame(1, of: MemorySource(webp)).bytes
            #expect((shown[3] == 0) == isTransparent)
        }
    }
}
