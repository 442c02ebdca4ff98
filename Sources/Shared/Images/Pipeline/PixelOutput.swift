import Formats

/// Where an output is cut, once its pixels have decided: an animation's first frame does for all, or it would shake.
final class CutPlace {
    var place: (left: Int, top: Int)?
}

/// What is done to an output's pixels: they are turned upright and cut, effects are laid on, and they are encoded.
///
/// Rows go through as they come; only an output that is turned, or whose cut the pixels decide, is gathered first.
final class PixelOutput {
    /// Makes the encoder for upright rows of that size and that many channels.
    typealias MakeWriter = (PixelSize, Int) throws -> any RowWriter

    private let output: Output
    private let placement: Placement
    private let orientation: Orientation
    private let channels: Int
    private let options: DecodeOptions
    private let cutPlace: CutPlace
    private let effects: RowEffects
    private let writer: any RowWriter
    private let gathers: Bool
    private var gathered: [UInt8] = []
    private var memory: [MemoryReservation] = []
    private var hasher: PlaceholderHasher?
    private var y = 0

    /// - Parameters:
    ///   - channels: of the rows that come: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha, straight.
    ///   - cutPlace: where the frame before was cut, which this one is, too.
    init(
        _ output: Output, placement: Placement, orientation: Orientation, channels: Int, options: DecodeOptions,
        cutPlace: CutPlace, makeWriter: MakeWriter
    ) throws {
        self.output = output
        self.placement = placement
        self.orientation = orientation
        self.channels = channels
        self.options = options
        self.cutPlace = cutPlace
        effects = RowEffects(
            channels: channels, size: placement.target, gradient: output.gradient,
            cornerRadius: output.cornerRadius * placement.share,
            background: output.encoding.format.hasAlpha ? nil : output.encoding.background)
        let perPixel = output.encoding.bytesPerPixel + (output.byteLimit == nil ? 0 : effects.channels)
        memory.append(try options.reserve(memory: placement.target, bytesPerPixel: perPixel))
        writer = try makeWriter(placement.target, effects.channels)
        hasher = output.wantsHash ? PlaceholderHasher(size: placement.target) : nil
        gathers = orientation != .upright || placement.cover != nil
        if gathers {
            // The rows, and their turned or cut copy.
            let held = try options.reserve(memory: placement.rendered, bytesPerPixel: channels * 2)
            gathered.reserveCapacity(held.bytes / 2)
            memory.append(held)
        }
    }

    /// Takes the next row as it is stored; it may be written to.
    func write(_ row: UnsafeMutablePointer<UInt8>) throws {
        guard gathers else { return try emit(row) }
        let width = orientation.swapsAxes ? placement.rendered.height : placement.rendered.width
        gathered.append(contentsOf: UnsafeBufferPointer(start: row, count: width * channels))
    }

    func finish() throws -> PlaceholderHash? {
        if gathers { try emitGathered() }
        try writer.finish()
        return hasher?.finish()
    }

    private func emitGathered() throws {
        let stored = orientation.swapsAxes ? placement.rendered.swapped : placement.rendered
        let pixels = PixelBuffer(size: stored, channels: channels, bytes: gathered).upright(from: orientation)
        gathered = []
        let (left, top) = placement.cover == nil ? (0, 0) : cutPlace.place ?? cut(pixels)
        cutPlace.place = (left, top)
        let target = placement.target
        let row = AlignedBuffer(count: target.width * channels)
        try pixels.bytes.withUnsafeBufferPointer { bytes in
            for y in 0..<target.height {
                if y % 64 == 0 { try options.check() }
                let start = ((top + y) * pixels.size.width + left) * channels
                row.bytes.update(from: bytes.baseAddress! + start, count: target.width * channels)
                try emit(row.bytes)
            }
        }
    }

    /// Where the part begins that is worth most.
    private func cut(_ pixels: PixelBuffer) -> (left: Int, top: Int) {
        let spare = (x: pixels.size.width - placement.target.width, y: pixels.size.height - placement.target.height)
        guard let saliency = output.geometry.gravity.saliency else { return (spare.x / 2, spare.y / 2) }
        // One of them is nothing: what is looked at covers the cut along one side exactly.
        let isWide = spare.x > 0
        let kept =
            isWide
            ? Double(placement.target.width) / Double(pixels.size.width)
            : Double(placement.target.height) / Double(pixels.size.height)
        let share = saliency.cropOffset(
            in: pixels.averaged(atMost: 256), keeping: kept, along: isWide ? .horizontal : .vertical)
        return isWide
            ? (Int((Double(spare.x) * share).rounded()), 0) : (0, Int((Double(spare.y) * share).rounded()))
    }

    /// An upright row of the output.
    private func emit(_ row: UnsafeMutablePointer<UInt8>) throws {
        let shown = effects.apply(row, y)
        y += 1
        hasher?.add(shown, channels: effects.channels)
        try writer.write(shown)
    }
}
