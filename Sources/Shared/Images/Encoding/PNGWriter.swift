import CCodecs
import Formats

/// Encodes rows of 1 to 4 channels as a PNG of 8 bits a sample, with libpng's own choice of filters and zlib's default
/// level. An interlaced one takes memory for all of its pixels, since each of the seven passes wants them.
final class PNGWriter: RowWriter {
    private let encoder: OpaquePointer
    private let drain: ByteDrain
    private let size: PixelSize
    private let rowBytes: Int
    private let isInterlaced: Bool
    /// The rows of an interlaced picture so far.
    private var pixels: [UInt8] = []

    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: ByteDrain) throws {
        self.size = size
        self.drain = drain
        isInterlaced = options.isProgressive
        rowBytes = size.width * channels
        if isInterlaced { pixels.reserveCapacity(rowBytes * size.height) }
        guard let encoder = apod_png_encoder_open(drain.output) else { throw ImageError.outOfMemory }
        self.encoder = encoder
        try options.metadata.withPNGMetadata(isGray: channels < 3) { metadata in
            try check(
                apod_png_encoder_start(
                    encoder, UInt32(size.width), UInt32(size.height), Int32(channels), isInterlaced ? 1 : 0, metadata))
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
        if isInterlaced { try writePasses() }
        try check(apod_png_encoder_finish(encoder))
    }

    private func writePasses() throws {
        try pixels.withUnsafeBufferPointer { pixels in
            for _ in 0..<7 {
                for y in 0..<size.height {
                    try check(apod_png_encoder_write_row(encoder, pixels.baseAddress! + y * rowBytes))
                }
            }
        }
    }

    private func check(_ status: apod_status) throws { try drain.check(status, apod_png_encoder_message(encoder)) }
}

extension PictureMetadata {
    /// Calls `body` with pointers to what a PNG takes, which live for the call.
    fileprivate func withPNGMetadata(isGray: Bool, _ body: (apod_png_metadata) throws -> Void) rethrows {
        if isEmpty { return try body(apod_png_metadata()) }
        // A packet is text: one with a zero in it is not what it says it is.
        let text = (xmp ?? []).contains(0) ? nil : xmp.map { $0 + [0] }
        try withPointer(profile(isGray: isGray)) { profile in
            try withPointer(exif) { exif in
                try withPointer(text) { text in
                    try body(
                        apod_png_metadata(
                            profile: profile.baseAddress, profile_bytes: profile.count, exif: exif.baseAddress,
                            exif_bytes: exif.count,
                            xmp: UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)))
                }
            }
        }
    }

    /// A null pointer for no bytes.
    private func withPointer(
        _ bytes: [UInt8]?, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
    ) rethrows {
        guard let bytes, !bytes.isEmpty else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
        try bytes.withUnsafeBufferPointer(body)
    }
}
