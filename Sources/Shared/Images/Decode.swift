import Formats
import Support

/// Decodes a picture, or the first frame of an animation, at full size: upright, in sRGB, with 8 bits per sample.
///
/// Needs memory for all pixels, up to `limits.maxMemoryBytes`; `downsample` resizes a picture with less memory. Throws
/// `FormatFailure`, `ImageError`, and errors of the source.
public func decode(
    _ source: some ByteSource, limits: DecodeLimits = .standard, interruption: Interruption = Interruption()
) throws -> PixelBuffer {
    let info = try inspect(source, limits: limits)
    return try decode(source, info, options: DecodeOptions(limits: limits, interruption: interruption).begun())
}

func decode(_ source: some ByteSource, _ info: ImageHeader, options: DecodeOptions) throws -> PixelBuffer {
    try rowReader(source, info, options: options).pixels(orientation: info.orientation, options: options)
}

/// Opens the rows of a picture of any format, at full size and in sRGB.
///
/// - Parameter keepsProfile: whether gray and RGB rows stay in their embedded profile, instead of being converted to
///   sRGB.
func rowReader(
    _ source: some ByteSource, _ info: ImageHeader, keepsProfile: Bool = false, options: DecodeOptions
) throws -> any RowReader {
    let stored = try ImageDecoder.of(info.format).rows(source, info, keepsProfile, options)
    if keepsProfile && stored.profile != nil && stored.layout != .cmyk { return stored }
    return stored.transform.map { SRGBRows(stored, $0, options: options) } ?? stored
}

/// Opens the frames of a GIF, WebP or animated PNG; a still GIF or WebP has a single frame. Returns nil for other
/// pictures.
///
/// Before allocating memory, checks the size of the canvas, the number of frames, and their product against
/// `options.limits`. With `options.allowsTruncated`, the reader returns the complete frames of a truncated file. The
/// first frame of a GIF may then be incomplete. Throws `FormatFailure`, `ImageError`, and errors of the source.
func animationReader(
    _ source: some ByteSource, _ info: ImageHeader, options: DecodeOptions
) throws -> (any AnimationReader)? {
    try ImageDecoder.of(info.format).frames?(source, options)
}

extension ImageDecoder {
    static let all: [ImageDecoder] = [.jpeg, .png, .gif, .webp, .tiff, .heif, .jpegXL]

    /// Returns the decoder of a format. A test checks that every format has a decoder.
    static func of(_ format: ImageFormat) -> ImageDecoder { all.first { $0.formats.contains(format) }! }
}

/// Decodes a frame of a GIF, WebP or PNG animation as displayed, in sRGB with alpha.
///
/// Also decodes all earlier frames. `index` counts from 0; a still picture has only frame 0. For a TIFF, `index` is the
/// page. Throws `ImageError.noSuchFrame` if there is no such frame, and the errors of `decode`.
public func decodeFrame(
    _ index: Int, of source: some ByteSource, options: DecodeOptions = DecodeOptions()
) throws -> PixelBuffer {
    let info = try inspect(source, limits: options.limits, page: max(index, 0))
    guard let reader = try animationReader(source, info, options: options) else {
        guard index == info.page else { throw ImageError.noSuchFrame(index, count: 1) }
        return try decode(source, info, options: options.begun())
    }
    guard index >= 0, index < reader.frameCount else {
        throw ImageError.noSuchFrame(index, count: reader.frameCount)
    }
    let count = reader.size.width * reader.size.height * 4
    try options.limits.check(memory: count)
    while let frame = try reader.nextFrame() {
        guard frame.index == index else { continue }
        var bytes = Array(UnsafeBufferPointer(start: frame.pixels, count: count))
        if let transform = ColourTransform(profile: reader.profile, layout: .rgba) {
            try bytes.withUnsafeMutableBufferPointer {
                try transform.apply($0.baseAddress!, $0.baseAddress!, count: count / 4, checking: options)
            }
        }
        return PixelBuffer(size: reader.size, channels: 4, bytes: bytes).upright(from: info.orientation)
    }
    throw ImageError.truncated(info.format)
}
