/// The symbol of a placeholder on a grid of 24 units: an outline, a secondary part and a part in the accent colour.
struct Icon: Sendable {
    typealias Point = SignedDistance.Point

    var missing: Placeholder.Missing
    /// Width and height in pixels.
    var side: Int

    /// Draws the icon with its top left corner at `x`, `y`, within the canvas.
    func draw(on canvas: inout Canvas, x: Int, y: Int, _ palette: Palette) {
        let square = PixelRect(x: x, y: y, width: side, height: side)
        switch missing {
        case .picture: drawPicture(on: &canvas, square, palette)
        case .video: drawVideo(on: &canvas, square, palette)
        case .network: drawCloud(on: &canvas, square, palette)
        case .forbidden: drawLock(on: &canvas, square, palette)
        }
    }

    // MARK: Grid

    private func length(_ units: Double) -> Double { units * Double(side) / 24 }
    private func point(_ x: Double, _ y: Double) -> Point { Point(length(x), length(y)) }

    /// A length rounded to whole pixels, which keeps straight edges sharp.
    private func snapped(_ units: Double) -> Double { length(units).rounded() }
    /// `snapped`, measured from the opposite side, which keeps the icon symmetric.
    private func mirrored(_ units: Double) -> Double { Double(side) - snapped(units) }

    /// The width of outlines, in whole pixels.
    private var stroke: Double { max(1, length(1.35).rounded()) }

    /// Draws the outline of a rectangle with rounded corners.
    private func drawBorder(
        on canvas: inout Canvas, _ square: PixelRect, _ palette: Palette, _ low: Point, _ high: Point, radius: Double
    ) {
        let stroke = stroke
        canvas.fill(palette.line, in: square) { here in
            SignedDistance.ring(SignedDistance.box(here, low, high, radius: radius), width: stroke)
        }
    }

    // MARK: Icons

    /// Draws the sun over mountains in a frame.
    private func drawPicture(on canvas: inout Canvas, _ square: PixelRect, _ palette: Palette) {
        let (low, high) = (Point(snapped(2), snapped(3.5)), Point(mirrored(2), mirrored(3.5)))
        let radius = length(2.6)
        let stroke = stroke
        let (small, big) = (point(7.6, 13.4), point(15.2, 9.6))
        let ground = length(22)
        let rounding = length(0.5)
        let (sun, sunRadius) = (point(8, 8.6), length(1.75))
        canvas.fill(palette.surface, in: square) { SignedDistance.box($0, low, high, radius: radius) }
        canvas.fill(palette.soft, in: square) { here in
            let frame = SignedDistance.box(here, low, high, radius: radius)
            func mountain(_ top: Point) -> Double {
                let height = ground - top.y
                return SignedDistance.triangle(
                    here, top, Point(top.x - height, ground), Point(top.x + height, ground), radius: rounding)
            }
            return max(min(mountain(small), mountain(big)), frame + stroke / 2)
        }
        canvas.fill(palette.accent, in: square) { SignedDistance.circle($0, center: sun, radius: sunRadius) }
        drawBorder(on: &canvas, square, palette, low, high, radius: radius)
    }

    /// Draws a film strip with a play symbol.
    private func drawVideo(on canvas: inout Canvas, _ square: PixelRect, _ palette: Palette) {
        let (low, high) = (Point(snapped(2), snapped(4)), Point(mirrored(2), mirrored(4)))
        let radius = length(2.6)
        let stroke = stroke
        let middle = Double(side) / 2
        let (left, right) = (middle - length(2.3), middle + length(3.7))
        let half = length(3.4)
        let rounding = length(0.7)
        canvas.fill(palette.surface, in: square) { SignedDistance.box($0, low, high, radius: radius) }
        if side >= 28 {
            // Perforation: holes at most as high as the gaps between them.
            let (outer, inner) = (snapped(4.3), snapped(6))
            let pitch = (high.y - low.y - 2 * stroke) / 4
            let (width, rowRadius) = (Double(side), length(0.4))
            let holeHeight = min(pitch * 0.5, length(1.9))
            canvas.fill(palette.soft, in: square) { here in
                let x = min(here.x, width - here.x)
                let row = min(max(((here.y - middle) / pitch - 0.5).rounded(), -2), 1) + 0.5
                let center = middle + row * pitch
                return SignedDistance.box(
                    Point(x, here.y), Point(outer, center - holeHeight / 2), Point(inner, center + holeHeight / 2),
                    radius: rowRadius)
            }
        }
        canvas.fill(palette.accent, in: square) { here in
            SignedDistance.triangle(
                here, Point(left, middle - half), Point(left, middle + half), Point(right, middle), radius: rounding)
        }
        drawBorder(on: &canvas, square, palette, low, high, radius: radius)
    }

