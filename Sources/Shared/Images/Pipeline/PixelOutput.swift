import Formats
import Support

/// The results of analysing the first frame of an animation. All frames use the same results, so that the picture does
/// not jump between frames.
final class FirstFrame {
    /// The position of the crop.
    var cut: (left: Int, top: Int)?
    var backdrop: BackdropRows?
}

/// Processes an output's pixels: rotates them upright, crops them, applies effects, and encodes them.
///
/// Rows are processed as they arrive. Outputs that are rotated, cropped by their content, or placed on a backdrop are
/// collected first.
final class PixelOutput: PixelConsumer {
    /// Creates the encoder for upright rows of this size and number of channels.
    typealias MakeWriter = (PixelSize, Int) throws -> any RowWriter

    private let output: Output
    private let placement: Placement
    private let orientation: Orientation
    private let channels: Int
    private let options: DecodeOptions
    private let firstFrame: FirstFrame
    private let effects: RowEffects
    private let writer: any RowWriter
    private let gathers: Bool
    private var gathered: [UInt8] = []
    private var memory: [MemoryReservation] = []
    private var hasher: PlaceholderHasher?
    private var y = 0

    /// - Parameters:
    ///   - channels: the channels of the input rows: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha. Alpha is
    ///     straight.
    ///   - firstFrame: shared by all frames of an animation.
    init(
        _ output: Output, placement: Placement, orientation: Orientation, channels: Int, options: DecodeOptions,
        firstFrame: FirstFrame, makeWriter: MakeWriter
    ) throws {
        self.output = output
        self.placement = placement
        self.orientation = orientation
        self.channels = channels
        self.options = options
        self.firstFrame = firstFrame
        effects = RowEffects(
            channels: placement.inset == nil ? channels : max(channels, 3), size: placement.target,
            gradient: output.gradient, cornerRadius: output.cornerRadius * placement.share,
            background: output.encoding.format.hasAlpha ? nil : output.encoding.ground)
        let collected = output.byteLimit == nil ? 0 : effects.channels
        let perPixel = output.encoding.bytesPerPixel(of: placement.target) + collected
        memory.append(try options.reserve(memory: placement.target, bytesPerPixel: perPixel))
        writer = try makeWriter(placement.target, effects.channels)
        hasher = output.wantsHash ? PlaceholderHasher(size: placement.target) : nil
        gathers = orientation != .upright || placement.rendered != placement.target
        if gathers {
            // Memory for the rows, and for their rotated or cropped copy.
            let held = try options.reserve(memory: placement.rendered, bytesPerPixel: channels * 2)
            gathered.reserveCapacity(held.bytes / 2)
            memory.append(held)
        }
    }

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
        if placement.inset != nil { return try emit(pixels, onBackdropOf: placement.target) }
        let (left, top) = placement.cover == nil ? (0, 0) : firstFrame.cut ?? cut(pixels)
        firstFrame.cut = (left, top)
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

    /// Writes the backdrop at the size of the output, and centres the smaller picture on it.
    private func emit(_ picture: PixelBuffer, onBackdropOf target: PixelSize) throws {
        let backdrop = firstFrame.backdrop ?? BackdropRows(output.backdrop, of: picture, size: target)
        firstFrame.backdrop = backdrop
        let (left, top) = ((target.width - picture.size.width) / 2, (target.height - picture.size.height) / 2)
        let samples = max(channels, 3)
        let row = AlignedBuffer(count: target.width * samples)
        for y in 0..<target.height {
            if y % 64 == 0 { try options.check() }
            backdrop.write(y, to: row.bytes, channels: samples)
            if (0..<picture.size.height).contains(y - top) {
                lay(picture, row: y - top, over: row.bytes + left * samples, samples: samples)
            }
            try emit(row.bytes)
        }
    }

    /// Composes a row over an opaque row of 3 or 4 samples per pixel.
    private func lay(_ picture: PixelBuffer, row y: Int, over row: UnsafeMutablePointer<UInt8>, samples: Int) {
        for x in 0..<picture.size.width {
            let pixel = (y * picture.size.width + x) * channels
            let alpha = picture.hasAlpha ? Int(picture.bytes[pixel + channels - 1]) : 255
            for c in 0..<3 {
                let above = Int(picture.bytes[pixel + (channels < 3 ? 0 : c)])
                let below = Int(row[x * samples + c])
                row[x * samples + c] = UInt8((above * alpha + below * (255 - alpha) + 127) / 255)
            }
        }
    }

    /// Returns the position of the crop that the saliency selects.
    private func cut(_ pixels: PixelBuffer) -> (left: Int, top: Int) {
        let spare = (x: pixels.size.width - placement.target.width, y: pixels.size.height - placement.target.height)
        guard let saliency = output.geometry.saliency else { return (spare.x / 2, spare.y / 2) }
        // At most one side of the rendered picture is longer than the crop.
        let isWide = spare.x > 0
        let (target, rendered) =
            isWide ? (placement.target.width, pixels.size.width) : (placement.target.height, pixels.size.height)
        let share = saliency.cropOffset(
            in: pixels.averaged(atMost: 256), keeping: Double(target) / Double(rendered),
            along: isWide ? .horizontal : .vertical)
        let offset = Int((Double(rendered - target) * share).rounded())
        return isWide ? (offset, 0) : (0, offset)
    }

    /// Writes an upright row of the output.
    private func emit(_ row: UnsafeMutablePointer<UInt8>) throws {
        let shown = effects.apply(row, y)
        y += 1
        hasher?.add(shown, channels: effects.channels)
        try writer.write(shown)
    }
}
