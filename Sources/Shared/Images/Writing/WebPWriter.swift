import CWebP
import Formats

/// Encodes rows of 1 to 4 channels as a lossy WebP. libwebp wants the whole picture, so the rows are gathered first.
final class WebPWriter: RowWriter {
    private let size: PixelSize
    private let channels: Int
    private let quality: Int
    private let drain: ByteDrain
    private var pixels: [UInt8] = []

    init(size: PixelSize, channels: Int, quality: Int, limits: DecodeLimits, into drain: ByteDrain) throws {
        // The pixels, and what libwebp makes of them.
        try limits.check(memory: size, bytesPerPixel: 8)
        self.size = size
        self.channels = channels
        self.quality = quality
        self.drain = drain
        pixels.reserveCapacity(size.width * size.height * (channels < 3 ? channels + 2 : channels))
    }

    /// WebP knows no gray: its samples are repeated.
    func write(_ row: UnsafePointer<UInt8>) {
        guard channels < 3 else {
            pixels.append(contentsOf: UnsafeBufferPointer(start: row, count: size.width * channels))
            return
        }
        for x in 0..<size.width {
            let gray = row[x * channels]
            pixels.append(gray)
            pixels.append(gray)
            pixels.append(gray)
            if channels == 2 { pixels.append(row[x * 2 + 1]) }
        }
    }

    func finish() throws {
        var config = WebPConfig()
        var picture = WebPPicture()
        guard
            WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, Float(quality), WEBP_ENCODER_ABI_VERSION) != 0,
            WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION) != 0
        else { throw ImageError.encoder(.webp, "another version of libwebp than this was built for") }
        defer { WebPPictureFree(&picture) }
        picture.width = Int32(size.width)
        picture.height = Int32(size.height)
        let hasAlpha = channels == 2 || channels == 4
        let imported = pixels.withUnsafeBufferPointer {
            hasAlpha
                ? WebPPictureImportRGBA(&picture, $0.baseAddress, Int32(size.width * 4))
                : WebPPictureImportRGB(&picture, $0.baseAddress, Int32(size.width * 3))
        }
        guard imported != 0 else { throw ImageError.outOfMemory }
        pixels = []
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        defer { WebPMemoryWriterClear(&writer) }
        let encoded = withUnsafeMutablePointer(to: &writer) { writer in
            picture.writer = WebPMemoryWrite
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return WebPEncode(&config, &picture)
        }
        guard encoded != 0 else {
            if picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY { throw ImageError.outOfMemory }
            throw ImageError.encoder(.webp, "libwebp's error \(picture.error_code.rawValue)")
        }
        try drain.write(UnsafeRawBufferPointer(start: writer.mem, count: writer.size))
    }
}
