import CCodecs
import Formats
import Support

/// Encodes gray or YCbCr planes as a JPEG without changing colours or resolution, in strips of whole blocks.
final class JPEGPlaneWriter {
    /// The number of consumed rows of each plane.
    private(set) var done: [Int]
    /// The number of rows of each plane in the current strip.
    private var filled: [Int]
    private let planes: [PixelSize]
    private let stripRows: [Int]
    private let encoder: JPEGEncoder
    private let strides: [Int]
    private let buffers: [AlignedBuffer]
    private let pointers: PlaneRowTable

    init(size: PixelSize, isGray: Bool, coding: JPEGCoding, metadata: PictureMetadata, into drain: EncoderOutput) throws
    {
        try checkOutput(size, .jpeg)
        planes = coding.sampling.planes(of: size, isGray: isGray)
        stripRows = isGray ? [8] : [8 * coding.sampling.down, 8, 8]
        strides = planes.map { roundedUp($0.width, to: 8) }
        buffers = zip(strides, stripRows).map { AlignedBuffer(count: $0 * $1) }
        done = planes.map { _ in 0 }
        filled = done
        pointers = PlaneRowTable(rowCounts: stripRows)
        for plane in planes.indices {
            for row in 0..<stripRows[plane] { pointers.set(plane, row, buffers[plane].bytes + row * strides[plane]) }
        }
        encoder = try JPEGEncoder(
            size: size, channels: isGray ? 1 : 3, from: APOD_JPEG_FROM_PLANES, coding: coding, metadata: metadata,
            into: drain)
    }

    /// Encodes all complete strips.
    ///
    /// - Parameter available: the number of available rows of each plane.
    func write(available: [Int], row: (_ plane: Int, _ y: Int) -> UnsafePointer<UInt8>) throws {
        while true {
            for plane in planes.indices {
                while filled[plane] < stripRows[plane] && done[plane] < min(available[plane], planes[plane].height) {
                    stripRow(plane, filled[plane]).update(from: row(plane, done[plane]), count: planes[plane].width)
                    filled[plane] += 1
                    done[plane] += 1
                }
            }
            let isComplete = planes.indices.allSatisfy { filled[$0] == stripRows[$0] || done[$0] == planes[$0].height }
            guard isComplete, filled.contains(where: { $0 > 0 }) else { return }
            pad()
            try encoder.write(pointers)
            filled = filled.map { _ in 0 }
        }
    }

    private func stripRow(_ plane: Int, _ y: Int) -> UnsafeMutablePointer<UInt8> {
        buffers[plane].bytes + y * strides[plane]
    }

    /// Completes the blocks of the strip by repeating the edge, which costs the fewest bits.
    private func pad() {
        for plane in planes.indices where filled[plane] > 0 {
            let width = planes[plane].width
            for y in 0..<filled[plane] {
                let samples = stripRow(plane, y)
                (samples + width).update(repeating: samples[width - 1], count: strides[plane] - width)
            }
            for y in filled[plane]..<stripRows[plane] {
                stripRow(plane, y).update(from: stripRow(plane, filled[plane] - 1), count: strides[plane])
            }
        }
    }

    func finish() throws { try encoder.finish() }
}
