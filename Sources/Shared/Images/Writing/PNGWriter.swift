import CCodecs
import Formats

/// Encodes rows of 1 to 4 channels as a PNG of 8 bits a sample, with libpng's own choice of filters and zlib's default
/// level.
final class PNGWriter: RowWriter {
    private let encoder: OpaquePointer
    private let drain: ByteDrain

    init(size: PixelSize, channels: Int, into drain: ByteDrain) throws {
        self.drain = drain
        guard let encoder = apod_png_encoder_open(drain.output) else { throw ImageError.outOfMemory }
        self.encoder = encoder
        try check(apod_png_encoder_start(encoder, UInt32(size.width), UInt32(size.height), Int32(channels)))
    }

    deinit { apod_png_encoder_close(encoder) }

    func write(_ row: UnsafePointer<UInt8>) throws { try check(apod_png_encoder_write_row(encoder, row)) }

    func finish() throws { try check(apod_png_encoder_finish(encoder)) }

    private func check(_ status: apod_status) throws { try drain.check(status, apod_png_encoder_message(encoder)) }
}
