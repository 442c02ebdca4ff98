import CWebP
import Formats

/// Stops libwebp in the middle of a picture. Keeps the error that did.
final class StopSignal {
    private let checkpoint: (UnstoppableStep?) throws -> Void
    private(set) var failure: (any Error)?

    init(_ checkpoint: @escaping (UnstoppableStep?) throws -> Void) { self.checkpoint = checkpoint }

    /// Runs `body`, in which libwebp reports its progress every few rows; it gives up if that is answered by 0.
    func watching<Result>(_ picture: inout WebPPicture, _ body: (inout WebPPicture) -> Result) -> Result {
        picture.user_data = Unmanaged.passUnretained(self).toOpaque()
        picture.progress_hook = { _, picture in
            let stop = Unmanaged<StopSignal>.fromOpaque(picture!.pointee.user_data!).takeUnretainedValue()
            do {
                try stop.checkpoint(nil)
                return 1
            } catch {
                stop.failure = error
                return 0
            }
        }
        return withExtendedLifetime(self) { body(&picture) }
    }
}

/// Encodes rows of 1 to 4 channels as a lossy WebP. libwebp wants the whole picture, so the rows are gathered first.
final class WebPWriter: RowWriter {
    private let size: PixelSize
    private let channels: Int
    private let quality: Int
    private let metadata: PictureMetadata
    private let drain: ByteDrain
    private var pixels: [UInt8] = []

    init(
        size: PixelSize, channels: Int, quality: Int, metadata: PictureMetadata = PictureMetadata(),
        limits: DecodeLimits, into drain: ByteDrain
    ) throws {
        // The pixels, and what libwebp makes of them.
        try limits.check(memory: size, bytesPerPixel: 8)
        self.size = size
        self.channels = channels
        self.quality = quality
        self.metadata = metadata
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
        let stop = StopSignal(drain.checkpoint)
        let encoded = withUnsafeMutablePointer(to: &writer) { writer in
            picture.writer = WebPMemoryWrite
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return stop.watching(&picture) { WebPEncode(&config, &$0) }
        }
        guard encoded != 0 else {
            if let failure = stop.failure { throw failure }
            if picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY { throw ImageError.outOfMemory }
            throw ImageError.encoder(.webp, "libwebp's error \(picture.error_code.rawValue)")
        }
        if metadata.isEmpty {
            try drain.write(UnsafeRawBufferPointer(start: writer.mem, count: writer.size).bytes)
        } else {
            try writeContainer(WebPData(bytes: writer.mem, size: writer.size))
        }
    }

    /// Writes the picture in a container with its metadata (WebP container specification, extended file format).
    private func writeContainer(_ picture: WebPData) throws {
        var picture = picture
        // The picture lives as long as this; everything else is copied.
        guard let mux = WebPMuxCreateInternal(&picture, 0, WEBP_MUX_ABI_VERSION) else { throw ImageError.outOfMemory }
        defer { WebPMuxDelete(mux) }
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
