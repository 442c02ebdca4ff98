import CCodecs
import Formats

/// Encodes rows of gray or RGB pixels, planes, or quantised coefficients with libjpeg.
final class JPEGEncoder: RowWriter {
    private let encoder: OpaquePointer
    private let drain: EncoderOutput

    /// Starts the picture and writes its metadata.
    ///
    /// - Parameter channels: 1 (gray) or 3.
    init(
        size: PixelSize, channels: Int, from source: apod_jpeg_source = APOD_JPEG_FROM_ROWS, coding: JPEGCoding,
        metadata: PictureMetadata, into drain: EncoderOutput
    ) throws {
        guard let encoder = apod_jpeg_encoder_open(drain.output) else { throw ImageError.outOfMemory }
        self.encoder = encoder
        self.drain = drain
        let scans = coding.scans(isGray: channels == 1)
        let status = scans.withUnsafeBufferPointer { scans in
            (coding.tables?.steps ?? []).withUnsafeBufferPointer { steps in
                apod_jpeg_encoder_start(
                    encoder,
                    apod_jpeg_settings(
                        width: UInt32(size.width), height: UInt32(size.height), channels: Int32(channels),
                        source: source, across: Int32(coding.sampling.across),
                        down: Int32(coding.sampling.down), quality: Int32(coding.quality),
                        steps: coding.tables == nil ? nil : steps.baseAddress, optimized: coding.isOptimized ? 1 : 0,
                        scans: scans.baseAddress, scan_count: Int32(scans.count)))
            }
        }
        try check(status)
        try write(metadata, isGray: channels == 1)
    }

    deinit { apod_jpeg_encoder_close(encoder) }

    func write(_ row: UnsafePointer<UInt8>) throws { try check(apod_jpeg_encoder_write_row(encoder, row)) }

    func write(_ rows: PlaneRowTable) throws { try check(apod_jpeg_encoder_write_planes(encoder, rows.planes)) }

    /// Writes all blocks of a component.
    func write(_ plane: QuantizedPlane, of component: Int) throws {
        try check(apod_jpeg_encoder_write_blocks(encoder, Int32(component), plane.blocks))
    }

    func finish() throws { try check(apod_jpeg_encoder_finish(encoder)) }

    /// Writes the segments after the JFIF segment: EXIF (CIPA DC-008 4.7.2) and XMP (XMP part 3, §1.1.3), each only if
    /// it fits in a segment, and the profile (ICC.1:2022 B.4).
    private func write(_ metadata: PictureMetadata, isGray: Bool) throws {
        for (prefix, body) in [("Exif\0\0", metadata.exif), ("http://ns.adobe.com/xap/1.0/\0", metadata.xmp)] {
            guard let body, prefix.utf8.count + body.count <= 65_533 else { continue }
            let bytes = Array(prefix.utf8) + body
            try check(apod_jpeg_encoder_write_segment(encoder, 1, bytes, bytes.count))
        }
        if let profile = metadata.profile(isGray: isGray) {
            try check(apod_jpeg_encoder_write_profile(encoder, profile, profile.count))
        }
    }

    private func check(_ status: apod_status) throws { try drain.check(status, apod_jpeg_encoder_message(encoder)) }
}
