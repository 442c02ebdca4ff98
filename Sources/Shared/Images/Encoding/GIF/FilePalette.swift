/// A palette as stored in a GIF.
struct FilePalette {
    /// 2 to 256 colours, padded with black to a power of two.
    let colours: [PackedColour]
    private let table: ColourTable

    /// - Parameter room: the minimum number of indices.
    private init(_ ordered: [PackedColour], room: Int) {
        var table = ColourTable()
        for colour in ordered { _ = table.insert(colour) }
        var count = 2
        while count < max(ordered.count, min(room, 256)) { count *= 2 }
        let black = PackedColour(red: 0, green: 0, blue: 0)
        colours = ordered + Array(repeating: black, count: count - ordered.count)
        self.table = table
    }

    /// Creates a palette with the same indices as `palette`.
    init(_ palette: IndexedPalette) { self.init(palette.colours, room: palette.count) }

    /// Creates a palette for a frame. Includes the spare colours that fit without doubling the size of the palette.
    init(_ frame: FrameColours) {
        let needed = frame.needed.colours
        let spare = frame.spare.colours.filter { frame.needed.index(of: $0) == nil }
        let count = needed.count + (frame.canSkip ? 1 : 0)
        var room = 2
        while room < min(count, 256) { room *= 2 }
        // A frame of 256 colours draws all its pixels, so all its colours are included.
        let kept = count > 256 ? spare : Array(spare.prefix(room - count))
        self.init(needed + kept, room: count)
    }

    /// Creates a palette for as many frames as possible: adds frames in order, and omits a frame if not all of its
    /// colours fit. Colours of many frames get the lowest indices, so that frames with few colours have short codes.
    init(sharedBy frames: [FrameColours]) {
        var shared = ColourTable()
        var uses: [Int] = []
        var room = 0
        for frame in frames {
            let needed = frame.needed.colours
            let added = needed.count { shared.index(of: $0) == nil }
            guard shared.colours.count + added <= 256 else { continue }
            for colour in needed {
                if let index = shared.index(of: colour) {
                    uses[Int(index)] += 1
                } else {
                    _ = shared.insert(colour)
                    uses.append(1)
                }
            }
            room = max(room, needed.count + (frame.canSkip ? 1 : 0))
        }
        // Colours with equal counts keep their order.
        let order = uses.indices.sorted { (uses[$1], $0) < (uses[$0], $1) }
        self.init(order.map { shared.colours[$0] }, room: room)
    }

    func index(of colour: PackedColour) -> UInt8? { table.index(of: colour) }

    /// Returns the lowest index that a frame does not draw, to use for skipped pixels. Returns nil if the frame draws
    /// all indices, or if all its pixels must be drawn.
    func transparent(in frame: FrameColours) -> UInt8? {
        guard frame.canSkip else { return nil }
        let drawn = Set(frame.needed.colours.compactMap { index(of: $0) })
        return colours.indices.lazy.map { UInt8($0) }.first { !drawn.contains($0) }
    }

    /// Whether a frame with these colours can be drawn with this palette.
    func serves(_ frame: FrameColours) -> Bool {
        guard frame.needed.colours.allSatisfy({ index(of: $0) != nil }) else { return false }
        return !frame.canSkip || transparent(in: frame) != nil
            || !frame.skipsPixels && frame.spare.colours.allSatisfy { index(of: $0) != nil }
    }
}

struct FrameColours {
    /// The colours of changed pixels.
    var needed = ColourTable()
    /// The first 256 colours of unchanged pixels. Unchanged pixels of other colours, or of colours that the palette
    /// lacks, are skipped.
    var spare = ColourTable()
    /// Whether some pixels must be skipped.
    var skipsPixels = false

    /// Whether some pixels need not be drawn.
    var canSkip: Bool { skipsPixels || !spare.colours.isEmpty }

    init(_ frame: DrawnFrame) {
        var last = PackedColour.transparent
        var lastIsChanged = false
        for (pixel, isChanged) in zip(frame.pixels, frame.isChanged) where pixel != last || isChanged != lastIsChanged {
            (last, lastIsChanged) = (pixel, isChanged)
            if isChanged {
                _ = needed.insert(pixel)
            } else if pixel.isTransparent || !spare.insert(pixel) {
                skipsPixels = true
            }
        }
        if frame.pixels.first == .transparent { skipsPixels = true }
    }
}
