import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// The backdrop around a picture in `ContentMode.contain`.
@Suite struct BackdropTests {
    private func contained(
        _ picture: PixelBuffer, _ width: Int, _ height: Int, _ backdrop: Backdrop, quarterTurns: Int = 0
    ) throws -> PixelBuffer {
        let sink = MemorySink()
        let output = Output(
            Geometry(width: width, height: height, mode: .contain, quarterTurns: quarterTurns),
            encoding: EncodeOptions(format: .png), backdrop: backdrop, sink: sink)
        _ = try render(picture, to: output)
        return try decode(MemorySource(sink.bytes))
    }

    private func pixel(_ picture: PixelBuffer, _ x: Int, _ y: Int) -> [UInt8] {
        let place = (y * picture.size.width + x) * picture.channels
        return Array(picture.bytes[place..<place + picture.channels])
    }

    @Test(arguments: [1, 2, 3, 4]) func pictureIsDrawnUnchangedOnTheColour(channels: Int) throws {
        let sample = [UInt8](repeating: 200, count: channels % 2 == 0 ? channels - 1 : channels)
        let picture = PixelBuffer(
            size: PixelSize(width: 10, height: 4), filledWith: channels % 2 == 0 ? sample + [255] : sample)
        let made = try contained(picture, 20, 10, .colour(RGB(red: 1, green: 2, blue: 3)))
        #expect(made.size == PixelSize(width: 20, height: 10))
        for (x, y) in [(0, 0), (4, 5), (15, 5), (10, 2), (10, 7), (19, 9)] {
            #expect(pixel(made, x, y).prefix(3) == [1, 2, 3], "\(x), \(y)")
        }
        for (x, y) in [(5, 3), (14, 3), (5, 6), (14, 6)] {
            #expect(pixel(made, x, y).prefix(3) == [200, 200, 200], "\(x), \(y)")
        }
    }

    @Test func transparentPixelsShowTheBackdrop() throws {
        let picture = PixelBuffer(size: PixelSize(width: 10, height: 4), filledWith: [200, 0, 0, 0])
        let made = try contained(picture, 20, 10, .colour(RGB(red: 1, green: 2, blue: 3)))
        #expect(pixel(made, 10, 5) == [1, 2, 3, 255])
    }

    @Test func rotatedPictureIsContainedUpright() throws {
        let picture = PixelBuffer(size: PixelSize(width: 4, height: 10), filledWith: [9, 8, 7])
        let made = try contained(picture, 20, 10, .colour(.white), quarterTurns: 1)
        #expect(
            pixel(made, 5, 3) == [9, 8, 7] && pixel(made, 14, 6) == [9, 8, 7] && pixel(made, 4, 3) == [255, 255, 255])
    }

    @Test func dominantBackdropHasTheDominantColour() throws {
        let picture = PixelBuffer(size: PixelSize(width: 40, height: 10), filledWith: [30, 120, 200])
        let made = try contained(picture, 40, 40, .dominant)
        #expect(pixel(made, 0, 0) == [30, 120, 200] && pixel(made, 39, 39) == [30, 120, 200])
    }

    @Test func blurredBackdropKeepsOnlyCoarseColours() throws {
        // Two stripes, red above blue.
        let (red, blue): ([UInt8], [UInt8]) = ([220, 20, 20], [20, 20, 220])
        var picture = PixelBuffer(size: PixelSize(width: 200, height: 100), filledWith: red)
        for y in 50..<100 {
            for x in 0..<200 { picture.bytes.replaceSubrange((y * 200 + x) * 3..<(y * 200 + x) * 3 + 3, with: blue) }
        }
        let made = try contained(picture, 200, 400, .blur)
        let (top, bottom) = (pixel(made, 100, 0), pixel(made, 100, 399))
        #expect(top[0] > 180 && top[2] < 60 && bottom[2] > 180 && bottom[0] < 60)
        // Adjacent rows beside the picture differ little.
        for y in 1..<400 where !(149...251).contains(y) {
            #expect(abs(Int(pixel(made, 3, y)[0]) - Int(pixel(made, 3, y - 1)[0])) <= 4, "\(y)")
        }
    }
}
