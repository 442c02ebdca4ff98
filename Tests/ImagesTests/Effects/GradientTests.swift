import Formats
import Testing

@testable import Images

extension PixelBuffer {
    /// Returns a copy with `body` applied to each row, from the top.
    func mappingRows(_ body: (UnsafeMutablePointer<UInt8>, Int) -> Void) -> PixelBuffer {
        var copy = self
        copy.bytes.withUnsafeMutableBufferPointer { pixels in
            for y in 0..<size.height { body(pixels.baseAddress! + y * size.width * channels, y) }
        }
        return copy
    }
}

@Suite struct GradientTests {
    private func isNear(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-9 }

    @Test func stopsAreAtThirdsOfTheHeight() {
        // Of three rows, the centres are at 1/6, 1/2 and 5/6. Of 3000 rows, some are close to each stop.
        #expect(isNear(Gradient.standard.alpha(row: 2, height: 3), 0.65))
        #expect(isNear(Gradient.standard.alpha(row: 1, height: 3), 0.35))
        #expect(isNear(Gradient.standard.alpha(row: 0, height: 3), 0.1))
        #expect(isNear(Gradient.standard.alpha(row: 1, height: 2), 0.575))
        #expect(abs(Gradient.standard.alpha(row: 2999, height: 3000) - 0.8) < 0.001)
        #expect(abs(Gradient.standard.alpha(row: 2000, height: 3000) - 0.5) < 0.001)
        #expect(abs(Gradient.standard.alpha(row: 1000, height: 3000) - 0.2) < 0.001)
        #expect(abs(Gradient.standard.alpha(row: 0, height: 3000)) < 0.001)
    }

    @Test func enhancedGradientIsTheStandardGradientInTheLowerHalf() {
        for row in 0..<50 { #expect(Gradient.enhanced.alpha(row: row, height: 100) == 0) }
        for row in 50..<100 {
            let half = Gradient.standard.alpha(row: row - 50, height: 50)
            #expect(isNear(Gradient.enhanced.alpha(row: row, height: 100), half))
        }
    }

    @Test(arguments: Gradient.allCases) func opacityNeverDecreasesTowardsTheBottom(gradient: Gradient) {
        for height in [1, 2, 3, 7, 100, 4001] {
            let alphas = (0..<height).map { gradient.alpha(row: $0, height: height) }
            #expect(alphas.allSatisfy { (0...0.8).contains($0) })
            #expect(zip(alphas, alphas.dropFirst()).allSatisfy { $0 <= $1 })
        }
    }

    @Test(arguments: [1, 3]) func opaquePixelsAreDarkenedExactly(channels: Int) {
        var picture = PixelBuffer.noise(50, 90, channels: channels)
        for i in 0..<256 where i < picture.bytes.count { picture.bytes[picture.bytes.count - 1 - i] = UInt8(i) }
        for gradient in Gradient.allCases {
            let output = picture.mappingRows { gradient.apply(row: $1, of: 90, to: $0, channels: channels, width: 50) }
            for i in picture.bytes.indices {
                let alpha = gradient.alpha(row: i / (50 * channels), height: 90)
                let exact = Double(picture.bytes[i]) * (1 - alpha)
                #expect(abs(Double(output.bytes[i]) - exact) <= 0.5001)
            }
        }
    }

    @Test(arguments: [2, 4]) func blackIsComposedOverTransparentPixels(channels: Int) {
        let picture = PixelBuffer.noise(64, 40, channels: channels, seed: 3)
        let output = picture.mappingRows {
            Gradient.standard.apply(row: $1, of: 40, to: $0, channels: channels, width: 64)
        }
        for pixel in 0..<64 * 40 {
            let black = Gradient.standard.alpha(row: pixel / 64, height: 40)
            let below = Double(picture.bytes[pixel * channels + channels - 1]) / 255
            let opacity = black + below * (1 - black)
            #expect(abs(Double(output.bytes[pixel * channels + channels - 1]) - opacity * 255) <= 0.5001)
            for c in 0..<channels - 1 {
                let exact = Double(picture.bytes[pixel * channels + c]) * below * (1 - black) / opacity
                #expect(abs(Double(output.bytes[pixel * channels + c]) - exact) <= 0.5001)
            }
        }
    }

    @Test func opaqueRGBAGivesTheSameResultAsRGB() {
        let rgb = PixelBuffer.noise(20, 30, channels: 3)
        var rgba = PixelBuffer(size: rgb.size, filledWith: [0, 0, 0, 255])
        for i in 0..<600 { for c in 0..<3 { rgba.bytes[i * 4 + c] = rgb.bytes[i * 3 + c] } }
        let a = rgb.mappingRows { Gradient.enhanced.apply(row: $1, of: 30, to: $0, channels: 3, width: 20) }
        let b = rgba.mappingRows { Gradient.enhanced.apply(row: $1, of: 30, to: $0, channels: 4, width: 20) }
        for i in 0..<600 {
            #expect(b.bytes[i * 4 + 3] == 255)
            for c in 0..<3 { #expect(a.bytes[i * 3 + c] == b.bytes[i * 4 + c]) }
        }
    }
}
