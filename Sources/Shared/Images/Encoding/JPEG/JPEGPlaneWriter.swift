import CKernels
import Formats
import Support

/// Encodes gray or YCbCr planes as a JPEG without changing colours or resolution, in strips of whole blocks.
final class JPEGPlaneWriter {
    /// The number of consumed rows of each plane.
    private(set) var done: [Int]
    /// The number of rows of each plane in the current strip.
    private var filled: [Int]
    private let planes: [PixelSize]
    /// The size of a strip of each plane, in whole blocks.
    private let strips: [PixelSize]
    private let samples: [AlignedBuffer]
    private let quantized: [QuantizedPlane]
    private let divisors: [apod_divisors]
    private let writer: any BlockWriter

    init(size: PixelSize, isGray: Bool, coding: JPEGCoding, metadata: PictureMetadata, into drain: EncoderOutput) throws
    {
        try checkOutput(size, .jpeg)
        planes = coding.sampling.planes(of: size, isGray: isGray)
        strips = planes.enumerated().map { plane, size in
            PixelSize(
                width: roundedUp(size.width, to: 8), height: plane == 0 && !isGray ? 8 * coding.sampling.down : 8)
        }
        samples = strips.map { AlignedBuffer(count: $0.width * $0.height) }
        quantized = strips.map { QuantizedPlane(size: $0) }
        divisors = coding.tables.divisors
        done = planes.map { _ in 0 }
        filled = done
        writer = try coding.writer(size: size, isGray: isGray, metadata: metadata, into: drain)
    }

    /// Encodes all complete strips.
    ///
    /// - Parameter available: the number of available rows of each plane.
    func write(available: [Int], row: (_ plane: Int, _ y: Int) -> UnsafePointer<UInt8>) throws {
        while true {
            for plane in planes.indices {
                while filled[plane] < strips[plane].height, done[plane] < min(available[plane], planes[plane].height) {
                    stripRow(plane, filled[plane]).update(from: row(plane, done[plane]), count: planes[plane].width)
                    filled[plane] += 1
                    done[plane] += 1
                }
            }
            let isComplete = planes.indices.allSatisfy {
                filled[$0] == strips[$0].height || done[$0] == planes[$0].height
            }
            guard isComplete, filled.contains(where: { $0 > 0 }) else { return }
            try writer.write(planes.indices.map { quantizeStrip($0) })
            filled = filled.map { _ in 0 }
        }
    }

    private func stripRow(_ plane: Int, _ y: Int) -> UnsafeMutablePointer<UInt8> {
        samples[plane].bytes + y * strips[plane].width
    }

    /// Quantises the blocks of the strip.
    private func quantizeStrip(_ plane: Int) -> BlockRows {
        // Completes blocks by repeating the edge, which costs the fewest bits.
        let (width, count) = (planes[plane].width, filled[plane])
        for y in 0..<count {
            let row = stripRow(plane, y)
            (row + width).update(repeating: row[width - 1], count: strips[plane].width - width)
        }
        let rows = (count + 7) / 8
        for row in 0..<rows {
            let samples = (8 * row..<8 * row + 8).map { UnsafePointer(stripRow(plane, min($0, count - 1))) as Optional }
            divisors.withUnsafeBufferPointer {
                quantized[plane].quantize(samples, $0.baseAddress! + min(plane, 1), row: row)
            }
        }
        return quantized[plane].rows(from: 0, count: rows)
    }

    func finish() throws { try writer.finish() }
}
