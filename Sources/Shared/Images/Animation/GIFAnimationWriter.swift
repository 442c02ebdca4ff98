import Formats
import Support

/// Encodes an animation as a GIF.
///
/// Each frame is cropped to the rectangle that changed. Unchanged pixels in the rectangle keep their displayed colour,
/// so they cannot flicker. If a pixel becomes transparent, the previous frame's rectangle is extended to the pixel and
/// cleared afterwards (disposal method, GIF89a §23). Each frame is therefore written only when the next frame is known.
///
/// Colours are exact if all colours of a frame fit in a palette. Otherwise, the first or the last palette is reused if
/// its error is about as low as for its original frame, because a new palette shifts all colours slightly. Dithering is
/// ordered, so its pattern does not change between frames.
///
/// Needs memory for three canvases of 4 bytes per pixel, the pending frame, and the frames that `GIFOutput` holds.
final class GIFAnimationWriter: AnimationWriter {
    private let background: RGB?
    private let drain: EncoderOutput
    private let output: GIFOutput
    private var palettes: (first: IndexedPalette, last: IndexedPalette)?
    /// The previous frame as received.
    private var before: PackedCanvas
    private var current: PackedCanvas
    /// The previous frame as displayed, in palette colours.
    private let shown: PackedCanvas
    /// The last received frame, which is written when its disposal is known.
    private var pending: DrawnFrame?
    private var clock = GIFClock()

    /// A palette is reused if its mean squared error for the new frame is at most this many times its original error.
    private static let toleratedGrowth = 1.5
    /// A palette is also reused if its mean squared error, summed over three channels, is at most this value, which is
    /// invisible.
    private static let invisibleError = 6.0

    init(
        _ options: EncodeOptions, size: PixelSize, plays: Int, limits: DecodeLimits, into drain: EncoderOutput
    ) throws {
        try limits.check(memory: size, bytesPerPixel: 20)
        background = options.background
        self.drain = drain
        output = GIFOutput(size: size, plays: plays, effort: options.effort, into: drain)
        before = PackedCanvas(size)
        shown = PackedCanvas(size)
        current = PackedCanvas(size)
    }

    func write(_ frame: UnsafePointer<UInt8>, delay: Int) throws {
        try drain.checkpoint(nil)
        current.set(frame, background: background)
        let hundredths = clock.hundredths(delay)
        var changed: CanvasArea? = current.whole
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

    /// Returns the bounding rectangle of all changed pixels, and of all pixels that became transparent.
    private func changes() -> (changed: CanvasArea?, cleared: CanvasArea?) {
        var changed = Extent()
        var cleared = Extent()
        let width = current.width
        for y in 0..<current.height {
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

    /// Returns the frame that turns the displayed canvas into `current`. A nil area means that no pixel changes.
    private func drawn(_ area: CanvasArea?, delay: Int) throws -> DrawnFrame {
        let area = area ?? CanvasArea(columns: 0..<1, rows: 0..<1)
        let frame = DrawnPixels(of: current, over: before, area)
        if let exact = frame.exactColours, exact.colours.count < 256 {
            let palette = IndexedPalette(exact: exact)
            return draw(area, frame.exactIndices(in: palette), palette, palette.transparent, delay)
        }
        if frame.exactColours != nil {
            // 256 colours leave no index for transparency, so the whole canvas must be drawn.
            let full = DrawnPixels(of: current, current.whole)
            if let exact = full.exactColours, !full.skipsPixels {
                let palette = IndexedPalette(exact: exact)
                return draw(current.whole, full.exactIndices(in: palette), palette, nil, delay)
            }
        }
        let histogram = frame.histogram
        let palette =
            kept { palette in
                palette.meanError > 0
                    && palette.meanError(of: histogram)
                        <= max(palette.meanError * Self.toleratedGrowth, Self.invisibleError)
            } ?? IndexedPalette(histogram, hasTransparent: true)
        let indices = try Dithering.ordered.indices(of: frame, in: palette, checking: drain)
        return draw(area, indices, palette, palette.transparent, delay)
    }

    /// Returns the first or the last palette if it satisfies the condition, preferably the first.
    private func kept(where serves: (IndexedPalette) -> Bool) -> IndexedPalette? {
        guard let palettes else { return nil }
        if serves(palettes.first) { return palettes.first }
        return palettes.last !== palettes.first && serves(palettes.last) ? palettes.last : nil
    }

    private func draw(
        _ area: CanvasArea, _ indices: [UInt8], _ palette: IndexedPalette, _ transparent: UInt8?, _ delay: Int
    ) -> DrawnFrame {
        palettes = (palettes?.first ?? palette, palette)
        return DrawnFrame(area, indices, palette, transparent: transparent, on: shown, delay: delay)
    }
}
