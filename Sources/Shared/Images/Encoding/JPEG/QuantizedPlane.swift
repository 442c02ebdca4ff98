import CKernels
import Formats

/// The coefficients of a plane as whole numbers of steps, in blocks of 8 x 8 samples.
struct QuantizedPlane {
    /// Row by row, 64 coefficients each, row by row.
    let blocks: [Int16]

    /// Quantises a plane for the fewest bits at an equal distance.
    ///
    /// - Parameters:
    ///   - row: where row y begins.
    ///   - steps: 64, row by row.
    ///   - costs: what codes take; nil rounds to the nearest step.
    init(size: PixelSize, row: (Int) -> UnsafePointer<UInt8>, steps: ArraySlice<UInt8>, costs: CodeCosts?) {
        let (columns, rows) = ((size.width + 7) / 8, (size.height + 7) / 8)
        let quantizer = TrellisQuantizer(steps: Array(steps))
        var blocks = [Int16](repeating: 0, count: columns * rows * 64)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { samples in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: 64) { coefficients in
                blocks.withUnsafeMutableBufferPointer { blocks in
                    for place in 0..<columns * rows {
                        let (left, top) = (place % columns * 8, place / columns * 8)
                        // What is missing to a whole block repeats the picture's edge.
                        for y in 0..<8 {
                            let source = row(min(top + y, size.height - 1))
                            for x in 0..<8 { samples[y * 8 + x] = source[min(left + x, size.width - 1)] }
                        }
                        apod_forward_dct(samples.baseAddress!, 8, coefficients.baseAddress!)
                        let block = UnsafeMutableBufferPointer(rebasing: blocks[place * 64..<place * 64 + 64])
                        quantizer.quantize(UnsafeBufferPointer(coefficients), costs, to: block)
                    }
                }
            }
        }
        self.blocks = blocks
    }
}
