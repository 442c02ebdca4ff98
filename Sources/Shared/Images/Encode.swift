import Formats
import Support

/// Encodes a picture, composed over `options.background` if the format has no alpha. Throws `ImageError`.
public func encode(_ pixels: PixelBuffer, _ options: EncodeOptions) throws -> [UInt8] {
    let sink = MemorySink()
    let effects = RowEffects(
        channels: pixels.channels, size: pixels.size, gradient: .none, cornerRadius: 0,
        background: options.format.hasAlpha ? nil : options.ground)
    try DecodeLimits.standard.check(memory: pixels.size, bytesPerPixel: options.bytesPerPixel(of: pixels.size))
    let writer = try rowWriter(
        options, size: pixels.size, channels: effects.channels, into: EncoderOutput(options.format, sink))
    let rowBytes = pixels.size.width * pixels.channels
    let row = AlignedBuffer(count: rowBytes)
    for y in 0..<pixels.size.height {
        pixels.bytes.withUnsafeBufferPointer {
            row.bytes.update(from: $0.baseAddress! + y * rowBytes, count: rowBytes)
        }
        try writer.write(effects.apply(row.bytes, y))
    }
    try writer.finish()
    return sink.bytes
}

/// Returns an encoder for pixels of `channels` samples (1 or 3 for JPEG). The encoder needs
/// `options.bytesPerPixel(of:)` bytes of memory per pixel; the caller must check this against its limits.
func rowWriter(
    _ options: EncodeOptions, size: PixelSize, channels: Int, into drain: EncoderOutput
) throws -> any RowWriter {
    try checkOutput(size, options.format)
    return switch options.format {
    case .jpeg: try JPEGRowWriter(size: size, channels: channels, options: options, into: drain)
    case .png where options.holds(size):
        BufferedPNGWriter(size: size, channels: channels, options: options, into: drain)
    case .png: try PNGWriter(size: size, channels: channels, options: options, into: drain)
    case .webp: WebPWriter(size: size, channels: channels, options: options, into: drain)
    case .gif: GIFWriter(size: size, channels: channels, options: options, into: drain)
    case .avif: try AVIFWriter(size: size, channels: channels, options: options, into: drain)
    }
}

extension EncodeOptions {
    /// Memory per pixel of a PNG that is encoded as a whole: raw, packed, filtered and compressed.
    static let bytesPerBufferedPNGPixel = 24

    /// Returns the approximate memory per pixel of an encoder that needs the whole picture.
    func bytesPerPixel(of size: PixelSize) -> Int {
        switch format {
        case .jpeg: bytesPerJPEGPixel(of: size)
        case .png: holds(size) ? Self.bytesPerBufferedPNGPixel : isProgressive ? 4 : 0
        // The memory of an animated GIF: three canvases, the pending frame, and its palette indices.
        case .gif: 20
        // The pixels, twice for sharp YUV conversion, and libwebp's memory.
        case .webp: chroma == .halved ? 8 : 16
        // The pixels, libavif's planes, and several copies in the AV1 encoder.
        case .avif: 16
        }
    }
}
