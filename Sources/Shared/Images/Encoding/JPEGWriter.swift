import CCodecs
import Formats

/// Encodes rows of gray or RGB pixels as a JPEG, baseline or progressive; its chroma is 4:2:0 unless told otherwise.
final class JPEGRowWriter: RowWriter {
    private let encoder: JPEGEncoder

    /// - Parameter chroma: luma samples for each chroma sample, across and down.
    init(
        size: PixelSize, channels: Int, options: EncodeOptions, chroma: (across: Int, down: Int) = (2, 2),
        into drain: ByteDrain
    ) throws {
        encoder = try JPEGEncoder(
            size: size, channels: channels, options: options, takesPlanes: false, chroma: chroma, into: drain)
    }

    func write(_ row: UnsafePointer<UInt8>) throws { try encoder.write(row) }

    func finish() throws { try encoder.finish() }
}

/// Encodes planes of gray or YCbCr 4:2:0 as a JPEG, baseline or progressive, without touching colours or resolution:
/// strips of whole blocks, which the caller fills row by row.
final class JPEGPlaneWriter {
    /// Columns and rows of each plane that belong to the picture.
    let planes: [PixelSize]
    /// Rows of each plane in a strip.
    let stripRows: [Int]
    private let encoder: JPEGEncoder
    private let strides: [Int]
    private let buffers: [AlignedBuffer]
    private let pointers: PlaneRowTable

    init(size: PixelSize, isGray: Bool, options: EncodeOptions, into drain: ByteDrain) throws {
        try checkOutput(size, .jpeg)
        let chroma = PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2)
        planes = isGray ? [size] : [size, chroma, chroma]
        stripRows = isGray ? [8] : [16, 8, 8]
        strides = planes.map { roundedUp($0.width, to: 8) }
        buffers = zip(strides, stripRows).map { AlignedBuffer(count: $0 * $1) }
        pointers = PlaneRowTable(rowCounts: stripRows)
        for plane in planes.indices {
            for row in 0..<stripRows[plane] { pointers.set(plane, row, buffers[plane].bytes + row * strides[plane]) }
        }
        encoder = try JPEGEncoder(
            size: size, channels: isGray ? 1 : 3, options: options, takesPlanes: true, chroma: (2, 2), into: drain)
    }

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
        try encoder.write(pointers)
    }

    func finish() throws { try encoder.finish() }
}

/// libjpeg's encoder, which takes either rows or planes.
private final class JPEGEncoder {
    private let encoder: OpaquePointer
    private let drain: ByteDrain

    /// Begins the picture with its metadata.
    init(
        size: PixelSize, channels: Int, options: EncodeOptions, takesPlanes: Bool, chroma: (across: Int, down: Int),
        into drain: ByteDrain
    ) throws {
        guard let encoder = apod_jpeg_encoder_open(drain.output) else { throw ImageError.outOfMemory }
        self.encoder = encoder
        self.drain = drain
        try check(
            apod_jpeg_encoder_start(
                encoder, UInt32(size.width), UInt32(size.height), Int32(channels), Int32(options.quality),
                takesPlanes ? 1 : 0, Int32(chroma.across), Int32(chroma.down), options.isProgressive ? 1 : 0))
        try write(options.metadata, isGray: channels == 1)
    }

    deinit { apod_jpeg_encoder_close(encoder) }

    func write(_ row: UnsafePointer<UInt8>) throws { try check(apod_jpeg_encoder_write_row(encoder, row)) }

    func write(_ rows: PlaneRowTable) throws { try check(apod_jpeg_encoder_write_planes(encoder, rows.planes)) }

    func finish() throws { try check(apod_jpeg_encoder_finish(encoder)) }

    /// Writes the segments behind JFIF's: EXIF (CIPA DC-008 4.7.2) and XMP (XMP part 3, §1.1.3) if they fit one each,
    /// else they are left out, and the profile (ICC.1:2022 B.4).
    private func write(_ metadata: PictureMetadata, isGray: Bool) throws {
        for (prefix, body) in [("Exif\0\0", metadata.exif), ("http://ns.adobe.com/xap/1.0/\0", metadata.xmp)] {
            guard let body, prefix.utf8.count + body.count <= 65_533 else { continue }
            let bytes = Array(prefix.utf8) + body
            try check(apod_jpeg_encoder_write_segment(encoder, 1, bytes, bytes.count))
        }
        if let profile = metadata.profile(isGray: isGray) {
            try check(apod_jpeg_encoder_write_profile(encoder, profile, profile.count))
        }
    }

    private func check(_ status: apod_status) throws { try drain.check(status, apod_jpeg_encoder_message(encoder)) }
}
