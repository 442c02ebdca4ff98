import Formats
import Testing

@testable import Placeholders

@Suite struct IconTests {
    /// Returns the icon with a margin of 5 pixels, as rows of pixels.
    private func drawn(
        _ missing: Placeholder.Missing, _ side: Int, _ theme: Placeholder.Theme = .light
    ) -> [[[UInt8]]] {
        let palette = Palette(theme)
        let whole = PixelSize(width: side + 10, height: side + 10)
        var canvas = Canvas(size: whole) { _ in palette.background }
        Icon(missing: missing, side: side).draw(on: &canvas, x: 5, y: 5, palette)
        let bytes = canvas.pixels.bytes
        return (0..<whole.height).map { y in
            (0..<whole.width).map { x in
                let offset = (y * whole.width + x) * 3
                return Array(bytes[offset..<offset + 3])
            }
        }
    }

    private static let sides = [10, 16, 17, 24, 33, 100, 257]

    @Test(arguments: Placeholder.Missing.allCases, sides)
    func anIconFillsMostOfItsSquareAndNothingOutside(missing: Placeholder.Missing, side: Int) {
        let rows = drawn(missing, side)
        let background = rows[0][0]
        let inked = rows.indices.flatMap { y in rows[y].indices.map { (x: $0, y: y) } }.filter { place in
            rows[place.y][place.x] != background
        }
        #expect(inked.count > side * side / 8)
        for place in inked {
            #expect((5..<5 + side).contains(place.x) && (5..<5 + side).contains(place.y))
        }
        // Most of the square is used.
        let columns = inked.map(\.x)
        #expect(Double(columns.max()! - columns.min()! + 1) >= 0.55 * Double(side))
    }

    @Test(arguments: sides)
    func thePadlockIsSymmetricFromLeftToRight(side: Int) {
        for row in drawn(.forbidden, side) { #expect(row == row.reversed()) }
    }

    @Test(arguments: sides)
    func theFilmStripIsSymmetricFromTopToBottom(side: Int) {
        let rows = drawn(.video, side)
        #expect(rows == rows.reversed())
    }

    @Test(arguments: sides)
    func allIconsLookDifferent(side: Int) {
        #expect(Set(Placeholder.Missing.allCases.map { drawn($0, side) }).count == Placeholder.Missing.allCases.count)
    }

    @Test func straightOutlinesAreSharp() {
        for side in [16, 24, 31, 100] {
            let palette = Palette(.dark)
            let line = [palette.line.red, palette.line.green, palette.line.blue]
            let rows = drawn(.picture, side, .dark)
            // Down the middle of the frame, the outline follows the background without an intermediate colour.
            let column = rows.map { $0[5 + side / 2] }
            let first = column.firstIndex { $0 != rows[0][0] }
            #expect(first.map { column[$0] } == line)
        }
    }

    @Test func fillEqualsAPixelByPixelFill() {
        let palette = Palette(.light)
        let size = PixelSize(width: 150, height: 130)
        let bounds = PixelRect(x: 0, y: 0, width: 150, height: 130)
        func distance(_ point: SignedDistance.Point) -> Double {
            SignedDistance.circle(point, center: .init(70.3, 61.8), radius: 55.5)
        }
        var quick = Canvas(size: size) { _ in palette.background }
        quick.fill(palette.accent, in: bounds, distance: distance)
        var plain = Canvas(size: size) { _ in palette.background }
        plain.blend(palette.accent, in: bounds) { x, y in
            let there = distance(.init(Double(x) + 0.5, Double(y) + 0.5))
            return Int((min(max(0.5 - there, 0), 1) * 255).rounded())
        }
        #expect(quick.pixels == plain.pixels)
    }
}
