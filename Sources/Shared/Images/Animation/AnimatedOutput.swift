import Formats
import Support

/// Passes the frames of an animated output to an animation writer.
final class AnimatedOutput {
    private let size: PixelSize
    private let encoder: FrameEncoder
    private var canvas: AlignedBuffer
    private let memory: MemoryReservation
    private var pace: FramePace
    /// The delay, in milliseconds, of the frame that is on the canvas; nil before the first frame.
    private var delay: Int?
    private(set) var count = 0

    /// - Parameters:
    ///   - encoding: must have a format that supports animations.
    ///   - framesPerSecond: the maximum frame rate; nil keeps all frames.
    init(
        _ encoding: EncodeOptions, size: PixelSize, plays: Int, framesPerSecond: Double?, options: DecodeOptions,
        into drain: EncoderOutput
    ) throws {
        self.size = size
        pace = FramePace(limit: framesPerSecond)
        // The two canvases need 8 bytes per pixel. A WebP also needs the canvases of libwebpmux and the memory of libwebp
        // for a frame, both twice, because two encoders may run and the smaller file is kept.
        memory = try options.reserve(memory: size, bytesPerPixel: encoding.format == .webp ? 40 : 8)
        canvas = AlignedBuffer(count: size.width * size.height * 4)
        encoder = FrameEncoder(
            try animationWriter(encoding, size: size, plays: plays, limits: options.limits, into: drain),
            canvasPixels: size.width * size.height, spareThreads: options.spareThreads)
    }

    /// Returns whether to draw the next frame. If so, writes the previous frame, whose delay is now final. If not, adds
    /// `delay`, in milliseconds, to the delay of the previous frame.
    func shows(frameOf delay: Int) throws -> Bool {
        guard pace.shows(frameOf: delay) else {
            self.delay = min((self.delay ?? 0) + min(max(delay, 0), 1 << 40), 1 << 50)
            return false
        }
        try flush()
        self.delay = delay
        count += 1
        return true
    }

    /// Returns a writer for the rows of the next frame, which have 3 or 4 channels.
    func frame(channels: Int) -> any RowWriter { Frame(self, channels: channels) }

    func finish() throws {
        try flush()
        try encoder.finish()
    }

    private func flush() throws {
        if let delay { canvas = try encoder.write(canvas, delay: delay) }
        delay = nil
    }

    private final class Frame: RowWriter {
        private let animation: AnimatedOutput
        private let channels: Int
        private var y = 0

        init(_ animation: AnimatedOutput, channels: Int) {
            self.animation = animation
            self.channels = channels
        }

        func write(_ row: UnsafePointer<UInt8>) {
            let width = animation.size.width
            let target = animation.canvas.bytes + y * width * 4
            y += 1
            if channels == 4 { return target.update(from: row, count: width * 4) }
            for x in 0..<width {
                let (pixel, sample) = (target + x * 4, row + x * 3)
                (pixel[0], pixel[1], pixel[2], pixel[3]) = (sample[0], sample[1], sample[2], 255)
            }
        }

        func finish() {}
    }
}

/// Drops frames of an animation that exceeds a maximum frame rate.
///
/// Time is divided into slots of equal length, and the first frame that begins in a slot is kept. A slot includes the
/// last twentieth of the previous slot, because rounding delays to milliseconds can make a frame begin slightly early.
struct FramePace {
    /// Frames per second; nil keeps all frames.
    let limit: Double?
    /// The start of the next frame in milliseconds.
    private var time = 0
    private var lastSlot = -1.0

    init(limit: Double?) { self.limit = limit }

    /// Returns whether to keep the next frame. The first frame is always kept. The caller adds the delay of a dropped
    /// frame to the delay of the previous frame.
    mutating func shows(frameOf delay: Int) -> Bool {
        // Clamped to prevent overflow. No format stores delays of more than 32 bits.
        defer { time = min(time + min(max(delay, 0), 1 << 40), 1 << 50) }
        guard let limit else { return true }
        let slot = (Double(time) * limit / 1000 + 0.05).rounded(.down)
        guard slot > lastSlot else { return false }
        lastSlot = slot
        return true
    }
}