    /// Draws a crossed-out cloud.
    private func drawCloud(on canvas: inout Canvas, _ square: PixelRect, _ palette: Palette) {
        let bottom = snapped(19)
        let (leftRadius, topRadius, rightRadius) = (length(4.5), length(5.9), length(5))
        let left = Point(length(6.3), bottom - leftRadius)
        let top = Point(length(11.7), length(10.3))
        let right = Point(length(17.2), bottom - rightRadius)
        let stroke = stroke
        let softness = length(1.6)
        let (start, end) = (point(4.6, 3.4), point(20.6, 21))
        /// The signed distance to the cloud with each part shrunk by `inset`.
        func cloud(_ here: Point, inset: Double) -> Double {
            let hills = SignedDistance.merged(
                SignedDistance.merged(
                    SignedDistance.circle(here, center: left, radius: leftRadius - inset),
                    SignedDistance.circle(here, center: top, radius: topRadius - inset), softness: softness),
                SignedDistance.circle(here, center: right, radius: rightRadius - inset), softness: softness)
            let ground = SignedDistance.box(
                here, Point(left.x, left.y - softness), Point(right.x, bottom - inset))
            return max(min(hills, ground), here.y - bottom + inset)
        }
        canvas.fill(palette.surface, in: square) { cloud($0, inset: 0) }
        canvas.fill(palette.line, in: square) { max(cloud($0, inset: 0), -cloud($0, inset: stroke)) }
        // Leave a gap on both sides of the slash.
        canvas.fill(palette.background, in: square) { SignedDistance.capsule($0, start, end, width: stroke * 2.8) }
        canvas.fill(palette.accent, in: square) { SignedDistance.capsule($0, start, end, width: stroke * 1.1) }
    }

    /// Draws a closed padlock.
    private func drawLock(on canvas: inout Canvas, _ square: PixelRect, _ palette: Palette) {
        let (low, high) = (Point(snapped(4.5), snapped(10.5)), Point(mirrored(4.5), snapped(21.5)))
        let radius = length(2.4)
        let stroke = stroke
        let middle = Double(side) / 2
        let (shackleLow, shackleHigh) = (Point(snapped(7.4), snapped(2.5)), Point(mirrored(7.4), high.y))
        let shackleRadius = (shackleHigh.x - shackleLow.x) / 2
        let (hole, holeRadius) = (Point(middle, (low.y + high.y) / 2 - length(1)), length(1.5))
        let holeEnd = Point(middle, hole.y + length(2.9))
        let holeWidth = length(1.3)
        canvas.fill(palette.line, in: square) { here in
            let shackle = SignedDistance.box(here, shackleLow, shackleHigh, radius: shackleRadius)
            return max(SignedDistance.ring(shackle, width: stroke), here.y - low.y)
        }
        canvas.fill(palette.surface, in: square) { SignedDistance.box($0, low, high, radius: radius) }
        drawBorder(on: &canvas, square, palette, low, high, radius: radius)
        canvas.fill(palette.accent, in: square) { here in
            min(
                SignedDistance.circle(here, center: hole, radius: holeRadius),
                SignedDistance.capsule(here, hole, holeEnd, width: holeWidth))
        }
    }
}
