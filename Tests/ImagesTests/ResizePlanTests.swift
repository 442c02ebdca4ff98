import Formats
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

    @Test func largeScalesAverageFirstAndLeaveEnoughToTheFilter() {
        for target in [1, 3, 40, 400, 900] {
            let axis = ResamplingAxis(sourceCount: 20_000, targetCount: target)
            let rest = axis.boxed(by: axis.boxFactor).scale
            #expect(axis.scale < 24 || rest >= 12)
        }
        #expect(ResamplingAxis(sourceCount: 20_000, targetCount: 900).boxFactor == 1)
    }
}

@Suite struct ResizePlanTests {
    @Test func aPictureFitsItsBoxAndKeepsItsAspectRatio() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let source = PixelSize(
                width: Int.random(in: 1...9000, using: &random), height: Int.random(in: 1...9000, using: &random))
            let box = FitBox(
                width: Int.random(in: 1...2000, using: &random), height: Int.random(in: 1...2000, using: &random))
            let size = box.size(for: source)
            #expect(size.width >= 1 && size.width <= box.width!)
            #expect(size.height >= 1 && size.height <= box.height!)
            #expect(size.width <= source.width && size.height <= source.height)
            // One side fills the box, or is the source's; the other is the nearest to the aspect ratio.
            let ratio = min(Double(box.width!) / Double(source.width), Double(box.height!) / Double(source.height), 1)
            #expect(abs(Double(size.width) - max(Double(source.width) * ratio, 1)) <= 0.5)
            #expect(abs(Double(size.height) - max(Double(source.height) * ratio, 1)) <= 0.5)
        }
    }

    @Test func aSmallPictureIsEnlargedOnlyWhenToldTo() {
        let source = PixelSize(width: 30, height: 20)
        #expect(FitBox(width: 300).size(for: source) == source)
        #expect(FitBox(width: 300, enlarges: true).size(for: source) == PixelSize(width: 300, height: 200))
        #expect(FitBox().size(for: source) == source)
    }

    @Test func jpegIsDecodedAtTheSmallestEighthsThatLeaveTwiceTheTarget() {
        func scale(_ source: Int, _ target: Int) -> Int {
            ResizePlan(
                source: PixelSize(width: source, height: source), orientation: .upright,
                target: PixelSize(width: target, height: target)
            ).jpegScale
        }
        #expect(scale(6000, 320) == 1)
        #expect(scale(6000, 376) == 2)
        #expect(scale(6000, 1024) == 4)
        #expect(scale(6000, 2048) == 8)
        #expect(scale(100, 100) == 8)
        #expect(scale(1600, 100) == 1)
        #expect(scale(1599, 100) == 2)
    }

    @Test func aTurnedPictureIsPlannedInItsStoredOrientation() {
        let plan = ResizePlan(
            source: PixelSize(width: 400, height: 300), orientation: .rotated90Clockwise,
            target: PixelSize(width: 30, height: 40))
        #expect(plan.storedTarget == PixelSize(width: 40, height: 30))
    }
}
