import Formats
import Support

/// Encodes an animation as a GIF.
///
/// A frame is cropped to what changed, and pixels that did not change are left transparent within it, so that they
/// cannot flicker. Where a pixel becomes transparent, the frame before it is disposed of by clearing its rectangle
/// (GIF89a §23), which is made large enough for that; so a frame is written only when the one behind it is known. Every
/// other frame stays.
///
/// Colours are kept if a frame draws no more than fit. Else a palette serves as long as it is about as good for a
/// frame as it was for the one that it was made for, since a new one shifts all colours a little. Ordered dithering
/// keeps its pattern from frame to frame.
///
/// Takes memory for two canvases of 4 bytes a pixel and the palette numbers of two frames.
final class GIFAnimationWriter: AnimationWriter {
    private let size: PixelSize
    private let plays: Int
    private let background: RGB
    private let interruption: Interruption
    private let drain: ByteDrain
    private var output: GIFOutput?
    private var global: IndexedPalette?
    /// The one that was used last.
    private var palette: IndexedPalette?
    /// What a viewer shows before the frame at hand is drawn, but for what its palette lacks.
    private var shown: PackedCanvas
    private var current: PackedCanvas
    private var pending: PendingFrame?
    /// Milliseconds by which the delays written so far are too short.
    private var owed = 0

    /// A frame that waits to know how it is disposed of.
    fileprivate struct PendingFrame {
        var area: CanvasArea
        var numbers: [UInt8]
        let palette: IndexedPalette
        /// nil only if the frame covers the whole canvas.
        let transparent: UInt8?
        let delay: Int
    }

    /// A palette serves on while its mean squared error is at most this many times what it was made with ...
    private static let toleratedGrowth = 1.5
    /// ... or so little (three channels) that nobody sees it.
    private static let invisibleError = 6.0

    init(
        size: PixelSize, plays: Int, background: RGB, limits: DecodeLimits, interruption: Interruption,
        into drain: ByteDrain
    ) throws {
        try limits.check(memory: size, bytesPerPixel: 10)
        self.size = size
        self.plays = plays
        self.background = background
        self.interruption = interruption
        self.drain = drain
        shown = PackedCanvas(width: size.width, height: size.height)
        current = PackedCanvas(width: size.width, height: size.height)
    }

    func write(_ frame: UnsafePointer<UInt8>, delay: Int) throws {
        try interruption.check()
        for y in 0..<size.height {
            current.setRow(y, frame + y * size.width * 4, channels: 4, background: background)
        }
        let hundredths = hundredths(delay)
        let next: PendingFrame
        if pending == nil {
            next = try drawn(whole, delay: hundredths)
        } else {
            var changes = self.changes()
            let clears = changes.cleared != nil
            if let cleared = changes.cleared {
                pending!.grow(to: pending!.area.union(cleared))
                clear(pending!.area)
                changes = self.changes()
            }
            try writePending(clearing: clears)
            next = try drawn(changes.changed, delay: hundredths)
        }
        pending = next
        swap(&shown, &current)
    }

    func finish() throws {
        try writePending(clearing: false)
        try output?.finish()
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

    /// The rectangles that hold all pixels that differ from what is shown, and all that become transparent.
    private func changes() -> (changed: CanvasArea?, cleared: CanvasArea?) {
        var changed = Extent()
        var cleared = Extent()
        let width = size.width
        for y in 0..<size.height {
            let new = current.pixels + y * width
            let old = shown.pixels + y * width
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

    /// Grows around what is added.
    private struct Extent {
        private var left = Int.max
        private var right = 0
        private var top = Int.max
        private var bottom = 0

        mutating func include(_ columns: ClosedRange<Int>, _ y: Int) {
            left = min(left, columns.lowerBound)
            right = max(right, columns.upperBound + 1)
            top = min(top, y)
            bottom = max(bottom, y + 1)
        }

        var area: CanvasArea? { left < right ? CanvasArea(columns: left..<right, rows: top..<bottom) : nil }
    }

    private func clear(_ area: CanvasArea) {
        for y in area.rows {
            (shown.pixels + y * size.width + area.columns.lowerBound)
                .update(repeating: .transparent, count: area.columns.count)
        }
    }

    /// The frame that turns what is shown into `current`; nil for an area changes nothing, and becomes the smallest
    /// frame that there is, as its time counts.
    private func drawn(_ area: CanvasArea?, delay: Int) throws -> PendingFrame {
        let area = area ?? CanvasArea(columns: 0..<1, rows: 0..<1)
        let frame = DrawnPixels(of: current, over: shown, area)
        if let exact = frame.exactColours, exact.colours.count < 256 {
            let palette = kept { $0.hasAll(exact) } ?? IndexedPalette(exact: exact)
            return pending(area, frame.exactNumbers(in: palette), palette, palette.transparent, delay)
        }
        if frame.exactColours != nil {
            // 256 colours leave no room for a transparent one, so that all of the canvas has to be drawn.
            let full = DrawnPixels(of: current, whole)
            if let exact = full.exactColours, !full.leavesOut {
                let palette = IndexedPalette(exact: exact)
                return pending(whole, full.exactNumbers(in: palette), palette, nil, delay)
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
        return pending(area, numbers, palette, palette.transparent, delay)
    }

    /// A palette that is there already and serves: the global one, which costs no bytes, before the last one.
    private func kept(where serves: (IndexedPalette) -> Bool) -> IndexedPalette? {
        if let global, global.transparent != nil, serves(global) { return global }
        if let palette, palette !== global, palette.transparent != nil, serves(palette) { return palette }
        return nil
    }

    private func pending(
        _ area: CanvasArea, _ numbers: [UInt8], _ palette: IndexedPalette, _ transparent: UInt8?, _ delay: Int
    ) -> PendingFrame {
        self.palette = palette
        if global == nil { global = palette }
        return PendingFrame(area: area, numbers: numbers, palette: palette, transparent: transparent, delay: delay)
    }

    private func writePending(clearing: Bool) throws {
        guard var frame = pending, let global else { return }
        pending = nil
        if output == nil {
            output = try GIFOutput(width: size.width, height: size.height, palette: global, plays: plays, into: drain)
        }
        try output!.writeFrame(
            frame.area, &frame.numbers, palette: frame.palette === global ? nil : frame.palette,
            GIFOutput.Control(delay: frame.delay, clearsAfterwards: clearing, transparent: frame.transparent),
            checking: interruption)
    }
}

extension GIFAnimationWriter.PendingFrame {
    /// Makes the rectangle larger by pixels that change nothing.
    fileprivate mutating func grow(to larger: CanvasArea) {
        guard larger != area, let transparent else { return }
        var grown = [UInt8](repeating: transparent, count: larger.count)
        for (line, y) in area.rows.enumerated() {
            let indent = area.columns.lowerBound - larger.columns.lowerBound
            let target = (y - larger.rows.lowerBound) * larger.columns.count + indent
            let source = line * area.columns.count
            grown.replaceSubrange(
                target..<target + area.columns.count, with: numbers[source..<source + area.columns.count])
        }
        numbers = grown
        area = larger
    }
}
