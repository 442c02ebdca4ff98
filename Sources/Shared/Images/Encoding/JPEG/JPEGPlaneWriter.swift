import CCodecs
import Formats
import Support

/// Encodes gray or YCbCr planes as a JPEG without changing colours or resolution, in strips of whole blocks that the
/// caller fills row by row.
final class JPEGPlaneWriter {
    /// The size of each plane, without padding.
    let planes: [PixelSize]
    let stripRows: [Int]
    private let encoder: JPEGEncoder
    private let strides: [Int]
    private let buffers: [AlignedBuffer]
    private let pointers: PlaneRowTable

    init(size: PixelSize, isGray: Bool, coding: JPEGCoding, metadata: PictureMetadata, into drain: ByteDrain) throws {
        try checkOutput(size, .jpeg)
        let sampling = coding.sampling
        let chroma = sampling.chroma(of: size)
        planes = isGray ? [size] : [size, chroma, chroma]
        stripRows = isGray ? [8] : [8 * sampling.down, 8, 8]
        strides = planes.map { roundedUp($0.width, to: 8) }
        buffers = zip(strides, stripRows).map { AlignedBuffer(count: $0 * $1) }
        pointers = PlaneRowTable(rowCounts: stripRows)
        for plane in planes.indices {
            for row in 0..<stripRows[plane] { pointers.set(plane, row, buffers[plane].bytes + row * strides[plane]) }
        }
        encoder = try JPEGEncoder(
            size: size, channels: isGray ? 1 : 3, from: APOD_JPEG_FROM_PLANES, coding: coding, metadata: metadata,
            into: drain)
    }

    /// Returns the address of a row of the strip.
    func row(_ plane: Int, _ row: Int) -> UnsafeMutablePointer<UInt8> { buffers[plane].bytes + row * strides[plane] }

    /// Encodes the strip after `rows` rows of each plane have been filled. Pads blocks by repeating the edge, which
    /// costs the fewest bits.
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
