import Formats

/// The frames of one output on their way into an animation.
final class AnimatedOutput {
    /// How long the next frame is shown, in milliseconds.
    var delay = 0
    private let size: PixelSize
    private let writer: any AnimationWriter
    private let canvas: AlignedBuffer
    private let memory: MemoryReservation

    /// - Parameter encoding: in a format that holds animations.
    init(_ encoding: EncodeOptions, size: PixelSize, plays: Int, options: DecodeOptions, into drain: ByteDrain) throws {
        self.size = size
        // The canvas, and libwebpmux's own beside what each frame reserves for libwebp.
        memory = try options.reserve(memory: size, bytesPerPixel: encoding.format == .webp ? 20 : 4)
        canvas = AlignedBuffer(count: size.width * size.height * 4)
        writer = try animationWriter(
            encoding, size: size, plays: plays, limits: options.limits, interruption: options.interruption, into: drain)
    }

    /// What takes the rows of the next frame, R, G, B and alpha, and hands the frame on at its end.
    func frame() -> any RowWriter { Frame(self) }

    func finish() throws { try writer.finish() }

    private final class Frame: RowWriter {
        private let animation: AnimatedOutput
        private var y = 0

        init(_ animation: AnimatedOutput) { self.animation = animation }

        func write(_ row: UnsafePointer<UInt8>) {
            let count = animation.size.width * 4
            (animation.canvas.bytes + y * count).update(from: row, count: count)
            y += 1
        }

        func finish() throws { try animation.writer.write(animation.canvas.bytes, delay: animation.delay) }
    }
}
