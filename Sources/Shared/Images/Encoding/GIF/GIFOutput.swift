import Support

/// Writes the frames of a GIF. Holds the first frames until a shared palette is chosen, and compresses each frame in
/// several ways to find the shortest data.
final class GIFOutput {
    private let file: GIFFile
    private let effort: Int
    private let drain: ByteDrain
    /// The global palette; nil before the first frame is written.
    private var shared: FilePalette?
    private var held: [(frame: DrawnFrame, colours: FrameColours)] = []
    private var heldPixels = 0

    /// The limit of pixels in held frames: 10 MB.
    private static let mostHeldPixels = 1 << 21

    /// - Parameters:
    ///   - plays: 0 is infinite, as in `AnimationReader.plays`.
    ///   - effort: 0 to 9.
    init(width: Int, height: Int, plays: Int, effort: Int, into drain: ByteDrain) {
        file = GIFFile(width: width, height: height, plays: plays, into: drain)
        self.effort = effort
        self.drain = drain
    }

    func write(_ frame: DrawnFrame) throws {
        let colours = FrameColours(frame)
        guard shared == nil else { return try put(frame, colours) }
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
        for (frame, colours) in held { try put(frame, colours) }
        held = []
    }

    private func put(_ frame: DrawnFrame, _ colours: FrameColours) throws {
        guard let shared else { return }
        let (data, isShared) = try shortest(frame, colours, shared)
        try file.put(
            GIFFile.Frame(
                area: frame.area, delay: frame.delay, clearsAfterwards: frame.clearsAfterwards,
                palette: isShared ? nil : data.palette, depth: data.depth, transparent: data.transparent,
                bytes: data.bytes))
    }

    /// Returns the shortest data for a frame.
    private func shortest(
        _ frame: DrawnFrame, _ colours: FrameColours, _ shared: FilePalette
    ) throws -> (data: FrameData, isShared: Bool) {
        let ways = GIFEffort(effort, canSkip: frame.isChanged.contains(false))
        var best: (data: FrameData, isShared: Bool, count: Int)?
        func attempt(_ palette: FilePalette, isShared: Bool) throws {
            for spare in ways.spares {
                let data = try FrameData(
                    frame, colours, palette, spare, lookAhead: ways.lookAhead, checking: drain)
                let count = data.bytes.count + (isShared ? 0 : palette.colours.count * 3)
                if count < best?.count ?? .max { best = (data, isShared, count) }
            }
        }
        if shared.serves(colours) { try attempt(shared, isShared: true) }
        if let best, best.data.depth <= 4 { return (best.data, true) }
        let own = FilePalette(colours)
        // Only the shorter codes of a small local palette can make up for its size.
        if best == nil || own.colours.count <= 16 { try attempt(own, isShared: false) }
        return (best!.data, best!.isShared)
    }
}

/// The attempts that an effort of 0 to 9 makes for a GIF frame.
private struct GIFEffort {
    let spares: [FrameData.Spare]
    let lookAhead: Int

    init(_ effort: Int, canSkip: Bool) {
        let all: [FrameData.Spare] =
            effort == 0 ? [.skipped] : [.skipped, .drawn, .free]
        // Without pixels to skip, all three give the same data.
        spares = canSkip ? all : [.skipped]
        lookAhead = effort >= 7 ? 3 : effort >= 3 ? 1 : 0
    }
}
