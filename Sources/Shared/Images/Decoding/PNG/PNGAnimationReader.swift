import Formats
import Support

/// Decodes an animated PNG. Each frame is decoded like a PNG file, converted to sRGB, and drawn on the canvas (PNG
/// specification, third edition, §11.3.4.2).
///
/// Needs memory for the canvas, for a second canvas if a frame has "restore to previous", for a row, and for
/// interlaced frames.
final class PNGAnimationReader: AnimationReader {
    let size: PixelSize
    var frameCount: Int { animation.frames.count }
    var plays: Int { animation.plays }
    private let source: any ByteSource
    private let animation: PNGAnimation
    private let options: DecodeOptions
    private let canvas: AnimationCanvas
    private var index = 0

    /// Returns nil for a still picture, and for an invalid animation, because viewers then show the still picture.
    /// Reads all chunk headers first, without decoding.
    init?(_ source: some ByteSource, options: DecodeOptions) throws {
        let options = options.begun()
        let limits = options.limits
        guard let animation = try Self.animation(source, options) else { return nil }
        size = animation.header.size
        try limits.check(pixels: size)
        try limits.check(frames: animation.frames.count, of: size)
        canvas = try AnimationCanvas(
            size: size, saves: animation.frames.contains { $0.disposal == .previous }, options: options)
        self.source = source
        self.animation = animation
        self.options = options
    }

    private static func animation(_ source: some ByteSource, _ options: DecodeOptions) throws -> PNGAnimation? {
        let limit = options.limits.maxFrames
        do {
            return try PNGAnimation.read(source, frameLimit: limit, allowsTruncated: options.allowsTruncated) {
                try options.check()
            }
        } catch FormatFailure.corrupt {
            return nil
        } catch FormatFailure.overLimit {
            throw ImageError.tooManyFrames(limit + 1, limit: limit)
        }
    }

    func nextFrame() throws -> AnimationFrame? {
        guard index < frameCount else { return nil }
        try options.check()
        if index > 0 { dispose(of: animation.frames[index - 1], isFirst: index == 1) }
        let frame = animation.frames[index]
        if frame.disposal == .previous { canvas.save(area(frame)) }
        try draw(frame)
        defer { index += 1 }
        return AnimationFrame(index: index, delay: frame.delayMilliseconds, pixels: canvas.pixels)
    }

    private func dispose(of frame: PNGAnimation.Frame, isFirst: Bool) {
        switch frame.disposal {
        case .keep: break
        // The canvas is empty before the first frame, so restoring it means clearing it.
        case .previous where !isFirst: canvas.restore(area(frame))
        case .background, .previous: canvas.clear(area(frame))
        }
    }

    private func area(_ frame: PNGAnimation.Frame) -> CanvasArea {
        CanvasArea(
            columns: frame.left..<frame.left + frame.size.width, rows: frame.top..<frame.top + frame.size.height)
    }

    private func draw(_ frame: PNGAnimation.Frame) throws {
        let stored = try PNGReader(SplicedSource(source, animation, frame: frame), options: options)
        let reader: any RowReader = stored.transform.map { SRGBRows(stored, $0, options: options) } ?? stored
        // The spliced header contains the size of the frame.
        precondition(reader.size == frame.size, "libpng must read the spliced header")
        let row = AlignedBuffer(count: frame.size.width * reader.layout.channels)
        for y in 0..<frame.size.height {
            if y % 64 == 0 { try options.check() }
            try reader.readRow(into: row.bytes)
            Self.lay(
                row.bytes, channels: reader.layout.channels, on: canvas.pixel(frame.left, frame.top + y),
                count: frame.size.width, isBlended: frame.isBlended)
        }
        try reader.finish()
    }

    /// Draws pixels of 1 to 4 channels on RGBA pixels with straight alpha.
    private static func lay(
        _ row: UnsafePointer<UInt8>, channels: Int, on canvas: UnsafeMutablePointer<UInt8>, count: Int, isBlended: Bool
    ) {
        let hasAlpha = channels % 2 == 0
        let (green, blue) = channels < 3 ? (0, 0) : (1, 2)
        for x in 0..<count {
            let (from, to) = (row + x * channels, canvas + x * 4)
            let alpha = hasAlpha ? Int(from[channels - 1]) : 255
            if isBlended && alpha < 255 {
                if alpha == 0 { continue }
                // The weight of the canvas and the alpha of the result, both in units of 1 / (255 * 255).
                let kept = Int(to[3]) * (255 - alpha)
                let whole = alpha * 255 + kept
                func mixed(_ above: UInt8, _ below: UInt8) -> UInt8 {
                    UInt8((Int(above) * alpha * 255 + Int(below) * kept + whole / 2) / whole)
                }
                to[0] = mixed(from[0], to[0])
                to[1] = mixed(from[green], to[1])
                to[2] = mixed(from[blue], to[2])
                to[3] = UInt8((whole + 127) / 255)
            } else {
                to[0] = from[0]
                to[1] = from[green]
                to[2] = from[blue]
                to[3] = UInt8(alpha)
            }
        }
    }
}

/// The first frame of an animated PNG as a still picture.
final class FirstFrameRows: RowReader {
    let size: PixelSize
    let layout = RowLayout.rgba
    private let reader: PNGAnimationReader
    private let rows: PixelRows

    /// Returns nil if the animation is invalid; viewers then show the still picture.
    init?(_ source: some ByteSource, options: DecodeOptions) throws {
        guard let reader = try PNGAnimationReader(source, options: options), let frame = try reader.nextFrame() else {
            return nil
        }
        self.reader = reader
        size = reader.size
        rows = PixelRows(frame.pixels, size: size, channels: 4)
    }

    var transform: ColourTransform? { nil }

    func readRow(into row: UnsafeMutablePointer<UInt8>) { rows.readRow(into: row) }

    func finish() {}
}
