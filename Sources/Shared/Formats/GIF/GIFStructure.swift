import Support

/// The structure of a GIF, checked from its signature to its trailer.
public struct GIFStructure: Sendable, Hashable {
    public struct Limits: Sendable, Hashable {
        public var frames: Int
        /// Canvas pixels times frames: the work of drawing the animation once.
        public var pixelsOverAllFrames: Int

        public init(frames: Int, pixelsOverAllFrames: Int) {
            self.frames = frames
            self.pixelsOverAllFrames = pixelsOverAllFrames
        }

        /// 2,000 frames and 1,000 million pixels. 1,000 million pixels are about 850 frames of 1080x1080, the largest
        /// size in ExerciseDB, whose GIFs have fewer than 85 frames.
        public static let standard = Limits(frames: 2_000, pixelsOverAllFrames: 1_000_000_000)
    }

    /// The size of the logical screen, both sides at least 1.
    public let canvas: PixelSize
    /// Colours in the global palette; 0 if there is none.
    public let globalPaletteCount: Int
    /// At least one frame, in display order.
    public let frames: [GIFFrame]
    /// The stored count of the last looping extension: the number of repetitions after the first play, or 0 to loop
    /// forever. Nil if there is no looping extension.
    public let loopCount: Int?
    /// The number of comment extensions (GIF89a §24).
    public let commentCount: Int
    /// The offset after the trailer. Later bytes do not belong to the GIF.
    public let end: Int

    public var frameCount: Int { frames.count }
    /// The sum of the stored delays of all frames, in milliseconds.
    public var durationMilliseconds: Int { frames.reduce(0) { $0 + $1.delayMilliseconds } }
    public var hasTransparency: Bool { frames.contains { $0.transparentIndex != nil } }

    /// The number of times that the animation plays, as browsers and WebP count: 0 if it never ends, 1 without a
    /// looping extension, else the stored count plus 1.
    public var plays: Int {
        switch loopCount {
        case nil: 1
        case 0: 0
        case let count?: count + 1
        }
    }

    /// Reads the structure of a GIF, and checks all of its blocks.
    ///
    /// A valid GIF has a canvas, at least one frame, no empty frame, only well-formed blocks, and a trailer; later
    /// bytes are ignored. `allowsTruncated` accepts a GIF that ends too early, and `allowsDamage` accepts a GIF with an
    /// invalid block. Both require at least one frame before the error, whose pixel data may be incomplete; `end` is
    /// then the end of the source. Throws `FormatFailure` (`overLimit` as soon as a limit is exceeded) and the errors
    /// of the source. Reads each byte once, in 64 KB of memory.
    public static func read(
        _ source: some ByteSource, limits: Limits = .standard, allowsTruncated: Bool = false, allowsDamage: Bool = false
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
                            "\(frames.count + 1) or more frames of \(screen.size) exceed "
                                + "\(limits.pixelsOverAllFrames) pixels")
                    }
                    frames.append(frame)
                case .loop(let count): loopCount = count
                case .comment: commentCount += 1
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
