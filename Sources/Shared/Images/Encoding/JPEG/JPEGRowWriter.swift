import CCodecs
import Formats

/// Encodes rows of gray or RGB pixels as a JPEG as they arrive.
final class JPEGRowWriter: RowWriter {
    private let encoder: JPEGEncoder

    init(size: PixelSize, channels: Int, coding: JPEGCoding, metadata: PictureMetadata, into drain: ByteDrain) throws {
        encoder = try JPEGEncoder(
            size: size, channels: channels, from: APOD_JPEG_FROM_ROWS, coding: coding, metadata: metadata, into: drain)
    }

    func write(_ row: UnsafePointer<UInt8>) throws { try encoder.write(row) }

    func finish() throws { try encoder.finish() }
}
