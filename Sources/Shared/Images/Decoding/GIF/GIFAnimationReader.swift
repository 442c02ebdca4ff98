import Formats
import Support

/// Decodes a GIF as browsers draw it: the canvas begins transparent, and "restore to background" (GIF89a §23) makes
/// pixels transparent, regardless of the background colour.
///
/// Needs memory for the canvas, for a second canvas if a frame has "restore to previous", and for a row.
final class GIFAnimationReader: AnimationReader {
    let size: PixelSize
    let frameCount: Int
    let plays: Int
    private let frames: [GIFFrame]
    private let stream: GIFStream
    private let options: DecodeOptions
    private let canvas: AnimationCanvas
    private var line: [UInt8] = []
    private var index = 0
    private(set) var isDamaged = false
    /// The disposal and the rectangle of the previous frame.
    private var disposal = GIFFrame.Disposal.keep
    private var drawn = CanvasArea()

    /// Reads the structure of the whole file first, without decoding.
    init(_ source: some ByteSource, options: DecodeOptions) throws {
        let limits = options.limits
        let structure = try Self.structure(source, options)
        // A frame may be larger than the canvas, and all of its pixels are decoded.
        let largest = structure.frames.reduce(structure.canvas) {
            PixelSize(width: max($0.width, $1.size.width), height: max($0.height, $1.size.height))
        }
        try limits.check(pixels: largest)
        try limits.check(frames: structure.frames.count, of: largest)
        canvas = try AnimationCanvas(
            size: structure.canvas, saves: structure.frames.contains { $0.disposal == .previous }, options: options)
        size = structure.canvas
        frameCount = structure.frames.count
        plays = structure.plays
        frames = structure.frames
        self.options = options
        stream = try GIFStream(source, options: options)
    }

    private static func structure(_ source: some ByteSource, _ options: DecodeOptions) throws -> GIFStructure {
        let limit = options.limits.maxFrames
        do {
            // `init` checks the pixels of all frames afterwards, with `DecodeLimits`.
            return try GIFStructure.read(
                source, limits: GIFStructure.Limits(frames: limit, pixelsOverAllFrames: .max),
                allowsTruncated: options.allowsTruncated, allowsDamage: options.allowsDamage)
        } catch FormatFailure.overLimit {
            throw ImageError.tooManyFrames(limit + 1, limit: limit)
        }
    }

    func nextFrame() throws -> AnimationFrame? {
        guard index < frameCount else { return nil }
        try options.check()
        dispose()
        guard let image = try stream.nextImage() else { throw ImageError.corrupt(.gif, "fewer frames than expected") }
        let frame = frames[index]
        drawn = area(image)
        disposal = frame.disposal
        if disposal == .previous { canvas.save(drawn) }
        do {
            try draw(image)
        } catch ImageError.truncated where options.allowsTruncated {
            // Pixel data may end early even if the frame's blocks are complete. An incomplete first frame is returned,
            // later incomplete frames are not.
            let isFirst = index == 0
            index = frameCount
            if !isFirst { return nil }
            return AnimationFrame(index: 0, delay: frame.delayMilliseconds, pixels: canvas.pixels)
        } catch ImageError.corrupt where options.allowsDamage {
            isDamaged = true
            try stream.skipImage()
        }
        defer { index += 1 }
        return AnimationFrame(index: index, delay: frame.delayMilliseconds, pixels: canvas.pixels)
    }

    private func dispose() {
        switch disposal {
        case .unspecified, .keep: break
        case .background: canvas.clear(drawn)
        case .previous: canvas.restore(drawn)
        }
    }

    /// Returns the image's rectangle, clipped to the canvas.
    private func area(_ image: GIFStream.Image) -> CanvasArea {
        let right = min(image.left + image.width, size.width)
        let bottom = min(image.top + image.height, size.height)
        guard image.left < right, image.top < bottom else { return CanvasArea() }
        return CanvasArea(columns: image.left..<right, rows: image.top..<bottom)
    }

    private func draw(_ image: GIFStream.Image) throws {
        if line.count != image.width { line = [UInt8](repeating: 0, count: image.width) }
        var untilCheck = 64
        for row in image.rowOrder {
            untilCheck -= 1
            if untilCheck == 0 {
                try options.check()
                untilCheck = 64
            }
            try stream.readLine(into: &line)
            let y = image.top + row
            guard drawn.rows.contains(y) else { continue }
            line.withUnsafeBufferPointer {
                image.palette.draw(
                    UnsafeBufferPointer(rebasing: $0[..<drawn.columns.count]), transparent: image.transparent,
                    on: canvas.pixel(drawn.columns.lowerBound, y), channels: 4)
            }
        }
    }
}
