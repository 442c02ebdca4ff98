import Formats
import Support

/// The frames of one output on their way into an animation.
final class AnimatedOutput {
    private let size: PixelSize
    private let writer: any AnimationWriter
    private let canvas: AlignedBuffer
    private let memory: MemoryReservation
    private var pace: FramePace
    /// How long the frame on the canvas is shown, in milliseconds; nil before the first one.
    private var delay: Int?
    /// Frames that are shown.
    private(set) var count = 0

    /// - Parameters:
    ///   - encoding: in a format that holds animations.
    ///   - framesPerSecond: the most that are shown; nil is all.
    init(
        _ encoding: EncodeOptions, size: PixelSize, plays: Int, framesPerSecond: Double?, options: DecodeOptions,
        into drain: ByteDrain
    ) throws {
        self.size = size
        pace = FramePace(limit: framesPerSecond)
        // The canvas, and libwebpmux's own beside what each frame reserves for libwebp: twice, as the smaller of two
        // ways of writing it wins.
        memory = try options.reserve(memory: size, bytesPerPixel: encoding.format == .webp ? 36 : 4)
        canvas = AlignedBuffer(count: size.width * size.height * 4)
        writer = try animationWriter(
            encoding, size: size, plays: plays, limits: options.limits, interruption: options.interruption, into: drain)
    }

    /// Whether the next frame, which is shown for `delay` milliseconds, is to be made. If not, the one before it stays
    /// for as long. Writes the frame before, whose time is then known.
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

    /// What takes the rows of the next frame, R, G, B and alpha.
    func frame() -> any RowWriter { Frame(self) }

    func finish() throws {
        try flush()
        try writer.finish()
    }

    private func flush() throws {
        if let delay { try writer.write(canvas.bytes, delay: delay) }
        delay = nil
    }

    private final class Frame: RowWriter {
        private let animation: AnimatedOutput
        private var y = 0

        init(_ animation: AnimatedOutput) { self.animation = animation }

        func write(_ row: UnsafePointer<UInt8>) {
            let count = animation.size.width * 4
            (animation.canvas.bytes + y * count).update(from: row, count: count)
            y += 1
        }

        func finish() {}
    }
}
