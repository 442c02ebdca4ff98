import Formats
import Support

/// Writes the frames of a GIF. Holds the first frames until a shared palette is chosen, and compresses each frame in
/// several ways to find the shortest data.
final class GIFOutput {
    private let file: GIFFile
    private let effort: Int
    private let drain: EncoderOutput
    /// The global palette; nil before the first frame is written.
    private var shared: FilePalette?
    private var held: [(frame: DrawnFrame, colours: FrameColours)] = []
    private var heldPixels = 0

    /// The maximum number of pixels in held frames, which corresponds to 10 MB.
    private static let mostHeldPixels = 1 << 21

    /// - Parameter plays: how often the animation is played; 0 repeats it forever.
    init(size: PixelSize, plays: Int, effort: Int, into drain: EncoderOutput) {
        file = GIFFile(size: size, plays: plays, into: drain)
        self.effort = effort
        self.drain = drain
    }

    func write(_ frame: DrawnFrame) throws {
        let colours = FrameColours(frame)
        if let shared { return try put(frame, colours, shared) }
        held.append((frame, colours))
        heldPixels += frame.pixels.count
        if heldPixels > Self.mostHeldPixels { try putHeld() }
    }

    /// Writes the held frames and the end of the file. Call it once, after the last frame.
    func finish() throws {
        try putHeld()
        try file.finish()
    }

    private func putHeld() throws {
        guard shared == nil else { return }
        let shared = FilePalette(sharedBy: held.map(\.colours))
        self.shared = shared
        file.putHeader(shared)
        for (frame, colours) in held { try put(frame, colours, shared) }
        held = []
    }

    private func put(_ frame: DrawnFrame, _ colours: FrameColours, _ shared: FilePalette) throws {
        let (data, local) = try shortest(frame, colours, shared)
        try file.put(
            data, in: frame.area, delay: frame.delay, clearsAfterwards: frame.clearsAfterwards, palette: local)
    }

    /// Returns the shortest data for a frame, and the local palette, which is nil if the frame uses the shared palette.
    private func shortest(
        _ frame: DrawnFrame, _ colours: FrameColours, _ shared: FilePalette
    ) throws -> (FrameData, local: FilePalette?) {
        // If all pixels have changed, there are no spare pixels, and all treatments give the same data.
        let spares: [FrameData.Spare] =
            effort > 0 && frame.isChanged.contains(false) ? [.skipped, .drawn, .free] : [.skipped]
        let lookAhead = effort >= 7 ? 3 : effort >= 3 ? 1 : 0
        var best: (data: FrameData, local: FilePalette?, count: Int)?
        func attempt(_ palette: FilePalette, isShared: Bool) throws {
            for spare in spares {
                let data = try FrameData(frame, colours, palette, spare, lookAhead: lookAhead, checking: drain)
                let count = data.bytes.count + (isShared ? 0 : palette.colours.count * 3)
                if count < best?.count ?? .max { best = (data, isShared ? nil : palette, count) }
            }
        }
        if shared.serves(colours) { try attempt(shared, isShared: true) }
        if let best, best.data.depth <= 4 { return (best.data, nil) }
        let own = FilePalette(colours)
        // Only the shorter codes of a small local palette can make up for its size.
        if best == nil || own.colours.count <= 16 { try attempt(own, isShared: false) }
        return (best!.data, best!.local)
    }
}
