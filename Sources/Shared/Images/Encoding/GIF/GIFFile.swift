import Formats
import Support

/// Writes the blocks of a GIF.
final class GIFFile {
    private let size: PixelSize
    private let plays: Int
    private let drain: EncoderOutput
    /// Bytes that are not written yet.
    private var bytes: [UInt8] = []

    /// - Parameter plays: how often the animation is played; 0 repeats it forever.
    init(size: PixelSize, plays: Int, into drain: EncoderOutput) {
        self.size = size
        self.plays = plays
        self.drain = drain
    }

    /// Writes header, logical screen and palette (GIF89a §17 to §19), and the number of plays.
    func putHeader(_ palette: FilePalette) {
        bytes += Array("GIF89a".utf8)
        put16(size.width)
        put16(size.height)
        // A global palette with 8 bits per sample, background index 0 (viewers ignore it), and no pixel aspect ratio.
        bytes += [0xF0 | sizeBits(palette), 0, 0]
        put(colours: palette)
        guard plays != 1 else { return }
        // The extension stores the number of repetitions after the first play, in 16 bits. 0 means forever.
        bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1]
        put16(plays == 0 ? 0 : min(plays - 1, 0xFFFF))
        bytes.append(0)
    }

    /// Writes a frame. See `DrawnFrame` for `delay` and `clearsAfterwards`.
    ///
    /// - Parameter palette: nil for the global palette.
    func put(
        _ data: FrameData, in area: CanvasArea, delay: Int, clearsAfterwards: Bool, palette: FilePalette?
    ) throws {
        // A graphic control extension (GIF89a §23), unless all values are defaults.
        if delay > 0 || clearsAfterwards || data.transparent != nil || plays != 1 {
            let flags: UInt8 = (clearsAfterwards ? 2 : 1) << 2 | (data.transparent == nil ? 0 : 1)
            bytes += [0x21, 0xF9, 4, flags]
            put16(delay)
            bytes += [data.transparent ?? 0, 0]
        }
        // An image descriptor (§20).
        bytes.append(0x2C)
        for number in [area.columns.lowerBound, area.rows.lowerBound, area.columns.count, area.rows.count] {
            put16(number)
        }
        bytes.append(palette.map { 0x80 | sizeBits($0) } ?? 0)
        if let palette { put(colours: palette) }
        // Image data (§22).
        bytes.append(UInt8(data.depth))
        for start in stride(from: 0, to: data.bytes.count, by: 255) {
            let block = data.bytes[start..<min(start + 255, data.bytes.count)]
            bytes.append(UInt8(block.count))
            bytes += block
            if bytes.count > 64 << 10 { try flush() }
        }
        bytes.append(0)
    }

    /// Writes the trailer (GIF89a §27).
    func finish() throws {
        bytes.append(0x3B)
        try flush()
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
