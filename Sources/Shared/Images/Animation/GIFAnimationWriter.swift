import Formats
import Support

/// Encodes an animation as a GIF.
///
/// A frame is cropped to what changed, and pixels that did not change keep their colour within it, so that they cannot
/// flicker. Where a pixel becomes transparent, the frame before it is disposed of by clearing its rectangle
/// (GIF89a §23), which is made large enough for that; so a frame is written only when the one behind it is known. Every
/// other frame stays.
///
/// Colours are kept if a frame draws no more than fit. Else a palette serves as long as it is about as good for a
/// frame as it was for the one that it was made for, since a new one shifts all colours a little. Ordered dithering
/// keeps its pattern from frame to frame.
///
/// Takes memory for three canvases of 4 bytes a pixel, the frame that waits, and those that `GIFOutput` holds.
final class GIFAnimationWriter: AnimationWriter {
    private let size: PixelSize
    private let background: RGB?
    private let interruption: Interruption
    private let output: GIFOutput
    /// The first palette and the one that was used last.
    private var palettes: (first: IndexedPalette, last: IndexedPalette)?
    /// The canvas of the frame before, as it came.
    private var before: PackedCanvas
    private var current: PackedCanvas
    /// What a viewer shows then, in the colours of palettes.
    private let shown: PackedCanvas
    /// Waits to know how it is disposed of.
    private var pending: DrawnFrame?
    /// Milliseconds by which the delays written so far are too short.
    private var owed = 0

    /// A palette serves on while its mean squared error is at most this many times what it was made with ...
    private static let toleratedGrowth = 1.5
    /// ... or so little (three channels) that nobody sees it.
    private static let invisibleError = 6.0

    init(
        size: PixelSize, plays: Int, background: RGB?, effort: Int, limits: DecodeLimits, interruption: Interruption,
        into drain: ByteDrain
    ) throws {
        try limits.check(memory: size, bytesPerPixel: 20)
        self.size = size
        self.background = background
        self.interruption = interruption
        output = GIFOutput(
            width: size.width, height: size.height, plays: plays, effort: effort, into: drain, checking: interruption)
        before = PackedCanvas(width: size.width, height: size.height)
        shown = PackedCanvas(width: size.width, height: size.height)
        current = PackedCanvas(width: size.width, height: size.height)
    }

    func write(_ frame: UnsafePointer<UInt8>, delay: Int) throws {
        try interruption.check()
        for y in 0..<size.height {
            current.setRow(y, frame + y * size.width * 4, channels: 4, background: background)
        }
        let hundredths = hundredths(delay)
        var changed: CanvasArea? = whole
        if var last = pending {
            var changes = self.changes()
            if let cleared = changes.cleared {
                last.grow(to: last.area.union(cleared))
                last.clearsAfterwards = true
                for canvas in [before, shown] { canvas.clear(last.area) }
                changes = self.changes()
            }
            try output.write(last)
            changed = changes.changed
        }
        pending = try drawn(changed, delay: hundredths)
        swap(&before, &current)
    }

    func finish() throws {
        if let pending { try output.write(pending) }
        try output.finish()
    }

    private var whole: CanvasArea { CanvasArea(columns: 0..<size.width, rows: 0..<size.height) }

    /// The delay in hundredths of a second. What rounding takes or gives is made up for by the frames behind, so that
    /// the animation lasts as long as it did.
    private func hundredths(_ milliseconds: Int) -> Int {
        // No format stores more than 32 bits; ten minutes, the most that a GIF can say, lie far below.
        let wanted = min(max(milliseconds, 0), 1 << 32) + owed
        let result = max((wanted + 5) / 10, 0)
        guard result <= 0xFFFF else {
            owed = 0
            return 0xFFFF
        }
        owed = wanted - result * 10
        return result
    }

    /// The rectangles that hold all pixels that differ from the frame before, and all that become transparent.
    private func changes() -> (changed: CanvasArea?, cleared: CanvasArea?) {
        var changed = Extent()
        var cleared = Extent()
        let width = size.width
        for y in 0..<size.height {
            let new = current.pixels + y * width
            let old = before.pixels + y * width
            var first = 0
            while first < width && new[first] == old[first] { first += 1 }
            if first == width { continue }
            var last = width - 1
            while new[last] == old[last] { last -= 1 }
            changed.include(first...last, y)
            for x in first...last where new[x].isTransparent && !old[x].isTransparent { cleared.include(x...x, y) }
        }
        return (changed.area, cleared.area)
    }

    /// The frame that turns what is shown into `current`; nil for an area changes nothing.
    private func drawn(_ area: CanvasArea?, delay: Int) throws -> DrawnFrame {
        let area = area ?? CanvasArea(columns: 0..<1, rows: 0..<1)
        let frame = DrawnPixels(of: current, over: before, area)
        if let exact = frame.exactColours, exact.colours.count < 256 {
            let palette = IndexedPalette(exact: exact)
            return draw(area, frame.exactNumbers(in: palette), palette, palette.transparent, delay)
        }
        if frame.exactColours != nil {
            // 256 colours leave no room for a transparent one, so that all of the canvas has to be drawn.
            let full = DrawnPixels(of: current, whole)
            if let exact = full.exactColours, !full.leavesOut {
                let palette = IndexedPalette(exact: exact)
                return draw(whole, full.exactNumbers(in: palette), palette, nil, delay)
            }
        }
        let histogram = frame.histogram
        let palette =
            kept { palette in
                palette.meanError > 0
                    && palette.meanError(of: histogram)
                        <= max(palette.meanError * Self.toleratedGrowth, Self.invisibleError)
            } ?? IndexedPalette(histogram, hasTransparent: true)
        let numbers = try Dithering.ordered.numbers(of: frame, in: palette, checking: interruption)
        return draw(area, numbers, palette, palette.transparent, delay)
    }

    /// A palette that is there already and serves: the first one before the last one.
    private func kept(where serves: (IndexedPalette) -> Bool) -> IndexedPalette? {
        guard let palettes else { return nil }
        if serves(palettes.first) { return palettes.first }
        return palettes.last !== palettes.first && serves(palettes.last) ? palettes.last : nil
    }

    private func draw(
        _ area: CanvasArea, _ numbers: [UInt8], _ palette: IndexedPalette, _ transparent: UInt8?, _ delay: Int
    ) -> DrawnFrame {
        palettes = (palettes?.first ?? palette, palette)
        return DrawnFrame(area, numbers, palette, transparent: transparent, on: shown, delay: delay)
    }
}
