import Images
import Support
import TestSupport
import Testing

@testable import GIFs

@Suite struct PosterTests {
    private static let palette: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 9, 9]]

    /// Returns the poster of an animation with two frames: `frame`, and a frame that fills the canvas with colour 3.
    private func pixels(_ width: Int, _ height: Int, _ frame: DrawnAnimation.Frame) throws -> PixelBuffer {
        let last = DrawnAnimation.Frame(
            width: width, height: height, pixels: [UInt8](repeating: 3, count: width * height))
        let gif = DrawnAnimation(width: width, height: height, palette: Self.palette, frames: [frame, last]).gif()
        let poster = try Poster(of: MemorySource(gif), options: DecodeOptions())
        #expect(poster.size.width == width && poster.size.height == height)
        return try decode(MemorySource(poster.png))
    }

    @Test func firstFrameHasItsPositionOnTheCanvas() throws {
        var frame = DrawnAnimation.Frame(width: 2, height: 1, pixels: [0, 1])
        frame.x = 1
        frame.y = 1
        let picture = try pixels(4, 2, frame)
        #expect(picture.channels == 4)
        let none: [UInt8] = [0, 0, 0, 0]
        #expect(
            picture.bytes == none + none + none + none + none + [255, 0, 0, 255] + [0, 255, 0, 255] + none)
    }

    @Test func transparentPixelsStayTransparent() throws {
        var frame = DrawnAnimation.Frame(width: 2, height: 1, pixels: [0, 2])
        frame.transparent = 2
        #expect(try pixels(2, 1, frame).bytes == [255, 0, 0, 255, 0, 0, 0, 0])
    }

    @Test func anOpaquePosterHasNoAlpha() throws {
        let picture = try pixels(2, 1, DrawnAnimation.Frame(width: 2, height: 1, pixels: [1, 2]))
        #expect(picture.channels == 3 && picture.bytes == [0, 255, 0, 0, 0, 255])
    }

    @Test func incompletePixelDataIsAnError() throws {
        // The blocks of this GIF are well-formed, but its pixel data is incomplete.
        #expect(throws: (any Error).self) {
            try Poster(of: MemorySource(TinyGIF.bytes), options: DecodeOptions())
        }
    }
}
