import CKernels
import Formats

/// Converts rows of gray or RGB pixels to planes, for `AdaptiveJPEGEncoder`.
final class BufferedJPEGWriter: RowWriter {
    private let width: Int
    private let isGray: Bool
    private let encoder: AdaptiveJPEGEncoder
    private var y = 0

    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: EncoderOutput) throws {
        width = size.width
        isGray = channels == 1
        encoder = try AdaptiveJPEGEncoder(size: size, isGray: isGray, sampling: .full, options: options, into: drain)
    }

    func write(_ row: UnsafePointer<UInt8>) throws {
        if isGray {
            encoder.row(0, y).update(from: row, count: width)
        } else {
            apod_rgb_to_ycc(row, encoder.row(0, y), encoder.row(1, y), encoder.row(2, y), width)
        }
        y += 1
        try encoder.advance(to: y)
    }

    func finish() throws { try encoder.finish() }
}
