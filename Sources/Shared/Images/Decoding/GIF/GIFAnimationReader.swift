import Formats
import Support

/// The frames of a GIF, drawn as browsers draw them: the canvas begins transparent, and a frame with the disposal
/// "restore to background" (GIF89a §23) leaves transparency, for any background colour.
///
/// Needs memory for the canvas, for a second canvas if a frame has the disposal "restore to previous", and for a line.
final class GIFAnimationReader: AnimationReader {
    let size: PixelSize
    let frameCount: Int
    let plays: Int
    var profile: [UInt8]? { nil }
    private let frames: [GIFFrame]
    private let stream: GIFStream
    private let options: DecodeOptions
    private let memory: MemoryReservation
    private let canvas: AlignedBuffer
    /// The canvas below a frame with the disposal "restore to previous", within its rectangle.
    private let below: AlignedBuffer?
    private var line: [UInt8] = []
    private var index = 0
    private(set) var isDamaged = false
    /// The disposal of the last frame, before the next frame is drawn.
    private var disposal = GIFFrame.Disposal.keep
    private var drawn = CanvasArea()

    /// Walks through the whole file first, which decodes nothing.
    init(_ source: some ByteSource, options: DecodeOptions) throws {
        let limits = options.limits
        let structure = try Self.structure(source, options)
        // A frame may be larger than the canvas, and costs as much as it is large.
        let largest = structure.frames.reduce(structure.canvas) {
            PixelSize(width: max($0.width, $1.size.width), height: max($0.height, $1.size.height))
        }
        try limits.check(pixels: largest)
        try limits.check(frames: structure.frames.count, of: largest)
        let hasPrevious = structure.frames.contains { $0.disposal == .previous }
        memory = try options.reserve(memory: structure.canvas, bytesPerPixel: hasPrevious ? 8 : 4)
        let bytes = hasPrevious ? memory.bytes / 2 : memory.bytes
        size = structure.canvas
        frameCount = structure.frames.count
        plays = structure.plays
        frames = structure.frames
        self.options = options
        stream = try GIFStream(source, options: options)
        canvas = AlignedBuffer(count: bytes)
        below = hasPrevious ? AlignedBuffer(count: bytes) : nil
    }

    private static func structure(_ source: some ByteSource, _ options: DecodeOptions) throws -> GIFStructure {
        let limit = options.limits.maxFrames
        do {
            // Pixels over all frames are checked by `DecodeLimits`, once all frames are known.
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
        guard let image = try stream.nextImage() else { throw ImageError.corrupt(.gif, "fewer frames than it had") }
        let frame = frames[index]
        drawn = area(image)
        disposal = frame.disposal
        if disposal == .previous { copy(drawn, from: canvas, to: below!) }
        do {
            try draw(image)
        } catch ImageError.truncated where options.allowsTruncated {
            // Data that ends within a frame that is whole by its structure. An incomplete first frame is shown.
            let isFirst = index == 0
            index = frameCount
            if !isFirst { return nil }
            return AnimationFrame(index: 0, delay: frame.delayMilliseconds, pixels: UnsafePointer(canvas.bytes))
        } catch ImageError.corrupt where options.allowsDamage {
            isDamaged = true
            try stream.skipImage()
        }
        defer { index += 1 }
        return AnimationFrame(index: index, delay: frame.delayMilliseconds, pixels: UnsafePointer(canvas.bytes))
    }

    private func dispose() {
        switch disposal {
        case .unspecified, .keep: break
        case .background:
            for y in drawn.rows {
                (canvas.bytes + (y * size.width + drawn.columns.lowerBound) * 4)
                    .update(repeating: 0, count: drawn.columns.count * 4)
            }
        case .previous: copy(drawn, from: below!, to: canvas)
        }
    }

    /// The part of the image's rectangle within the canvas.
    private func area(_ image: GIFStream.Image) -> CanvasArea {
        let right = min(image.left + image.width, size.width)
        let bottom = min(image.top + image.height, size.height)
        guard image.left < right, image.top < bottom else { return CanvasArea() }
        return CanvasArea(columns: image.left..<right, rows: image.top..<bottom)
    }

    private func copy(_ area: CanvasArea, from source: AlignedBuffer, to target: AlignedBuffer) {
        for y in area.rows {
            let offset = (y * size.width + area.columns.lowerBound) * 4
            (target.bytes + offset).update(from: source.bytes + offset, count: area.columns.count * 4)
        }
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
                    on: canvas.bytes + (y * size.width + drawn.columns.lowerBound) * 4, channels: 4)
            }
        }
    }
}
