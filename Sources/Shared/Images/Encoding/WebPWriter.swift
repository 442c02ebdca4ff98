import CWebP
import Formats

/// Encodes rows of 1 to 4 channels as a lossy WebP. libwebp wants the whole picture, so the rows are gathered first.
final class WebPWriter: RowWriter {
    private let size: PixelSize
    private let channels: Int
    private let options: EncodeOptions
    private let drain: ByteDrain
    private var pixels: [UInt8] = []
    /// What stopped libwebp in the middle of the picture.
    private var failure: (any Error)?

    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: ByteDrain) {
        self.size = size
        self.channels = channels
        self.options = options
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
            WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, Float(options.quality), WEBP_ENCODER_ABI_VERSION) != 0,
            WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION) != 0
        else { throw ImageError.encoder(.webp, "another version of libwebp than this was built for") }
        defer { WebPPictureFree(&picture) }
        config.method = method
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
        picture.user_data = Unmanaged.passUnretained(self).toOpaque()
        // libwebp reports its progress every few rows, and gives up if that is answered by 0.
        picture.progress_hook = { _, picture in
            Unmanaged<WebPWriter>.fromOpaque(picture!.pointee.user_data!).takeUnretainedValue().goesOn() ? 1 : 0
        }
        let encoded = withUnsafeMutablePointer(to: &writer) { writer in
            picture.writer = WebPMemoryWrite
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return withExtendedLifetime(self) { WebPEncode(&config, &picture) }
        }
        guard encoded != 0 else {
            if let failure { throw failure }
            if picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY { throw ImageError.outOfMemory }
            throw ImageError.encoder(.webp, "libwebp's error \(picture.error_code.rawValue)")
        }
        if options.metadata.isEmpty {
            try drain.write(UnsafeRawBufferPointer(start: writer.mem, count: writer.size).bytes)
        } else {
            try writeContainer(WebPData(bytes: writer.mem, size: writer.size))
        }
    }

    /// libwebp's method, of 0 to 6. 5 and 6 choose coefficients by what their bits cost.
    private var method: Int32 {
        switch options.effort {
        case 0...3: 4
        case 4...6: 5
        default: 6
        }
    }

    private func goesOn() -> Bool {
        do {
            try drain.checkpoint(nil)
        } catch {
            failure = error
        }
        return failure == nil
    }

    /// Writes the picture in a container with its metadata (WebP container specification, extended file format).
    private func writeContainer(_ picture: WebPData) throws {
        var picture = picture
        // The picture lives as long as this; everything else is copied.
        guard let mux = WebPMuxCreateInternal(&picture, 0, WEBP_MUX_ABI_VERSION) else { throw ImageError.outOfMemory }
        defer { WebPMuxDelete(mux) }
        let metadata = options.metadata
        let profile = metadata.profile(isGray: false)
        for (name, bytes) in [("ICCP", profile), ("EXIF", metadata.exif), ("XMP ", metadata.xmp)] {
            guard let bytes, !bytes.isEmpty else { continue }
            try bytes.withUnsafeBufferPointer { buffer in
                var chunk = WebPData(bytes: buffer.baseAddress, size: buffer.count)
                try check(WebPMuxSetChunk(mux, name, &chunk, 1))
            }
        }
        var container = WebPData()
        try check(WebPMuxAssemble(mux, &container))
        defer { WebPFree(UnsafeMutableRawPointer(mutating: container.bytes)) }
        try drain.write(UnsafeRawBufferPointer(start: container.bytes, count: container.size).bytes)
    }

    private func check(_ result: WebPMuxError) throws {
        if result == WEBP_MUX_MEMORY_ERROR { throw ImageError.outOfMemory }
        guard result == WEBP_MUX_OK else {
            throw ImageError.encoder(.webp, "libwebpmux's error \(result.rawValue)")
        }
    }
}
