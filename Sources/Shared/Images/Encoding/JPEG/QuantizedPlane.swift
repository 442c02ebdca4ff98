import CKernels
import Formats

/// The quantised coefficients of a plane, in blocks of 8 x 8 samples.
struct QuantizedPlane {
    /// Blocks in row-major order, with 64 coefficients each, also row-major.
    let blocks: [Int16]

    /// Quantises a plane with the best trade-off between bits and distortion (`TrellisQuantizer`).
    ///
    /// - Parameters:
    ///   - row: returns the address of row y.
    ///   - steps: 64 quantisation steps, row-major.
    ///   - costs: the costs of the codes; nil rounds to the nearest step.
    init(size: PixelSize, row: (Int) -> UnsafePointer<UInt8>, steps: ArraySlice<UInt8>, costs: CodeCosts?) {
        let (columns, rows) = ((size.width + 7) / 8, (size.height + 7) / 8)
        let quantizer = TrellisQuantizer(steps: Array(steps))
        var blocks = [Int16](repeating: 0, count: columns * rows * 64)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { samples in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: 64) { coefficients in
                blocks.withUnsafeMutableBufferPointer { blocks in
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
                    }
                }
            }
        }
        self.blocks = blocks
    }
}
