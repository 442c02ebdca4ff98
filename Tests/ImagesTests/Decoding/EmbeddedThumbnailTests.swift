import Formats
import Testing

@testable import Images

@Suite struct EmbeddedThumbnailTests {
    @Test(
        arguments: [
            // Columns: tag, size of the thumbnail, size and orientation of the picture, expected orientation.
            (nil, (160, 120), (640, 480), 6, 6), (6, (160, 120), (640, 480), 6, 6), (1, (120, 160), (640, 480), 6, 1),
            // These tags would make the thumbnail landscape, but the picture is portrait.
            (1, (160, 120), (640, 480), 6, 6), (6, (120, 160), (640, 480), 6, 6),
            (3, (160, 120), (640, 480), 1, 3), (1, (100, 100), (640, 480), 6, 1),
        ] as [(UInt8?, (Int, Int), (Int, Int), UInt8, UInt8)])
    func thumbnailUsesItsOwnOrientationUnlessThatIsWrong(
        tag: UInt8?, thumbnail: (Int, Int), picture: (Int, Int), orientation: UInt8, expected: UInt8
    ) throws {
        let header = ImageHeader(
            format: .jpeg, storedSize: PixelSize(width: picture.0, height: picture.1),
            orientation: try #require(Orientation(rawValue: orientation)), isAnimated: false, hasAlpha: false)
        let stored = PixelSize(width: thumbnail.0, height: thumbnail.1)
        let shown = thumbnailOrientation(tag.flatMap(Orientation.init(rawValue:)), stored, of: header)
        #expect(shown.rawValue == expected)
    }

    @Test(
        arguments: [
            ((160, 120), (600, 400), "0,7,160,106"), ((160, 120), (400, 600), "40,0,80,120"),
            ((160, 120), (4000, 2250), "0,15,160,90"), ((160, 120), (4032, 3024), nil),
            // The aspect ratios are equal after rounding to whole pixels.
            ((160, 107), (600, 400), nil), ((1, 1), (4000, 1), nil),
        ] as [((Int, Int), (Int, Int), String?)])
    func centredRegionHasTheAspectRatioOfTheOtherPicture(size: (Int, Int), other: (Int, Int), expected: String?) {
        let region = Region(
            middleOf: PixelSize(width: size.0, height: size.1),
            shapedLike: PixelSize(width: other.0, height: other.1))
        #expect(region?.description == expected)
    }
}
