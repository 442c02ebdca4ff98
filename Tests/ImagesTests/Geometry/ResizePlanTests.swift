import Formats
import JPEG
import Libc
import TestSupport
import Testing

@testable import Images

@Suite struct FilterWeightsTests {
    @Test func weightsOfEveryOutputSampleSumToOne() {
        for (source, target) in [(100, 100), (100, 99), (1000, 37), (7, 50), (1, 1), (1, 9), (5000, 1), (640, 213)] {
            let weights = FilterWeights(ResamplingAxis(sourceCount: source, targetCount: target), tapsMultipleOf: 8)
            for i in 0..<target {
                let own = weights.weights[i * weights.taps..<(i + 1) * weights.taps]
                #expect(own.reduce(0) { $0 + Int($1) } == FilterWeights.one)
                #expect(weights.starts[i] >= 0 && weights.ends[i] <= source && weights.starts[i] < weights.ends[i])
            }
        }
    }

    @Test func weightsAtScaleOneAreTheIdentity() {
        let weights = FilterWeights(ResamplingAxis(sourceCount: 40, targetCount: 40), tapsMultipleOf: 2)
        for i in 0..<40 {
            for k in 0..<weights.taps {
                let expected = Int(weights.starts[i]) + k == i ? FilterWeights.one : 0
                #expect(Int(weights.weights[i * weights.taps + k]) == expected)
            }
        }
    }

    @Test func partOfASampleOutsideOfThePictureDoesNotCount() {
        var axis = ResamplingAxis(sourceCount: 8, targetCount: 1)
        let whole = FilterWeights(axis, tapsMultipleOf: 1).weights
        axis.sourceLength = 7.5
        let part = FilterWeights(axis, tapsMultipleOf: 1).weights
        let (wholeRatio, ratio) = (Double(whole[7]) / Double(whole[3]), Double(part[7]) / Double(part[3]))
        #expect(abs(ratio - wholeRatio / 2) < 0.001)
    }

    @Test func averagesKeepTheContrastOfVisibleDetail() {
        var axis = ResamplingAxis(sourceCount: 400, targetCount: 200)
        let plain = FilterWeights(axis, tapsMultipleOf: 1)
        axis.sharpening = JPEGFrame.sharpening(scale: 1)
        let averaged = FilterWeights(axis, tapsMultipleOf: 1)
        for frequency in [0.02, 0.05, 0.1, 0.15, 0.2, 0.25] {
            let angle = 2 * Double.pi * frequency
            let contrast = sin(angle / 2) / (angle / 2)
            func sample(_ weights: FilterWeights, at i: Int) -> Double {
                let first = Int(weights.starts[i])
                return (0..<weights.taps).reduce(0) {
                    $0 + Double(weights.weights[i * weights.taps + $1]) * cos(angle * Double(first + $1))
                } / Double(FilterWeights.one)
            }
            for i in 90..<110 {
                #expect(abs(sample(averaged, at: i) * contrast - sample(plain, at: i)) < 0.011)
            }
        }
    }

    @Test func largeScalesAverageBoxesBeforeFiltering() {
        for target in [1, 3, 40, 400, 900] {
            let axis = ResamplingAxis(sourceCount: 20_000, targetCount: target)
            let rest = axis.boxed(by: axis.boxFactor).scale
            #expect(axis.scale < 24 || rest >= 12)
        }
        #expect(ResamplingAxis(sourceCount: 20_000, targetCount: 900).boxFactor == 1)
    }
}

@Suite struct ResizePlanTests {
    @Test func jpegIsDecodedAtTheSmallestSufficientScale() throws {
        func scale(_ source: Int, _ target: Int, leaving share: Double = 2) throws -> Int {
            let size = PixelSize(width: source, height: source)
            let placement = try Geometry(width: target).placement(of: size)
            return ResizePlan(source: size, orientation: .upright, placement).jpegScale { _ in share }
        }
        #expect(try scale(6000, 320) == 1)
        #expect(try scale(6000, 376) == 2)
        #expect(try scale(6000, 1024) == 3)
        #expect(try scale(6000, 2048) == 6)
        #expect(try scale(100, 100) == 8)
        #expect(try scale(1600, 100) == 1)
        #expect(try scale(1599, 100) == 2)
        #expect(try scale(1839, 100, leaving: 2.3) == 2)
        #expect(try scale(1841, 100, leaving: 2.3) == 1)
        #expect(try scale(20_000, 1, leaving: .infinity) == 8)
    }

    @Test func decodeScaleDependsOnTheDecodeAndOutputQuality() {
        func left(_ quality: DecodeOptions.Quality, _ format: OutputFormat, _ number: Int = 82) -> [Double] {
            let output = EncodeOptions(format: format, quality: number)
            return [1, 2, 3, 6].map { quality.leftToResample(at: $0, for: output) }
        }
        let least = [2, 1.95, 1.75, 1.75]
        #expect(left(.auto, .jpeg) == least && left(.auto, .webp) == least && left(.auto, .gif) == least)
        #expect(left(.auto, .jpeg, 90) == [4, 4, 4, 4])
        #expect(left(.auto, .png).allSatisfy { $0 == .infinity })
        for format in OutputFormat.allCases {
            #expect(left(.fast, format) == least && left(.full, format).allSatisfy { $0 == .infinity })
        }
    }

    @Test func resizePlanIsInStoredOrientation() throws {
        let stored = PixelSize(width: 400, height: 300)
        let geometry = Geometry(width: 30, height: 20, mode: .fill, gravity: .north)
        let plan = ResizePlan(
            source: stored, orientation: .rotated90Clockwise, try geometry.placement(of: stored.swapped))
        #expect(plan.target == PixelSize(width: 20, height: 30))
        // The top of the upright picture is the left side of the stored picture.
        #expect(plan.crop == Rectangle(x: 0, y: 0, width: 200, height: 300))
    }

    @Test(arguments: Orientation.allCases) func storedRectangleContainsTheSamePixels(orientation: Orientation) {
        // Each pixel of a small picture is a region. Its stored rectangle must contain the pixel that the rotated
        // picture shows there.
        let stored = PixelSize(width: 5, height: 3)
        let numbers = PixelBuffer(size: stored, channels: 1, bytes: (0..<15).map { UInt8($0) })
        let upright = numbers.upright(from: orientation)
        for y in 0..<upright.size.height {
            for x in 0..<upright.size.width {
                let part = Rectangle(x: Double(x), y: Double(y), width: 1, height: 1)
                let place = part.stored(orientation, in: stored)
                #expect(place.width == 1 && place.height == 1)
                let index = Int(place.y) * stored.width + Int(place.x)
                #expect(numbers.bytes[index] == upright.bytes[y * upright.size.width + x])
            }
        }
    }
}
