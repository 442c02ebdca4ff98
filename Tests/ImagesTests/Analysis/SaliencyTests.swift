import Formats
import TestSupport
import Testing

@testable import Images

@Suite struct SaliencyTests {
    /// A flat gray picture with a disc of bright stripes.
    private func picture(_ width: Int, _ height: Int, subjectAt centre: (x: Int, y: Int), radius: Int) -> PixelBuffer {
        var picture = PixelBuffer(size: PixelSize(width: width, height: height), filledWith: [90, 95, 100])
        for y in 0..<height {
            for x in 0..<width
            where (x - centre.x) * (x - centre.x) + (y - centre.y) * (y - centre.y) < radius * radius {
                let pixel: [UInt8] = (x / 3 + y / 5) % 2 == 0 ? [240, 200, 30] : [40, UInt8(x & 127), 160]
                for c in 0..<3 { picture.bytes[(y * width + x) * 3 + c] = pixel[c] }
            }
        }
        return picture
    }

    @Test(arguments: Saliency.allCases) func cropContainsTheSubjectAtAnyPosition(saliency: Saliency) {
        for place in [20, 60, 128, 200, 236] {
            let wide = picture(256, 100, subjectAt: (place, 50), radius: 18)
            let offset = saliency.cropOffset(in: wide, keeping: 0.4, along: .horizontal)
            let left = offset * 0.6 * 256
            #expect(left <= Double(place - 16) && left + 0.4 * 256 >= Double(place + 16), "\(place): \(left)")
            let high = picture(100, 256, subjectAt: (50, place), radius: 18)
            let top = saliency.cropOffset(in: high, keeping: 0.4, along: .vertical) * 0.6 * 256
            #expect(top <= Double(place - 16) && top + 0.4 * 256 >= Double(place + 16), "\(place): \(top)")
        }
    }

    @Test(arguments: Saliency.allCases) func flatPictureIsCroppedInTheMiddle(saliency: Saliency) {
        for channels in 1...4 {
            for axis in Saliency.Axis.allCases {
                let flat = PixelBuffer(
                    size: PixelSize(width: 90, height: 61), filledWith: [UInt8](repeating: 140, count: channels))
                #expect(saliency.cropOffset(in: flat, keeping: 0.5, along: axis) == 0.5)
            }
        }
    }

    @Test(arguments: Saliency.allCases) func cropOfTheWholePictureIsCentred(saliency: Saliency) {
        let waves = PixelBuffer.waves(30, 20, channels: 3)
        for fraction in [1, 1.5, .nan] {
            #expect(saliency.cropOffset(in: waves, keeping: fraction, along: .horizontal) == 0.5)
        }
    }

    @Test(arguments: Saliency.allCases) func offsetIsInRangeForEveryShape(saliency: Saliency) {
        for (width, height) in [(1, 1), (2, 1), (1, 9), (3, 3), (256, 2), (31, 200)] {
            for channels in 1...4 {
                for fraction in [-1, 0, 0.01, 0.5, 0.99] {
                    for axis in Saliency.Axis.allCases {
                        let noise = PixelBuffer.noise(width, height, channels: channels)
                        let offset = saliency.cropOffset(in: noise, keeping: fraction, along: axis)
                        #expect((0...1).contains(offset))
                    }
                }
            }
        }
    }

    @Test(arguments: Saliency.allCases) func slightNoiseHardlyMovesTheCrop(saliency: Saliency) {
        var random = SeededRandom(seed: 8)
        let clean = picture(256, 120, subjectAt: (190, 60), radius: 25)
        let offset = saliency.cropOffset(in: clean, keeping: 0.5, along: .horizontal)
        for _ in 0..<5 {
            var noisy = clean
            for i in noisy.bytes.indices { noisy.bytes[i] = UInt8(Int(noisy.bytes[i]) + random.below(3) - 1) }
            #expect(abs(saliency.cropOffset(in: noisy, keeping: 0.5, along: .horizontal) - offset) < 0.12)
        }
    }

    @Test func transparentPixelsDoNotAttractTheCrop() {
        // A bright transparent subject on the left, and a pale opaque subject on the right.
        var picture = PixelBuffer(size: PixelSize(width: 200, height: 80), filledWith: [60, 60, 60, 255])
        for y in 20..<60 {
            for x in 10..<50 {
                picture.bytes.replaceSubrange((y * 200 + x) * 4..<(y * 200 + x) * 4 + 4, with: [255, 0, 0, 0])
            }
            for x in 150..<190 where (x + y) % 2 == 0 {
                picture.bytes.replaceSubrange((y * 200 + x) * 4..<(y * 200 + x) * 4 + 3, with: [160, 90, 60])
            }
        }
        #expect(Saliency.attention.cropOffset(in: picture, keeping: 0.4, along: .horizontal) > 0.7)
    }

    @Test func skinColourWinsOverGrayTexture() {
        var picture = PixelBuffer.noise(240, 100, channels: 1).bytes.flatMap { level in
            [UInt8](repeating: 110 + level / 8, count: 3)
        }
        for y in 30..<70 {
            for x in 180..<215 {
                picture.replaceSubrange((y * 240 + x) * 3..<(y * 240 + x) * 3 + 3, with: [200, 150, 125])
            }
        }
        let buffer = PixelBuffer(size: PixelSize(width: 240, height: 100), channels: 3, bytes: picture)
        let left = Saliency.attention.cropOffset(in: buffer, keeping: 0.4, along: .horizontal) * 0.6 * 240
        #expect(left <= 182 && left + 0.4 * 240 >= 213)
    }
}
