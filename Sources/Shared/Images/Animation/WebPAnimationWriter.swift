import CWebP
import Formats
import Support

extension UninterruptibleCost {
    /// The cost of encoding a frame of an animated WebP, which libwebpmux encodes both as a whole and as a difference
    /// from the previous frame. Noise takes 1 s for 3.3 megapixels.
    static func encodingWebPFrame(_ size: PixelSize) -> UninterruptibleCost {
        UninterruptibleCost(size, pixelsPerSecond: 1.5e6)
    }
}

/// Encodes an animation as a WebP with libwebpmux, which crops frames to their changes and blends them.
///
/// Animations with few colours, such as GIFs at their original size, are often smaller if they are lossless: unchanged
/// pixels then need no data, while a lossy frame never equals the previous frame exactly. The size of the first frame
/// in each mode determines the modes to try. If both modes are promising, the writer runs both encoders and keeps the
/// smaller file. The output stays in memory until the end, because the container begins with its size.
final class WebPAnimationWriter: AnimationWriter {
    private let size: PixelSize
    private let plays: Int
    private let options: EncodeOptions
    private let drain: EncoderOutput
    /// An encoder for each mode to compare, with all frames so far; empty before the first frame.
    private var encodings: [WebPAnimationEncoding] = []
    /// The start of the next frame in milliseconds.
    private var time = 0

    /// Lossless encoding is tried only if the first frame has at most this many colours: four times as many as a GIF
    /// frame, because resampling smooths edges. Resampled photographs have many thousands.
    private static let fewColours = 1024
    /// The animation is encoded without loss only if its first frame then has less than this many times the bytes of a
    /// `mixed` first frame. Later lossless frames may make up for the difference, but not in photographs, whose noise
    /// changes in every frame.
    private static let mostGrowth = 3
    /// A lossless first frame with more pixels per byte than this may be blank, and does not predict the size of later
    /// frames.
    private static let plainPixels = 50
    /// The longest duration of a frame in milliseconds, 4.7 hours: it has 24 bits (WebP container specification, ANMF).
    private static let mostDelay = 1 << 24 - 1

    init(
        _ options: EncodeOptions, size: PixelSize, plays: Int, limits: DecodeLimits, into drain: EncoderOutput
    ) throws {
        // libwebpmux needs three canvases for each mode, and libwebp needs memory for a frame.
        try limits.check(memory: size, bytesPerPixel: 40)
        self.size = size
        self.plays = plays
        self.options = options
        self.drain = drain
    }

    func write(_ frame: UnsafePointer<UInt8>, delay: Int) throws {
        try drain.checkpoint(.encodingWebPFrame(size))
        if encodings.isEmpty { try begin(frame) }
        let begin = try timestamp()
        // Only one thread at a time uses an encoder, and the encoders do not change the frame.
        nonisolated(unsafe) let (encodings, frame, drain) = (encodings, frame, drain)
        try (drain.spareThreads ?? ThreadBudget(0)).perform(encodings.count) { [size] number in
            try drain.checkpoint(.encodingWebPFrame(size))
            try encodings[number].add(frame, at: begin)
        } done: { _ in
        }
        time += min(max(delay, 0), Self.mostDelay)
    }

    private func begin(_ frame: UnsafePointer<UInt8>) throws {
        guard let colours = colourCount(frame) else {
            encodings = [try encoding(.lossy, hasPalette: false)]
            return
        }
        let hasPalette = colours <= 256
        let bytes = try [WebPAnimationEncoding.Mode.mixed, .lossless].map { mode in
            let trial = try encoding(mode, hasPalette: hasPalette)
            try drain.checkpoint(.encodingWebPFrame(size))
            try trial.add(frame, at: 0)
            return try trial.finish(at: 1).count
        }
        var modes: [WebPAnimationEncoding.Mode] = []
        // Later frames favour lossless encoding even more than the first frame. If the lossless first frame is smaller,
        // `mixed` is therefore not tried, unless that frame may be blank (see `plainPixels`).
        if bytes[0] < bytes[1] || bytes[1] * Self.plainPixels < size.width * size.height { modes.append(.mixed) }
        if bytes[1] < bytes[0] * Self.mostGrowth { modes.append(.lossless) }
        encodings = try modes.map { try encoding($0, hasPalette: hasPalette) }
    }

    private func encoding(_ mode: WebPAnimationEncoding.Mode, hasPalette: Bool) throws -> WebPAnimationEncoding {
        try WebPAnimationEncoding(size: size, plays: plays, mode, options, hasPalette: hasPalette)
    }

    /// Returns the number of colours, or nil if there are more than `fewColours`.
    private func colourCount(_ frame: UnsafePointer<UInt8>) -> Int? {
        var colours: Set<UInt32> = []
        return frame.withMemoryRebound(to: UInt32.self, capacity: size.width * size.height) { pixels in
            var last: UInt32?
            for i in 0..<size.width * size.height where pixels[i] != last {
                last = pixels[i]
                colours.insert(pixels[i])
                if colours.count > Self.fewColours { return nil }
            }
            return colours.count
        }
    }

    func finish() throws {
        // libwebpmux needs the end of the last frame as the time of a final, empty frame.
        let end = try timestamp()
        var smallest: [UInt8]?
        for encoding in encodings {
            let bytes = try encoding.finish(at: end)
            if bytes.count < smallest?.count ?? .max { smallest = bytes }
        }
        if let smallest { try drain.write(smallest.span.bytes) }
    }

    private func timestamp() throws -> Int32 {
        guard let time = Int32(exactly: time) else {
            throw ImageError.encoder(.webp, "the animation is longer than 24 days")
        }
        return time
    }
}
