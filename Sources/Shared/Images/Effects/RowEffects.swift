import CKernels
import Formats
import Support

/// Applies the effects of an output to each upright row before encoding: gradient, rounded corners, and a background if
/// the format has no alpha.
final class RowEffects {
    /// Samples per pixel of the processed rows.
    let channels: Int
    private let size: PixelSize
    private let inputChannels: Int
    private let gradient: Gradient
    private let corners: RoundedCorners?
    private let background: [UInt8]?
    /// Whether gray pixels become RGB, because the background is not gray.
    private let becomesColoured: Bool
    private let coloured: AlignedBuffer
    private let opaque: AlignedBuffer
    private let flat: AlignedBuffer

    /// - Parameters:
    ///   - channels: the channels of the input rows: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha. Alpha is
    ///     straight.
    ///   - background: the colour behind transparent pixels; nil keeps alpha.
    init(channels inputChannels: Int, size: PixelSize, gradient: Gradient, cornerRadius: Double, background: RGB?) {
        self.inputChannels = inputChannels
        self.size = size
        self.gradient = gradient
        corners = cornerRadius > 0 ? RoundedCorners(radius: cornerRadius, size: size) : nil
        // Corners need alpha.
        let shaped = corners != nil && inputChannels % 2 == 1 ? inputChannels + 1 : inputChannels
        if let background, shaped % 2 == 0 {
            becomesColoured = shaped == 2 && !background.isGray
            let hasColours = shaped == 4 || becomesColoured
            self.background = hasColours ? [background.red, background.green, background.blue] : [background.red]
            channels = hasColours ? 3 : 1
        } else {
            self.background = nil
            becomesColoured = false
            channels = shaped
        }
        coloured = AlignedBuffer(count: becomesColoured ? size.width * 4 : 0)
        opaque = AlignedBuffer(count: shaped == inputChannels ? 0 : size.width * shaped)
        flat = AlignedBuffer(count: self.background == nil ? 0 : size.width * channels)
    }

    /// Processes row `y` in place or in an internal buffer. The result is valid until the next call.
    func apply(_ row: UnsafeMutablePointer<UInt8>, _ y: Int) -> UnsafeMutablePointer<UInt8> {
        var row = row
        gradient.apply(row: y, of: size.height, to: row, channels: inputChannels, width: size.width)
        var shaped = inputChannels
        if let corners, background == nil || corners.touches(row: y) {
            if inputChannels % 2 == 1 {
                apod_add_alpha(row, inputChannels, opaque.bytes, size.width)
                row = opaque.bytes
                shaped = inputChannels + 1
            }
            corners.apply(row: y, to: row, channels: shaped)
        }
        guard let background, becomesColoured || shaped % 2 == 0 else { return row }
        if becomesColoured {
            for x in 0..<size.width {
                for c in 0..<3 { coloured.bytes[4 * x + c] = row[shaped * x] }
                coloured.bytes[4 * x + 3] = shaped == 2 ? row[2 * x + 1] : 255
            }
            row = coloured.bytes
            shaped = 4
        }
        apod_flatten(row, shaped, background, flat.bytes, size.width)
        return flat.bytes
    }
}
