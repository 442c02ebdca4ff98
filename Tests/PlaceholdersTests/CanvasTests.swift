import Formats
import Images
import Testing

@testable import Placeholders

@Suite struct CanvasTests {
    private let size = PixelSize(width: 20, height: 10)

    @Test func fullCoverageSetsTheColourAndZeroCoverageChangesNothing() {
        var canvas = Canvas(size: size) { _ in RGB(0x102030) }
        canvas.blend(RGB(0xFFEEDD), in: PixelRect(x: 1, y: 0, width: 2, height: 1)) { x, _ in x == 1 ? 255 : 0 }
        #expect(Array(canvas.pixels.bytes[..<9]) == [0x10, 0x20, 0x30, 0xFF, 0xEE, 0xDD, 0x10, 0x20, 0x30])
    }

    @Test func rectanglesOutsideTheCanvasDrawNothing() {
        var canvas = Canvas(size: size) { _ in RGB(0x102030) }
        let before = canvas.pixels
        for far in [
            PixelRect(x: 25, y: 2, width: 5, height: 5), PixelRect(x: -9, y: -9, width: 5, height: 5),
            PixelRect(x: 2, y: 90, width: 5, height: 5),
        ] {
            canvas.blend(RGB(0xFFFFFF), in: far.intersection(canvas.bounds)) { _, _ in 255 }
        }
        #expect(canvas.pixels == before)
    }
}
