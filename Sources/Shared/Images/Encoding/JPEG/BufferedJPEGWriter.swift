import CKernels
import Formats

/// Collects rows of gray or RGB pixels, and encodes them as a JPEG after the last row.
final class BufferedJPEGWriter: RowWriter {
    private let size: PixelSize
    private let options: EncodeOptions
    private let drain: EncoderOutput
    private let isGray: Bool
    private let planes: BufferedPlanes
    private var y = 0

    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: EncoderOutput) {
        self.size = size
        self.options = options
        self.drain = drain
        isGray = channels == 1
        planes = BufferedPlanes(size: size, isGray: isGray, sampling: .full)
    }

    func write(_ row: UnsafePointer<UInt8>) {
        if isGray {
            planes.row(0, y).update(from: row, count: size.width)
        } else {
            apod_rgb_to_ycc(row, planes.row(0, y), planes.row(1, y), planes.row(2, y), size.width)
        }
        y += 1
    }

    func finish() throws { try planes.write(options, into: drain) }
}
