import CCodecs
import Formats

/// Encodes a progressive JPEG (T.81, annex G) with libjpeg.
final class ProgressiveEncoder: BlockWriter {
    private let encoder: OpaquePointer
    private let drain: EncoderOutput
    /// The number of rows that were written of each plane.
    private var written: [Int]

    init(size: PixelSize, isGray: Bool, coding: JPEGCoding, metadata: PictureMetadata, into drain: EncoderOutput) throws
    {
        guard let encoder = apod_jpeg_encoder_open(drain.output) else { throw ImageError.outOfMemory }
        self.encoder = encoder
        self.drain = drain
        written = [Int](repeating: 0, count: isGray ? 1 : 3)
        let segments = try metadata.segments(isGray: isGray)
        let scans = coding.scans(isGray: isGray)
        let status = scans.withUnsafeBufferPointer { scans in
            coding.tables.steps.withUnsafeBufferPointer { steps in
                apod_jpeg_encoder_start(
                    encoder,
                    apod_jpeg_settings(
                        width: UInt32(size.width), height: UInt32(size.height), channels: isGray ? 1 : 3,
                        across: Int32(coding.sampling.across), down: Int32(coding.sampling.down),
                        steps: steps.baseAddress, scans: scans.baseAddress, scan_count: Int32(scans.count)))
            }
        }
        try check(status)
        for (number, body) in segments {
            try check(apod_jpeg_encoder_write_segment(encoder, Int32(number), body, body.count))
        }
    }

    deinit { apod_jpeg_encoder_close(encoder) }

    func write(_ rows: [BlockRows]) throws {
        for (plane, own) in rows.enumerated() {
            try check(
                apod_jpeg_encoder_write_blocks(
                    encoder, Int32(plane), UInt32(written[plane]), UInt32(own.count), own.blocks))
            written[plane] += own.count
        }
    }

    func finish() throws { try check(apod_jpeg_encoder_finish(encoder)) }

    private func check(_ status: apod_status) throws { try drain.check(status, apod_jpeg_encoder_message(encoder)) }
}
