import CKernels
import Formats
import Support

/// Converts rows of gray or RGB pixels to planes of a JPEG.
final class JPEGRowWriter: RowWriter {
    /// The planes of a picture that is encoded as a whole, or else the encoder of its strips.
    private enum Destination {
        case picture(AdaptiveJPEGEncoder)
        case strips(JPEGPlaneWriter, BufferedPlanes, halved: BufferedPlanes?)
    }

    private let size: PixelSize
    private let isGray: Bool
    private let destination: Destination
    private var y = 0

    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: EncoderOutput) throws {
        self.size = size
        isGray = channels == 1
        if options.buffersJPEG(of: size, isGray: isGray) {
            destination = .picture(
                try AdaptiveJPEGEncoder(size: size, isGray: isGray, sampling: .full, options: options, into: drain))
            return
        }
        let sampling = isGray ? .full : options.chromaSampling(of: size) ?? .full
        let writer = try JPEGPlaneWriter(
            size: size, isGray: isGray, coding: options.jpegCoding(sampling, size), metadata: options.metadata,
            into: drain)
        // Two rows are enough to halve the chroma.
        let rows = BufferedPlanes(
            size: PixelSize(width: size.width, height: 2), isGray: isGray, sampling: .full)
        destination = .strips(writer, rows, halved: sampling == .halved ? rows.withHalvedChroma() : nil)
    }

    func write(_ row: UnsafePointer<UInt8>) throws {
        switch destination {
        case .picture(let encoder):
            split(row) { encoder.row($0, y) }
            y += 1
            try encoder.advance(to: y)
        case .strips(let writer, let rows, let halved):
            split(row) { rows.row($0, y % 2) }
            y += 1
            guard let halved else {
                return try writer.write(available: [y, y, y]) { plane, y in UnsafePointer(rows.row(plane, y % 2)) }
            }
            guard y % 2 == 0 || y == size.height else { return }
            // Repeats the last row of a picture with an odd height.
            if y % 2 == 1 { split(row) { rows.row($0, 1) } }
            halved.halveChroma(of: rows, row: 0)
            try writer.write(available: [y, (y + 1) / 2, (y + 1) / 2]) { plane, y in
                UnsafePointer(plane == 0 ? rows.row(0, y % 2) : halved.row(plane, 0))
            }
        }
    }

    private func split(_ row: UnsafePointer<UInt8>, _ plane: (Int) -> UnsafeMutablePointer<UInt8>) {
        if isGray {
            plane(0).update(from: row, count: size.width)
        } else {
            apod_rgb_to_ycc(row, plane(0), plane(1), plane(2), size.width)
        }
    }

    func finish() throws {
        switch destination {
        case .picture(let encoder): try encoder.finish()
        case .strips(let writer, _, _): try writer.finish()
        }
    }
}
