import CGIF
import Support

/// The blocks of a GIF, written by giflib, which also compresses: nothing of it is kept in memory.
final class GIFOutput {
    /// What a graphic control extension says (GIF89a §23).
    struct Control {
        /// In hundredths of a second, at most 65,535.
        var delay: Int
        /// Whether the frame's rectangle becomes transparent when its time is over; else it stays.
        var clearsAfterwards: Bool
        var transparent: UInt8?
    }

    private let output: Output
    private var file: UnsafeMutablePointer<GifFileType>?

    /// Gathers the small pieces that giflib writes.
    private final class Output {
        let drain: ByteDrain
        var bytes: [UInt8] = []
        var failure: (any Error)?
        /// Set when nothing more may go to the drain: the file is closed only to free its memory.
        var isAbandoned = false

        init(_ drain: ByteDrain) {
            self.drain = drain
            bytes.reserveCapacity(72 << 10)
        }

        func write(_ pointer: UnsafePointer<UInt8>, _ count: Int) -> Bool {
            if isAbandoned { return true }
            bytes.append(contentsOf: UnsafeBufferPointer(start: pointer, count: count))
            return bytes.count < 64 << 10 || flush()
        }

        func flush() -> Bool {
            do {
                try drain.write(bytes.span.bytes)
                bytes.removeAll(keepingCapacity: true)
                return true
            } catch {
                failure = error
                return false
            }
        }
    }

    /// Writes the header, the global palette, and how often the animation is played, if that is not once.
    ///
    /// - Parameter plays: 0 for ever, 1 for once, as `AnimationReader.plays` counts.
    init(width: Int, height: Int, palette: IndexedPalette, plays: Int, into drain: ByteDrain) throws {
        output = Output(drain)
        var code: Int32 = 0
        let opened = EGifOpen(
            Unmanaged.passUnretained(output).toOpaque(),
            { file, bytes, count in
                let output = Unmanaged<Output>.fromOpaque(file!.pointee.UserData).takeUnretainedValue()
                return output.write(bytes!, Int(count)) ? count : 0
            }, &code)
        guard let file = opened else { throw ImageError.outOfMemory }
        self.file = file
        EGifSetGifVersion(file, true)
        try Self.withMap(palette) { try check(EGifPutScreenDesc(file, Int32(width), Int32(height), 8, 0, $0)) }
        if plays != 1 {
            // The extension stores the repetitions after the first showing, in 16 bits; 0 is for ever.
            let repetitions = plays == 0 ? 0 : min(plays - 1, 0xFFFF)
            let count = [1, UInt8(repetitions & 0xFF), UInt8(repetitions >> 8)]
            try check(EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE))
            try check(EGifPutExtensionBlock(file, 11, Array("NETSCAPE2.0".utf8)))
            try check(EGifPutExtensionBlock(file, Int32(count.count), count))
            try check(EGifPutExtensionTrailer(file))
        }
    }

    deinit {
        guard let file else { return }
        output.isAbandoned = true
        var code: Int32 = 0
        EGifCloseFile(file, &code)
    }

    /// Writes a frame: palette numbers of `area`, row by row.
    ///
    /// - Parameter palette: the frame's own; nil if it uses the global one.
    func writeFrame(
        _ area: CanvasArea, _ numbers: inout [UInt8], palette: IndexedPalette?, _ control: Control,
        checking interruption: Interruption
    ) throws {
        let flags = (control.clearsAfterwards ? 2 : 1) << 2 | (control.transparent == nil ? 0 : 1)
        let block = [
            UInt8(flags), UInt8(control.delay & 0xFF), UInt8(control.delay >> 8 & 0xFF), control.transparent ?? 0,
        ]
        try check(EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, Int32(block.count), block))
        let (left, top) = (Int32(area.columns.lowerBound), Int32(area.rows.lowerBound))
        let (width, height) = (Int32(area.columns.count), Int32(area.rows.count))
        if let palette {
            try Self.withMap(palette) { try check(EGifPutImageDesc(file, left, top, width, height, false, $0)) }
        } else {
            // giflib forgets the palette of the frame before without freeing it.
            if let file, let map = file.pointee.Image.ColorMap {
                GifFreeMapObject(map)
                file.pointee.Image.ColorMap = nil
            }
            try check(EGifPutImageDesc(file, left, top, width, height, false, nil))
        }
        try numbers.withUnsafeMutableBufferPointer { numbers in
            for line in 0..<area.rows.count {
                if line % 64 == 0 { try interruption.check() }
                try check(EGifPutLine(file, numbers.baseAddress! + line * area.columns.count, width))
            }
        }
    }

    /// Writes the trailer and what is still gathered.
    func finish() throws {
        guard let file else { return }
        self.file = nil
        var code: Int32 = 0
        guard EGifCloseFile(file, &code) == GIF_OK, output.flush() else { throw failure(code) }
    }

    private func check(_ status: Int32) throws {
        guard status == GIF_OK else { throw failure(file?.pointee.Error ?? 0) }
    }

    private func failure(_ code: Int32) -> any Error {
        if let failure = output.failure { return failure }
        if code == E_GIF_ERR_NOT_ENOUGH_MEM { return ImageError.outOfMemory }
        return ImageError.encoder(.gif, GifErrorString(code).map { String(cString: $0) } ?? "giflib's error \(code)")
    }

    /// Palettes have a power of two of colours; what is missing is black.
    private static func withMap(
        _ palette: IndexedPalette, _ body: (UnsafeMutablePointer<ColorMapObject>) throws -> Void
    ) throws {
        var count = 2
        while count < palette.count { count *= 2 }
        var colours = [GifColorType](repeating: GifColorType(Red: 0, Green: 0, Blue: 0), count: count)
        for (index, colour) in palette.colours.enumerated() {
            colours[index] = GifColorType(
                Red: UInt8(colour.red), Green: UInt8(colour.green), Blue: UInt8(colour.blue))
        }
        guard let map = GifMakeMapObject(Int32(count), colours) else { throw ImageError.outOfMemory }
        defer { GifFreeMapObject(map) }
        try body(map)
    }
}
