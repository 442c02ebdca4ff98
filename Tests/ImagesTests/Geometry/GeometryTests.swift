import Formats
import TestSupport
import Testing

@testable import Images

@Suite struct GeometryTests {
    private let landscape = PixelSize(width: 3000, height: 2000)

    private func random(_ random: inout SeededRandom, _ most: Int) -> PixelSize {
        PixelSize(width: Int.random(in: 1...most, using: &random), height: Int.random(in: 1...most, using: &random))
    }

    @Test func fitKeepsTheAspectRatioWithinTheBox() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let (source, box) = (self.random(&random, 9000), self.random(&random, 2000))
            let placement = try Geometry(width: box.width, height: box.height).placement(of: source)
            let size = placement.target
            #expect(placement.crop == Rectangle(source))
            #expect((1...box.width).contains(size.width) && (1...box.height).contains(size.height))
            #expect(size.width <= source.width && size.height <= source.height)
            // A side fills the box or equals the side of the source. The other side follows from the aspect ratio and
            // is rounded.
            let ratio = min(Double(box.width) / Double(source.width), Double(box.height) / Double(source.height), 1)
            #expect(abs(Double(size.width) - max(Double(source.width) * ratio, 1)) <= 0.5)
            #expect(abs(Double(size.height) - max(Double(source.height) * ratio, 1)) <= 0.5)
        }
    }

    @Test func smallPictureIsEnlargedOnlyOnRequest() throws {
        let source = PixelSize(width: 30, height: 20)
        #expect(try Geometry(width: 300).placement(of: source).target == source)
        #expect(
            try Geometry(width: 300, enlarges: true).placement(of: source).target == PixelSize(width: 300, height: 200))
        #expect(try Geometry().placement(of: source).target == source)
    }

    @Test func fillHasTheExactSizeAndCropsTheLongerSide() throws {
        let placement = try Geometry(width: 400, height: 400, mode: .fill).placement(of: landscape)
        #expect(placement.target == PixelSize(width: 400, height: 400))
        #expect(placement.crop == Rectangle(x: 500, y: 0, width: 2000, height: 2000))
    }

    @Test(arguments: Gravity.allCases) func gravitySelectsTheCrop(gravity: Gravity) throws {
        let portrait = PixelSize(width: 100, height: 300)
        let placement = try Geometry(width: 50, height: 50, mode: .fill, gravity: gravity).placement(of: portrait)
        if gravity.saliency != nil {
            // The crop depends on pixels, so the whole picture is first scaled to the width of the crop.
            #expect(placement.cover == PixelSize(width: 50, height: 150))
            #expect(placement.crop == Rectangle(portrait))
            return
        }
        let top: Double =
            switch gravity {
            case .north, .northeast, .northwest: 0
            case .south, .southeast, .southwest: 200
            default: 100
            }
        #expect(placement.crop == Rectangle(x: 0, y: top, width: 100, height: 100))
    }

    @Test func fillOfASmallPictureIsItsLargestCropOfTheAspectRatio() throws {
        let placement = try Geometry(width: 800, height: 400, mode: .fill)
            .placement(of: PixelSize(width: 300, height: 300))
        #expect(placement.target == PixelSize(width: 300, height: 150))
        #expect(placement.crop == Rectangle(x: 0, y: 75, width: 300, height: 150))
        #expect(placement.share == 0.375)
    }

    @Test func fillCropStaysInsideThePictureForAnySize() throws {
        var random = SeededRandom(seed: 11)
        for _ in 0..<1000 {
            let (source, box) = (self.random(&random, 5000), self.random(&random, 3000))
            let enlarges = Bool.random(using: &random)
            let gravity = Gravity.allCases.randomElement(using: &random)!
            let geometry = Geometry(
                width: box.width, height: box.height, mode: .fill, gravity: gravity, enlarges: enlarges)
            let placement = try geometry.placement(of: source)
            let (crop, target) = (placement.crop, placement.target)
            #expect(Rectangle(source).contains(crop), "\(source) to \(box): \(crop)")
            #expect(target.width >= 1 && target.height >= 1)
            if enlarges || (box.width <= source.width && box.height <= source.height) {
                #expect(target == box)
            } else {
                #expect(target.width <= source.width && target.height <= source.height)
            }
            if let cover = placement.cover {
                #expect(cover.width >= target.width && cover.height >= target.height)
                #expect(cover.width == target.width || cover.height == target.height)
            }
        }
    }

    @Test func forceStretchesAndNeverEnlarges() throws {
        #expect(
            try Geometry(width: 400, height: 400, mode: .force).placement(of: landscape).target
                == PixelSize(width: 400, height: 400))
        #expect(
            try Geometry(width: 6000, height: 1000, mode: .force).placement(of: landscape).target
                == PixelSize(width: 3000, height: 500))
    }

    @Test func aspectRatioDeterminesTheMissingSide() throws {
        let wide = Geometry(width: 1600, aspectRatio: 16.0 / 9, mode: .fill)
        #expect(try wide.placement(of: landscape).target == PixelSize(width: 1600, height: 900))
        let high = Geometry(height: 900, aspectRatio: 16.0 / 9, mode: .fill)
        #expect(try high.placement(of: landscape).target == PixelSize(width: 1600, height: 900))
        let square = Geometry(aspectRatio: 1, mode: .fill)
        #expect(try square.placement(of: landscape).target == PixelSize(width: 2000, height: 2000))
    }

    @Test func cropIsCentredOnTheFocusUnlessAnEdgePreventsIt() throws {
        func crop(_ x: Double, _ y: Double, _ region: String? = nil) throws -> Rectangle {
            try Geometry(
                width: 100, height: 100, mode: .fill, gravity: .attention, focus: Focus(x: x, y: y),
                region: region.flatMap { Region($0) }
            ).placement(of: landscape).crop
        }
        #expect(try crop(0.5, 0.5) == Rectangle(x: 500, y: 0, width: 2000, height: 2000))
        #expect(try crop(0.4, 0.9) == Rectangle(x: 200, y: 0, width: 2000, height: 2000))
        #expect(try crop(0, 0.5).x == 0 && crop(1, 0.5).x == 1000)
        // The focus is relative to the whole picture, not to the region.
        #expect(try crop(0.5, 0.5, "1000,0,2000,1000") == Rectangle(x: 1000, y: 0, width: 1000, height: 1000))
    }

    @Test(arguments: ["", "40%", "40%,", "40%,101%", "-1%,5%", "0.4,1.1", "nan,0.5", "1,2,3", "a,b", "40 %,30%"])
    func invalidFocusIsRejected(text: String) { #expect(Focus(text) == nil) }

    @Test func focusIsParsedFromPercentagesAndFractions() {
        #expect(Focus("40%,30%") == Focus(x: 0.4, y: 0.3) && Focus("0.4,0.3") == Focus(x: 0.4, y: 0.3))
        #expect(Focus("100%,0%") == Focus(x: 1, y: 0))
    }

    @Test func containedPictureHasExactlyTheRequestedSize() throws {
        let box = PixelSize(width: 400, height: 400)
        let wide = try Geometry(width: 400, height: 400, mode: .contain).placement(of: landscape)
        #expect(wide.target == box && wide.rendered == PixelSize(width: 400, height: 267) && wide.share == 1)
        #expect(wide.crop == Rectangle(landscape))
        let small = PixelSize(width: 30, height: 20)
        let kept = try Geometry(width: 400, height: 400, mode: .contain).placement(of: small)
        #expect(kept.target == box && kept.rendered == small)
        let enlarged = try Geometry(width: 400, height: 400, mode: .contain, enlarges: true).placement(of: small)
        #expect(enlarged.target == box && enlarged.rendered == PixelSize(width: 400, height: 267))
        let shaped = try Geometry(aspectRatio: 1, mode: .contain).placement(of: landscape)
        #expect(shaped.target == PixelSize(width: 3000, height: 3000) && shaped.rendered == landscape)
        let filled = try Geometry(width: 300, height: 200, mode: .contain).placement(of: landscape)
        #expect(filled.target == filled.rendered)
        #expect(try Geometry(width: 300, mode: .contain).placement(of: landscape).target.height == 200)
    }

    @Test func regionIsParsedAndClippedToThePicture() throws {
        let region = try #require(Region("10%, 200,50%,4000"))
        let placement = try Geometry(region: region).placement(of: landscape)
        #expect(placement.crop == Rectangle(x: 300, y: 200, width: 1500, height: 1800))
        #expect(placement.target == PixelSize(width: 1500, height: 1800))
        let outside = try #require(Region("3000,0,5,5"))
        #expect(failureCode { _ = try Geometry(region: outside).placement(of: landscape) } == "region-outside")
    }

    @Test(arguments: [
        "", "1,2,3", "1,2,3,4,5", "a,b,c,d", "-1,0,5,5", "0,0,0,5", "0,0,5,0%", "0,0,101%,5", "0,0,nan%,5",
    ])
    func invalidRegionIsRejected(text: String) { #expect(Region(text) == nil) }

    @Test func quarterTurnsAreAddedToTheOrientation() {
        for orientation in Orientation.allCases {
            let picture = PixelBuffer(
                size: PixelSize(width: 3, height: 2), channels: 1, bytes: [0, 1, 2, 3, 4, 5])
            let once = picture.upright(from: orientation).upright(from: .rotated90Clockwise)
            #expect(picture.upright(from: orientation.rotated(clockwiseQuarters: 1)) == once)
            #expect(orientation.rotated(clockwiseQuarters: 4) == orientation)
            #expect(orientation.rotated(clockwiseQuarters: -1) == orientation.rotated(clockwiseQuarters: 3))
        }
    }
}
