import CKernels
import Formats
import Support

/// The quantised coefficients of a plane, in blocks of 8 x 8 samples.
final class QuantizedPlane {
    private let columns: Int
    private let rows: Int
    private let coefficients: AlignedBuffer
    private let nonzero: AlignedBuffer
    private static let level = apod_kernel_best()

    /// - Parameter size: in samples.
    init(size: PixelSize) {
        (columns, rows) = ((size.width + 7) / 8, (size.height + 7) / 8)
        coefficients = AlignedBuffer(count: columns * rows * 128)
        nonzero = AlignedBuffer(count: columns * rows * 8)
    }

    /// Blocks in row-major order, with 64 coefficients each, also row-major.
    var blocks: UnsafeMutableBufferPointer<Int16> {
        UnsafeMutableBufferPointer(start: coefficients.wide, count: columns * rows * 64)
    }

    /// For each block, a number whose bit i is set if coefficient i is not 0.
    private var bits: UnsafeMutablePointer<UInt64> {
        UnsafeMutableRawPointer(nonzero.bytes).assumingMemoryBound(to: UInt64.self)
    }

    /// Returns at most `count` rows of blocks.
    func rows(from first: Int, count: Int) -> BlockRows {
        BlockRows(
            blocks: coefficients.wide + first * columns * 64, nonzero: bits + first * columns, columns: columns,
            count: min(count, rows - first))
    }

    /// Quantises a row of blocks to the nearest steps.
    ///
    /// - Parameter samples: 8 rows, whose width is a multiple of 8.
    func quantize(
        _ samples: UnsafePointer<UnsafePointer<UInt8>?>, _ divisors: UnsafePointer<apod_divisors>, row: Int
    ) {
        apod_quantize(
            Self.level, samples, columns, divisors, coefficients.wide + row * columns * 64, bits + row * columns)
    }

    /// Quantises a plane with the best trade-off between bits and distortion (`TrellisQuantizer`).
    ///
    /// - Parameters:
    ///   - row: returns the address of row y.
    ///   - steps: 64 quantisation steps, row-major.
    ///   - costs: the costs of the codes; nil rounds to the nearest step.
    convenience init(
        size: PixelSize, row: (Int) -> UnsafePointer<UInt8>, steps: ArraySlice<UInt8>, costs: CodeCosts?
    ) {
        self.init(size: size)
        let quantizer = TrellisQuantizer(steps: Array(steps))
        let (blocks, bits) = (blocks, bits)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { samples in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: 64) { coefficients in
                for place in 0..<columns * rows {
                    let (left, top) = (place % columns * 8, place / columns * 8)
                    // Pads blocks by repeating the edge.
                    for y in 0..<8 {
                        let source = row(min(top + y, size.height - 1))
                        for x in 0..<8 { samples[y * 8 + x] = source[min(left + x, size.width - 1)] }
                    }
                    apod_forward_dct(samples.baseAddress!, 8, coefficients.baseAddress!)
                    let block = UnsafeMutableBufferPointer(rebasing: blocks[place * 64..<place * 64 + 64])
                    quantizer.quantize(UnsafeBufferPointer(coefficients), costs, to: block)
                    for coefficient in 0..<64 where block[coefficient] != 0 { bits[place] |= 1 << UInt64(coefficient) }
                }
            }
        }
    }
}

/// Rows of blocks of a plane. The memory belongs to the plane.
struct BlockRows {
    /// 64 coefficients per block, row-major.
    let blocks: UnsafePointer<Int16>
    /// For each block, a number whose bit i is set if coefficient i is not 0.
    let nonzero: UnsafePointer<UInt64>
    let columns: Int
    let count: Int
}
