import CWebP
import Formats

/// Encodes rows of 1 to 4 channels as a lossy WebP, or as a lossless WebP if the picture has few colours and the
/// lossless file is no larger. Collects the rows, because libwebp needs the whole picture.
final class WebPWriter: RowWriter {
    private let size: PixelSize
    private let channels: Int
    /// Samples per pixel in `pixels`, 3 or 4.
    private let samples: Int
    private let options: EncodeOptions
    private let drain: EncoderOutput
    private var pixels: [UInt8] = []
    /// The error that stopped libwebp.
    private var failure: (any Error)?

    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: EncoderOutput) {
        self.size = size
        self.channels = channels
        self.options = options
        self.drain = drain
        samples = channels < 3 ? channels + 2 : channels
        pixels.reserveCapacity(size.width * size.height * samples)
    }

    /// Repeats gray samples, because WebP has no gray.
    func write(_ row: UnsafePointer<UInt8>) {
        if channels >= 3 {
            return pixels.append(contentsOf: UnsafeBufferPointer(start: row, count: size.width * channels))
        }
        for x in 0..<size.width {
            pixels.append(contentsOf: repeatElement(row[x * channels], count: 3))
            if channels == 2 { pixels.append(row[x * 2 + 1]) }
        }
    }

    func finish() throws {
        var best = try encoded(isLossless: false)
        // A lossless file is often smaller for a drawing, but never for a photograph.
        if options.effort > 0, hasFewColours() {
            let other = try encoded(isLossless: true)
            if other.count <= best.count { best = other }
        }
        pixels = []
        if options.metadata.isEmpty {
            try drain.write(best.span.bytes)
        } else {
            try best.withUnsafeBufferPointer { bytes in
                try writeContainer(WebPData(bytes: bytes.baseAddress, size: bytes.count))
            }
        }
    }

    /// Whether the picture has at most 256 colours. libwebp then writes a palette.
    private func hasFewColours() -> Bool {
        var colours = ColourTable()
        var last: PackedColour?
        return pixels.withUnsafeBufferPointer { pixels in
            for place in 0..<size.width * size.height {
                let colour = PackedColour(samples: pixels.baseAddress! + place * samples, channels: samples)
                if colour == last { continue }
                last = colour
                if !colours.insert(colour) { return false }
            }
            return true
        }
    }

    private func encoded(isLossless: Bool) throws -> [UInt8] {
        var config = WebPConfig()
        var picture = WebPPicture()
        guard
            WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, Float(options.quality), WEBP_ENCODER_ABI_VERSION) != 0,
            WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION) != 0,
            !isLossless || WebPConfigLosslessPreset(&config, losslessLevel) != 0
        else { throw ImageError.otherWebPVersion }
        defer { WebPPictureFree(&picture) }
        picture.width = Int32(size.width)
        picture.height = Int32(size.height)
        let imported = pixels.withUnsafeBufferPointer { pixels in
            if !isLossless {
                config.method = method
                if options.losesAlpha { config.alpha_quality = Int32(min(options.quality * 2, 100)) }
                if halvesWithCare(pixels.baseAddress!) { config.use_sharp_yuv = 1 }
                if hasSharpAlpha(pixels) { config.alpha_filtering = 0 }
            }
            // Sharp YUV conversion needs the RGB pixels.
            picture.use_argb = isLossless || config.use_sharp_yuv != 0 ? 1 : 0
            return samples == 4
                ? WebPPictureImportRGBA(&picture, pixels.baseAddress, Int32(size.width * 4))
                : WebPPictureImportRGB(&picture, pixels.baseAddress, Int32(size.width * 3))
        }
        guard imported != 0 else { throw ImageError.outOfMemory }
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        defer { WebPMemoryWriterClear(&writer) }
        // A second thread encodes the alpha. It does not change the output.
        let hasThread = samples == 4 && !isLossless && drain.spareThreads?.take() == true
        defer { if hasThread { drain.spareThreads?.giveBack() } }
        config.thread_level = hasThread ? 1 : 0
        picture.user_data = Unmanaged.passUnretained(self).toOpaque()
        // libwebp reports its progress every few rows, and stops if the hook returns 0.
        picture.progress_hook = { _, picture in
            Unmanaged<WebPWriter>.fromOpaque(picture!.pointee.user_data!).takeUnretainedValue().goesOn() ? 1 : 0
        }
        let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
            picture.writer = WebPMemoryWrite
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            return withExtendedLifetime(self) { WebPEncode(&config, &picture) }
        }
        guard isEncoded != 0 else {
            if let failure { throw failure }
            if picture.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY { throw ImageError.outOfMemory }
            throw ImageError.encoder(.webp, "libwebp error \(picture.error_code.rawValue)")
        }
        return Array(UnsafeBufferPointer(start: writer.mem, count: writer.size))
    }

    /// Whether to use libwebp's sharp YUV conversion. A lossy WebP always has halved chroma. The sharp conversion
    /// compares its results with the picture, so encoding takes 1.5 times as long. Over ten pictures at 640 pixels,
    /// files are on average 10 % smaller at the same visual quality (SSIMULACRA2): a diagram by half, six pictures by
    /// up to 3 %, the others not at all.
    private func halvesWithCare(_ pixels: UnsafePointer<UInt8>) -> Bool {
        options.chroma == .auto && options.effort > 3 || options.keepsChroma(pixels, channels: samples, size: size)
    }

    /// Whether less than 2 % of the pixels are translucent, as with rounded corners. Trying filters for the alpha then
    /// takes half of the time that libwebp needs for the alpha (a seventh of all instructions for a picture of 800 x
    /// 400 with rounded corners), and saves at most 0.3 % of the file.
    private func hasSharpAlpha(_ pixels: UnsafeBufferPointer<UInt8>) -> Bool {
        guard samples == 4 else { return false }
        var translucent = 0
        for place in stride(from: 3, to: pixels.count, by: 4) where pixels[place] &- 1 < 254 { translucent += 1 }
        return translucent * 50 < size.width * size.height
    }

    /// libwebp's lossless level, 0 to 9.
    private var losslessLevel: Int32 { options.effort < 4 ? 4 : options.effort < 7 ? 6 : 9 }

    /// libwebp's method, 0 to 6. Methods 5 and 6 choose coefficients by their bit cost.
    private var method: Int32 { options.effort < 4 ? 4 : options.effort < 7 ? 5 : 6 }

    private func goesOn() -> Bool {
        do { try drain.checkpoint(nil) } catch { failure = error }
        return failure == nil
    }

    /// Writes the picture in a container with its metadata (WebP container specification, extended file format).
    private func writeContainer(_ picture: WebPData) throws {
        var picture = picture
        // The mux object refers to the picture, and copies everything else.
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
        guard result == WEBP_MUX_OK else { throw ImageError.encoder(.webp, "libwebpmux error \(result.rawValue)") }
    }
}

extension ImageError {
    static let otherWebPVersion = ImageError.encoder(.webp, "libwebp has an incompatible version")
}
