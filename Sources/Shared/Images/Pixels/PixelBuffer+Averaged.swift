import CKernels
import Formats

extension PixelBuffer {
    /// Returns a small copy for analysis: means of square boxes, with no side longer than `side`, or the picture
    /// itself if it is small enough. The colours of transparent pixels count fully. O(pixels).
    func averaged(atMost side: Int) -> PixelBuffer {
        let factor = (max(size.width, size.height) + side - 1) / side
        guard factor > 1 else { return self }
        let small = PixelSize(width: (size.width + factor - 1) / factor, height: (size.height + factor - 1) / factor)
        let samples = small.width * channels
        var sums = [UInt32](repeating: 0, count: samples)
        let means = [UInt8](unsafeUninitializedCapacity: samples * small.height) { means, initialized in
            bytes.withUnsafeBufferPointer { rows in
                for y in 0..<size.height {
                    let row = rows.baseAddress! + y * size.width * channels
                    apod_box_add(row, channels, size.width, factor, &sums)
                    let rowsOfBox = y % factor + 1
                    guard rowsOfBox == factor || y == size.height - 1 else { continue }
                    let target = means.baseAddress! + y / factor * samples
                    apod_box_divide(&sums, channels, size.width, factor, rowsOfBox, target)
                }
            }
            initialized = samples * small.height
        }
        return PixelBuffer(size: small, channels: channels, bytes: means)
    }
}
