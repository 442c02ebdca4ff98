import Support

/// Writes the frames of a GIF. Holds the first frames until a shared palette is chosen, and compresses each frame in
/// several ways to find the shortest data.
final class GIFOutput {
    private let width: Int
    private let height: Int
    private let plays: Int
    private let effort: Int
    private let drain: ByteDrain
    /// The global palette; nil before the first frame is written.
    private var shared: FilePalette?
    private var held: [(frame: DrawnFrame, colours: FrameColours)] = []
    private var heldPixels = 0
    /// Bytes that are not written yet.
    private var bytes: [UInt8] = []

    /// The limit of pixels in held frames: 10 MB.
    private static let mostHeldPixels = 1 << 21

    /// - Parameters:
    ///   - plays: 0 is infinite, as in `AnimationReader.plays`.
    ///   - effort: 0 to 9.
    init(width: Int, height: Int, plays: Int, effort: Int, into drain: ByteDrain) {
        self.width = width
        self.height = height
        self.plays = plays
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
        // The trailer (GIF89a §27).
        bytes.append(0x3B)
        try flush()
    }

    private func putHeld() throws {
        guard shared == nil else { return }
        let shared = FilePalette(sharedBy: held.map(\.colours))
        self.shared = shared
        putHeader(shared)
        for (frame, colours) in held { try put(frame, colours) }
        held = []
    }

    /// Writes header, logical screen and palette (GIF89a §17 to §19), and the number of plays.
    private func putHeader(_ palette: FilePalette) {
        bytes += Array("GIF89a".utf8)
        put16(width)
        put16(height)
        // 8 bits per sample. Viewers ignore the background colour.
        bytes += [0xF0 | sizeBits(palette), 0, 0]
        put(colours: palette)
        guard plays != 1 else { return }
        // The extension stores the repetitions after the first play, in 16 bits; 0 is infinite.
        bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1]
        put16(plays == 0 ? 0 : min(plays - 1, 0xFFFF))
        bytes.append(0)
    }

    private func put(_ frame: DrawnFrame, _ colours: FrameColours) throws {
        guard let shared else { return }
        let data = try shortest(frame, colours, shared)
        let own = data.isShared ? nil : data.data.palette
        // A graphic control extension (GIF89a §23), unless it would have only defaults.
        if frame.delay > 0 || frame.clearsAfterwards || data.data.transparent != nil || plays != 1 {
            let flags: UInt8 = (frame.clearsAfterwards ? 2 : 1) << 2 | (data.data.transparent == nil ? 0 : 1)
            bytes += [0x21, 0xF9, 4, flags]
            put16(frame.delay)
            bytes += [data.data.transparent ?? 0, 0]
        }
        // An image descriptor (§20).
        bytes.append(0x2C)
        put16(frame.area.columns.lowerBound)
        put16(frame.area.rows.lowerBound)
        put16(frame.area.columns.count)
        put16(frame.area.rows.count)
        bytes.append(own.map { 0x80 | sizeBits($0) } ?? 0)
        if let own { put(colours: own) }
        // Image data (§22).
        bytes.append(UInt8(data.data.depth))
        for start in stride(from: 0, to: data.data.bytes.count, by: 255) {
            let block = data.data.bytes[start..<min(start + 255, data.data.bytes.count)]
            bytes.append(UInt8(block.count))
            bytes += block
            if bytes.count > 64 << 10 { try flush() }
        }
        bytes.append(0)
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

    private func sizeBits(_ palette: FilePalette) -> UInt8 { UInt8(palette.colours.count.trailingZeroBitCount - 1) }

    private func put(colours palette: FilePalette) {
        for colour in palette.colours { bytes += [UInt8(colour.red), UInt8(colour.green), UInt8(colour.blue)] }
    }

    private func put16(_ number: Int) { bytes += [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)] }

    private func flush() throws {
        let gathered = bytes
        bytes = []
        try drain.write(gathered.span.bytes)
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
