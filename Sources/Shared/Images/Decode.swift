import Formats
import Support

/// Decodes a picture at its full size: upright, sRGB, 8 bits a sample; the first frame of an animation.
///
/// Takes memory for all of its pixels, up to `limits.maxMemoryBytes`; to make a picture smaller, use `downsample`, which
/// doesn't. Throws `FormatFailure`, `ImageError`, and what the source throws.
public func decode(
    _ source: some ByteSource, limits: DecodeLimits = .standard, interruption: Interruption = Interruption()
) throws -> PixelBuffer {
    let info = try inspect(source, limits: limits)
    return try decode(source, info, options: DecodeOptions(limits: limits, interruption: interruption).begun())
}

/// The same for a picture whose header has been read.
func decode(_ source: some ByteSource, _ info: ImageHeader, options: DecodeOptions) throws -> PixelBuffer {
    try pixels(
        of: rowReader(source, info, scale: 8, options: options), orientation: info.orientation, options: options)
}

/// All rows of a reader, turned upright.
func pixels(of reader: any RowReader, orientation: Orientation, options: DecodeOptions) throws -> PixelBuffer {
    let channels = reader.layout.channels
    try options.limits.check(memory: reader.size, bytesPerPixel: channels)
    let rowBytes = reader.size.width * channels
    let bytes = try [UInt8](unsafeUninitializedCapacity: rowBytes * reader.size.height) { buffer, initialized in
        for y in 0..<reader.size.height {
            if y % 64 == 0 { try options.interruption.check() }
            try reader.readRow(into: buffer.baseAddress! + y * rowBytes)
        }
        initialized = rowBytes * reader.size.height
    }
    try reader.finish()
    return PixelBuffer(size: reader.size, channels: channels, bytes: bytes).upright(from: orientation)
}

/// The rows of any picture in sRGB; a JPEG at `scale` eighths of its size.
///
/// - Parameter keepsProfile: whether rows stay in the embedded profile, if there is one for gray or RGB.
func rowReader(
    _ source: some ByteSource, _ info: ImageHeader, scale: Int, keepsProfile: Bool = false,
    options: DecodeOptions
) throws -> any RowReader {
    let stored: any RowReader =
        switch info.format {
        case .jpeg: try JPEGReader(source, info, options: options).rows(scale: scale)
        case .png where info.hidesStill:
            try FirstFrameRows(source, options: options)
                ?? PNGReader(source, options: options, keepsProfile: keepsProfile)
        case .png: try PNGReader(source, options: options, keepsProfile: keepsProfile)
        case .gif: try GIFReader(source, size: info.storedSize, options: options)
        case .webp: try WebPReader(source, size: info.storedSize, options: options)
        case .tiff: try TIFFReader(source, info, options: options, keepsProfile: keepsProfile)
        case .avif, .heic: try heifReader(source, info, options: options, keepsProfile: keepsProfile)
        case .jpegXL: try JPEGXLReader(source, size: info.storedSize, options: options, keepsProfile: keepsProfile)
        }
    if keepsProfile && stored.profile != nil && stored.layout != .cmyk { return stored }
    return stored.transform.map { SRGBRows(stored, $0, options: options) } ?? stored
}
