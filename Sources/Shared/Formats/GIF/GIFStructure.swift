import Support

/// A whole GIF, checked from its signature to its trailer.
public struct GIFStructure: Sendable, Hashable {
    /// The most that a GIF may ask of its decoder.
    public struct Limits: Sendable, Hashable {
        public var frames: Int
        /// Canvas pixels times frames: the work of drawing it once.
        public var pixelsOverAllFrames: Int

        public init(frames: Int, pixelsOverAllFrames: Int) {
            self.frames = frames
            self.pixelsOverAllFrames = pixelsOverAllFrames
        }

        /// 2,000 frames and 1,000 million pixels: 850 frames of 1080x1080, the largest that ExerciseDB has, of which
        /// its GIFs use fewer than a tenth.
        public static let standard = Limits(frames: 2_000, pixelsOverAllFrames: 1_000_000_000)
    }

    /// The logical screen, both sides at least 1.
    public let canvas: PixelSize
    /// Colours in the global palette; 0 without one.
    public let globalPaletteCount: Int
    /// At least one, in the order of display.
    public let frames: [GIFFrame]
    /// The repetitions of the last looping extension, as stored: 0 is for ever. Nil without such an extension.
    public let loopCount: Int?
    /// Comment extensions (GIF89a §24).
    public let commentCount: Int
    /// The offset behind the trailer; the GIF does not include later bytes.
    public let end: Int

    public var frameCount: Int { frames.count }
    /// The sum of the delays of all frames as they are stored, in milliseconds.
    public var durationMilliseconds: Int { frames.reduce(0) { $0 + $1.delayMilliseconds } }
    public var hasTransparency: Bool { frames.contains { $0.transparentIndex != nil } }

    /// How often the animation is shown, as browsers and WebP count: 0 for ever, 1 without a looping extension, else
    /// the stored repetitions and the first time.
    public var plays: Int {
        switch loopCount {
        case nil: 1
        case 0: 0
        case let count?: count + 1
        }
    }

    /// Walks over all blocks of `source`.
    ///
    /// Accepts a GIF with a canvas, at least one frame, no frame without pixels, only well-formed blocks, and the
    /// trailer; ignores later bytes. Throws `FormatFailure` (`overLimit` as soon as a limit is exceeded) and errors of
    /// the source. Reads every byte once, in 64 KB of memory and the descriptions of the frames.
    ///
    /// - Parameters:
    ///   - allowsTruncated: accepts a GIF that ends too early after a whole frame, and ignores the rest; `end` is then
    ///     the end of the bytes.
    ///   - allowsDamage: accepts a GIF with an invalid block after a whole frame in the same way.
    public static func read(
        _ source: some ByteSource, limits: Limits = .standard, allowsTruncated: Bool = false,
        allowsDamage: Bool = false
    ) throws -> GIFStructure {
        var window = SourceWindow.forWalk(source)
        let format = try ImageHeader.read(&window).format
        guard format == .gif else { throw FormatFailure.notGIF(format) }
        let screen = try GIFLayout.screen(&window)
        // At most 65,535 squared.
        let canvasPixels = screen.size.width * screen.size.height
        let pixelFrames = limits.pixelsOverAllFrames / canvasPixels
        var frames: [GIFFrame] = []
        var loopCount: Int?
        var commentCount = 0
        var end = window.count
        do {
            end = try GIFLayout.walk(&window, from: screen.end) { block in
                switch block {
                case .frame(let frame):
                    guard frames.count < limits.frames else {
                        throw FormatFailure.overLimit(.gif, "more than \(limits.frames) frames")
                    }
                    guard frames.count < pixelFrames else {
                        throw FormatFailure.overLimit(
                            .gif,
                            "\(frames.count + 1) or more frames of \(screen.size) are over "
                                + "\(limits.pixelsOverAllFrames) pixels")
                    }
                    frames.append(frame)
                case .loop(let count):
                    loopCount = count
                case .comment:
                    commentCount += 1
                }
            }
        } catch FormatFailure.truncated where allowsTruncated && !frames.isEmpty {
        } catch FormatFailure.corrupt where allowsDamage && !frames.isEmpty {
        }
        guard !frames.isEmpty else { throw FormatFailure.corrupt(.gif, "no frame") }
        return GIFStructure(
            canvas: screen.size, globalPaletteCount: screen.paletteCount, frames: frames, loopCount: loopCount,
            commentCount: commentCount, end: end)
    }
}
