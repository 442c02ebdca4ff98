import CCodecs
import Formats

/// Encodes rows of 1 to 4 channels as an 8-bit PNG as they arrive, with libpng's filter heuristics and zlib's default
/// level. Used with an effort of 0, and for pictures that are too large for `BufferedPNGWriter`. Keeps an interlaced
/// picture in memory, because each of the seven passes reads all rows.
final class PNGWriter: RowWriter {
    private let encoder: OpaquePointer
    private let drain: EncoderOutput
    private let size: PixelSize
    private let rowBytes: Int
    private let isInterlaced: Bool
    /// The rows of an interlaced picture so far.
    private var pixels: [UInt8] = []

    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: EncoderOutput) throws {
        self.size = size
        self.drain = drain
        isInterlaced = options.isProgressive
        rowBytes = size.width * channels
        if isInterlaced { pixels.reserveCapacity(rowBytes * size.height) }
        guard let encoder = apod_png_encoder_open(drain.output) else { throw ImageError.outOfMemory }
        self.encoder = encoder
        var metadata = options.metadata
        // An XMP packet is text, so a packet with a zero byte is invalid. libpng expects a zero byte after the packet.
        metadata.xmp = metadata.xmp.flatMap { $0.contains(0) ? nil : $0 + [0] }
        try metadata.withPointers(isGray: channels < 3) { profile, exif, xmp in
            try check(
                apod_png_encoder_start(
                    encoder, UInt32(size.width), UInt32(size.height), Int32(channels), isInterlaced ? 1 : 0,
                    apod_png_metadata(
                        profile: profile.baseAddress, profile_bytes: profile.count, exif: exif.baseAddress,
                        exif_bytes: exif.count,
                        xmp: UnsafeRawPointer(xmp.baseAddress)?.assumingMemoryBound(to: CChar.self))))
        }
    }

    deinit { apod_png_encoder_close(encoder) }

    func write(_ row: UnsafePointer<UInt8>) throws {
        if isInterlaced {
            pixels.append(contentsOf: UnsafeBufferPointer(start: row, count: rowBytes))
        } else {
            try check(apod_png_encoder_write_row(encoder, row))
        }
    }

    func finish() throws {
        if isInterlaced {
            try pixels.withUnsafeBufferPointer { pixels in
                for _ in 0..<7 {
                    for y in 0..<size.height {
                        try check(apod_png_encoder_write_row(encoder, pixels.baseAddress! + y * rowBytes))
                    }
                }
            }
        }
        try check(apod_png_encoder_finish(encoder))
    }

    private func check(_ status: apod_status) throws { try drain.check(status, apod_png_encoder_message(encoder)) }
}
