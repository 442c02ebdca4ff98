import Support

/// The frames of an animated PNG (PNG specification, third edition, §11.3.4).
public struct PNGAnimation: Sendable, Hashable {
    /// How the frame's rectangle changes before the next frame is drawn (table in §11.3.4.2).
    public enum Disposal: UInt8, Sendable {
        case keep, background, previous
    }

    public struct Frame: Sendable, Hashable {
        public let left: Int
        public let top: Int
        /// Both sides at least 1; the rectangle is within the canvas.
        public let size: PixelSize
        /// The stored display time in milliseconds, which may be 0.
        public let delayMilliseconds: Int
        public let disposal: Disposal
        /// Whether the frame is blended with the canvas by its alpha. If false, it replaces a rectangle of the canvas.
        public let isBlended: Bool
        /// The range from the end of the frame's `fcTL` to the end of its last chunk.
        public fileprivate(set) var chunks: Range<Int>
    }

    /// The canvas and the kind of samples, which all frames share.
    public let header: PNGHeader
    /// The range of the chunks between the header and the image data: palette, transparency, colour, metadata.
    public let shared: Range<Int>
    /// At least one frame, in display order.
    public let frames: [Frame]
    /// The number of times that the animation is played; 0 if it never ends.
    public let plays: Int

    /// Reads the frames of a PNG. Returns nil if there is no valid `acTL`, because viewers then show a still picture.
    ///
    /// Throws `FormatFailure`: `corrupt` for an invalid chunk of the animation, `overLimit` for more than `frameLimit`
    /// frames, `truncated` if the file ends too early. With `allowsTruncated`, returns the whole frames of a truncated
    /// file, if there are any. Skips from chunk to chunk, in 64 KB of memory.
    public static func read(
        _ source: some ByteSource, frameLimit: Int, allowsTruncated: Bool = false, check: () throws -> Void = {}
    ) throws -> PNGAnimation? {
        var window = SourceWindow.forWalk(source)
        guard let head = try window.bytes(at: 0, 29), ImageFormat.png.matches(head) else { return nil }
        var walk = AnimationWalk(header: try PNGHeader(Array(head.dropFirst(16))), frameLimit: frameLimit)
        var offset = 33
        do {
            while true {
                let chunk = try PNGLayout.nextChunk(&window, at: offset)
                guard chunk.end <= window.count else { throw FormatFailure.truncated(.png) }
                if chunk.type == "IEND" { break }
                guard try walk.take(chunk, from: offset, in: &window) else { return nil }
                offset = chunk.end
                try check()
            }
        } catch FormatFailure.truncated where allowsTruncated && !walk.frames.isEmpty {
            return walk.animation
        }
        return try walk.finished(at: offset)
    }

    /// Calls `visit` with each chunk in a range, such as `shared` or the `chunks` of a frame.
    public static func chunks(
        of source: some ByteSource, in range: Range<Int>, visit: (PNGLayout.Chunk) throws -> Void
    ) throws {
        var window = SourceWindow.forWalk(source)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let chunk = try PNGLayout.nextChunk(&window, at: offset)
            guard chunk.end <= range.upperBound else { throw FormatFailure.truncated(.png) }
            try visit(chunk)
            offset = chunk.end
        }
    }
}

private struct AnimationWalk {
    let header: PNGHeader
    let frameLimit: Int
    private(set) var frames: [PNGAnimation.Frame] = []
    private var declared: (frames: Int, plays: Int)?
    /// The end of the chunks that all frames share.
    private var sharedEnd: Int?
    private var sawData = false
    /// The frame whose data is being read: its description, and whether it has data.
    private var open: (frame: PNGAnimation.Frame, hasData: Bool)?
    private var nextSequenceNumber = 0

    init(header: PNGHeader, frameLimit: Int) {
        self.header = header
        self.frameLimit = frameLimit
    }

