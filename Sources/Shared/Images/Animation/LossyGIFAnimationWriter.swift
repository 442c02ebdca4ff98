import Formats
import Support

/// Encodes a resized animation as a GIF, with the loss that the quality permits.
///
/// A pixel is drawn again only if its displayed colour is farther from its new colour than the loss permits, so noise
/// in still areas is ignored. Errors do not accumulate, because each frame is compared with the displayed pixels. A
/// drawn pixel may get any tolerated colour that makes the data shorter.
///
/// All frames share a palette with as few colours as the loss permits. Frames that do not fit this palette get a local
/// palette. Smooth areas are dithered with a pattern that is fixed to the canvas. Noise and edges are not dithered,
/// because dithering would only add bytes there.
///
/// Disposal works as in `GIFAnimationWriter`. Needs memory for the canvases that wait for the palette or the next
/// frame, two more canvases of 4 bytes per pixel, and 12 bytes per pixel of the frame that is compressed.
final class LossyGIFAnimationWriter: AnimationWriter {
    private let size: PixelSize
    private let background: RGB?
    private let loss: GIFLoss
    private let lookAhead: Int
    private let drain: EncoderOutput
    private let file: GIFFile
    private var clock = GIFClock()
    private var waiting: [(canvas: PackedCanvas, delay: Int)] = []
    /// The shared palette; nil before `begin`.
    private var shared: FramePalette?
    /// The last local palette.
    private var local: FramePalette?
    /// The previous frame as received.
    private var before: PackedCanvas
    /// The previous frame as displayed.
    private let shown: PackedCanvas

    /// The maximum number of pixels in waiting canvases, which corresponds to 4 MB.
    private static let mostWaitingPixels = 1 << 20
    /// The minimum number of drawn pixels that justifies the 768 bytes of a local palette.
    private static let pixelsForPalette = 1000
    /// The number of palette indices per pixel among which the compression chooses.
    private static let choicesPerPixel = 8

    init(
        _ options: EncodeOptions, size: PixelSize, plays: Int, limits: DecodeLimits, into drain: EncoderOutput
    ) throws {
        try limits.check(memory: size, bytesPerPixel: 30)
        self.size = size
        background = options.background
        loss = GIFLoss(quality: options.quality)
        // A longer look-ahead in the LZW compression would save less than 1 % of the file.
        lookAhead = options.effort >= 7 ? 1 : 0
        self.drain = drain
        file = GIFFile(size: size, plays: plays, into: drain)
        before = PackedCanvas(size)
        shown = PackedCanvas(size)
    }

    func write(_ frame: UnsafePointer<UInt8>, delay: Int) throws {
        try drain.checkpoint(nil)
        let canvas = PackedCanvas(size)
        canvas.set(frame, background: background)
        waiting.append((canvas, clock.hundredths(delay)))
        if shared == nil, waiting.count > 1, waiting.count * size.width * size.height > Self.mostWaitingPixels {
            try begin()
        }
        if shared != nil { try encodeWaiting(leaving: 1) }
    }

    func finish() throws {
        if shared == nil { try begin() }
        try encodeWaiting(leaving: 0)
        try file.finish()
    }

    /// Creates the shared palette from the waiting frames, and writes the header.
    private func begin() throws {
        var pixels = ChangedPixels()
        var last: PackedCanvas?
        for (canvas, _) in waiting {
            try drain.checkpoint(nil)
            pixels.add(canvas, over: last)
            last = canvas
        }
        let palette = FramePalette(pixels, loss: loss)
        shared = palette
        file.putHeader(FilePalette(palette.colours))
    }

    /// Encodes the waiting frames except for the last `rest` frames.
    private func encodeWaiting(leaving rest: Int) throws {
        let count = max(waiting.count - rest, 0)
        for place in 0..<count {
            try drain.checkpoint(nil)
            let next = place + 1 < waiting.count ? waiting[place + 1].canvas : nil
            try encode(waiting[place].canvas, delay: waiting[place].delay, next: next)
        }
        waiting.removeFirst(count)
    }

    private func encode(_ canvas: PackedCanvas, delay: Int, next: PackedCanvas?) throws {
        let frame = drawn(canvas)
        let cleared = next.flatMap { self.cleared(canvas, $0) }
        // A frame without changes still has a delay, so it becomes a single pixel.
        var area = frame.area ?? cleared ?? CanvasArea(columns: 0..<1, rows: 0..<1)
        if let cleared { area = area.union(cleared) }
        try put(frame, area, delay: delay, clearsAfterwards: cleared != nil)
        if cleared != nil { for canvas in [canvas, shown] { canvas.clear(area) } }
        before = canvas
    }

    /// Returns the bounding rectangle of all pixels that are transparent only in the next frame.
    private func cleared(_ canvas: PackedCanvas, _ next: PackedCanvas) -> CanvasArea? {
        var extent = Extent()
        for y in 0..<size.height {
            let (row, new) = (canvas.pixels + y * size.width, next.pixels + y * size.width)
            for x in 0..<size.width where new[x].isTransparent && !row[x].isTransparent { extent.include(x...x, y) }
        }
        return extent.area
    }

    /// Draws a frame with the shared palette. If the error is too large, tries the last local palette, and then creates
    /// a new local palette.
    private func drawn(_ canvas: PackedCanvas) -> LossyFrame {
        // `begin` has set the shared palette.
        let frame = LossyFrame(canvas, over: before, shown, shared!)
        if frame.count < Self.pixelsForPalette || frame.palette.serves(frame) { return frame }
        if let local {
            let frame = LossyFrame(canvas, over: before, shown, local)
            if local.serves(frame) { return frame }
        }
        var pixels = ChangedPixels()
        pixels.add(canvas, over: before)
        let palette = FramePalette(pixels, loss: loss)
        local = palette
        return LossyFrame(canvas, over: before, shown, palette)
    }

    private func put(_ frame: LossyFrame, _ area: CanvasArea, delay: Int, clearsAfterwards: Bool) throws {
        let palette = frame.palette
        let (choices, skipsPixels) = frame.choices(in: area, perPixel: Self.choicesPerPixel)
        let depth = LZW.depth(highest: choices.max() ?? 0)
        let bytes = try LZW.compressed(
            choices, choicesPerPixel: Self.choicesPerPixel, depth: depth, lookAhead: lookAhead, checking: drain)
        let data = FrameData(depth: depth, transparent: skipsPixels ? palette.transparent : nil, bytes: bytes)
        show(data, area, palette)
        try file.put(
            data, in: area, delay: delay, clearsAfterwards: clearsAfterwards,
            palette: palette === shared ? nil : FilePalette(palette.colours))
    }

    /// Decompresses the data of a frame, and draws it on the displayed canvas.
    private func show(_ data: FrameData, _ area: CanvasArea, _ palette: FramePalette) {
        var indices = [UInt8](repeating: 0, count: area.count)
        var decoder = LZWDecoder(codeSize: data.depth)
        data.bytes.withUnsafeBytes { bytes in
            indices.withUnsafeMutableBytes { _ = decoder.decode(bytes, into: $0) }
        }
        var place = 0
        for y in area.rows {
            let row = shown.pixels + y * size.width
            for x in area.columns {
                let index = indices[place]
                if index != data.transparent { row[x] = palette.colours.colours[Int(index)] }
                place += 1
            }
        }
    }
}
