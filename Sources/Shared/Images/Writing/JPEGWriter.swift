import CCodecs
import Formats

/// Encodes rows of gray or RGB pixels as a baseline JPEG; its chroma is 4:2:0 unless told otherwise.
final class JPEGRowWriter: RowWriter {
    private let encoder: OpaquePointer
    private let drain: ByteDrain

    /// - Parameter chroma: luma samples for each chroma sample, across and down.
    init(
        size: PixelSize, channels: Int, quality: Int, chroma: (across: Int, down: Int) = (2, 2), into drain: ByteDrain
    ) throws {
        self.drain = drain
        guard let encoder = apod_jpeg_encoder_open(drain.output) else { throw ImageError.outOfMemory }
        self.encoder = encoder
        try check(
            apod_jpeg_encoder_start(
                encoder, UInt32(size.width), UInt32(size.height), Int32(channels), Int32(quality), 0,
                Int32(chroma.across), Int32(chroma.down)))
    }

    deinit { apod_jpeg_encoder_close(encoder) }

    func write(_ row: UnsafePointer<UInt8>) throws { try check(apod_jpeg_encoder_write_row(encoder, row)) }

    func finish() throws { try check(apod_jpeg_encoder_finish(encoder)) }

    private func check(_ status: apod_status) throws { try drain.check(status, apod_jpeg_encoder_message(encoder)) }
}

/// Encodes planes of gray or YCbCr 4:2:0 as a baseline JPEG, without touching colours or resolution: strips of whole
/// blocks, which the caller fills row by row.
final class JPEGPlaneWriter {
    /// Columns and rows of each plane that belong to the picture.
    let planes: [PixelSize]
    /// Rows of each plane in a strip.
    let stripRows: [Int]
    private let encoder: OpaquePointer
    private let drain: ByteDrain
    private let strides: [Int]
    private let buffers: [AlignedBuffer]
    private let pointers: PlaneRowTable

    init(size: PixelSize, isGray: Bool, quality: Int, into drain: ByteDrain) throws {
        try checkOutput(size, .jpeg)
        self.drain = drain
        let chroma = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        planes = isGray ? [size] : [size, chroma, chroma]
        stripRows = isGray ? [8] : [16, 8, 8]
        strides = planes.map { roundedUp($0.width, to: 8) }
        buffers = zip(strides, stripRows).map { AlignedBuffer(count: $0 * $1) }
        pointers = PlaneRowTable(rowCounts: stripRows)
        for plane in planes.indices {
            for row in 0..<stripRows[plane] { pointers.set(plane, row, buffers[plane].bytes + row * strides[plane]) }
        }
        guard let encoder = apod_jpeg_encoder_open(drain.output) else { throw ImageError.outOfMemory }
        self.encoder = encoder
        try check(
            apod_jpeg_encoder_start(
                encoder, UInt32(size.width), UInt32(size.height), isGray ? 1 : 3, Int32(quality), 1, 2, 2))
    }

    deinit { apod_jpeg_encoder_close(encoder) }

    /// Where row `row` of the strip goes, in plane `plane`.
    func row(_ plane: Int, _ row: Int) -> UnsafeMutablePointer<UInt8> { buffers[plane].bytes + row * strides[plane] }

    /// Encodes the strip, of which `rows` rows of each plane have been filled. What is missing to whole blocks repeats
    /// the picture's edge, which costs the fewest bits.
    func writeStrip(filled rows: [Int]) throws {
        for plane in planes.indices {
            let width = planes[plane].width
            for y in 0..<rows[plane] where width < strides[plane] {
                let samples = row(plane, y)
                (samples + width).update(repeating: samples[width - 1], count: strides[plane] - width)
            }
            guard rows[plane] > 0 else { continue }
            for y in rows[plane]..<max(stripRows[plane], rows[plane]) {
                row(plane, y).update(from: row(plane, rows[plane] - 1), count: strides[plane])
            }
        }
        try check(apod_jpeg_encoder_write_planes(encoder, pointers.planes))
    }

    func finish() throws { try check(apod_jpeg_encoder_finish(encoder)) }

    private func check(_ status: apod_status) throws { try drain.check(status, apod_jpeg_encoder_message(encoder)) }
}