    /// Reads the next chunk. Returns false if the picture is a still picture.
    mutating func take(_ chunk: PNGLayout.Chunk, from offset: Int, in window: inout SourceWindow) throws -> Bool {
        switch chunk.type {
        case "acTL" where !sawData && declared == nil:
            guard chunk.body.count == 8, let count = try window.bigEndian(at: chunk.body.lowerBound, 4),
                let plays = try window.bigEndian(at: chunk.body.lowerBound + 4, 4), count > 0
            else { return false }
            declared = (count, plays)
        case "fcTL":
            // The description of the first frame may precede acTL.
            guard declared != nil || !sawData else { return false }
            try close(at: offset)
            try checkSequence(chunk, &window)
            open = (try frame(chunk, &window), false)
        case "fdAT":
            guard declared != nil else { return false }
            try checkSequence(chunk, &window)
            guard sawData, open != nil else { throw Self.fault("frame data without a frame control chunk") }
            open?.hasData = true
        case "IDAT":
            // Without acTL before the image data, the PNG is a still picture.
            guard declared != nil else { return false }
            sharedEnd = sharedEnd ?? offset
            sawData = true
            guard let frame = open?.frame else { break }
            guard frames.isEmpty, frame.size == header.size else {
                throw Self.fault("a first frame whose size differs from the picture's")
            }
            open?.hasData = true
        default: break
        }
        return true
    }

    /// Returns the animation at the end chunk, or nil if there was no `acTL`. Checks the number of frames.
    mutating func finished(at offset: Int) throws -> PNGAnimation? {
        guard let declared else { return nil }
        try close(at: offset)
        guard frames.count == declared.frames else {
            throw Self.fault("\(frames.count) frames instead of the declared \(declared.frames)")
        }
        return animation
    }

    var animation: PNGAnimation {
        PNGAnimation(header: header, shared: 33..<(sharedEnd ?? 33), frames: frames, plays: declared?.plays ?? 0)
    }

    /// Completes the open frame, whose chunks end at `offset`.
    private mutating func close(at offset: Int) throws {
        guard case (var frame, let hasData)? = open else { return }
        guard hasData else { throw Self.fault("a frame without data") }
        guard frames.count < frameLimit else { throw FormatFailure.overLimit(.png, "more than \(frameLimit) frames") }
        frame.chunks = frame.chunks.lowerBound..<max(offset, frame.chunks.lowerBound)
        frames.append(frame)
        open = nil
    }

    /// Checks the sequence number of an `fcTL` or `fdAT` chunk. The chunks of both types are numbered together from 0
    /// (§11.3.4.1).
    private mutating func checkSequence(_ chunk: PNGLayout.Chunk, _ window: inout SourceWindow) throws {
        guard chunk.body.count >= 4 else { throw Self.fault("an animation chunk without a sequence number") }
        guard try window.bigEndian(at: chunk.body.lowerBound, 4) == nextSequenceNumber else {
            throw Self.fault("animation chunks out of order")
        }
        nextSequenceNumber += 1
    }

    /// Reads a frame control chunk, `fcTL` (§11.3.4.2). Leaves `chunks` empty.
    private func frame(_ chunk: PNGLayout.Chunk, _ window: inout SourceWindow) throws -> PNGAnimation.Frame {
        let start = chunk.body.lowerBound
        guard chunk.body.count == 26 else { throw Self.fault("a frame control chunk of invalid length") }
        // Never nil, because the chunk is within the file.
        func number(_ place: Int, _ width: Int) throws -> Int { try window.bigEndian(at: start + place, width) ?? 0 }
        let size = PixelSize(width: try number(4, 4), height: try number(8, 4))
        let (left, top) = (try number(12, 4), try number(16, 4))
        // All numbers have 32 bits, so the sums do not overflow.
        guard size.width > 0, size.height > 0, left + size.width <= header.size.width,
            top + size.height <= header.size.height
        else { throw Self.fault("a frame outside the picture") }
        guard let disposal = PNGAnimation.Disposal(rawValue: UInt8(try number(24, 1))), try number(25, 1) <= 1 else {
            throw Self.fault("an unknown dispose or blend operation")
        }
        let divisor = try number(22, 2)
        return PNGAnimation.Frame(
            left: left, top: top, size: size,
            delayMilliseconds: try number(20, 2) * 1000 / (divisor == 0 ? 100 : divisor), disposal: disposal,
            isBlended: try number(25, 1) == 1, chunks: chunk.end..<chunk.end)
    }

    private static func fault(_ fault: String) -> FormatFailure { .corrupt(.png, fault) }
}
