import Formats
import Support

/// Resizes a picture to any number of outputs in a single decode, and encodes them.
///
/// Outputs are upright, in sRGB unless they keep the profile, and exactly as large as their geometry requires for the
/// upright source. The output is deterministic. Needs memory for a few rows, except for formats that do not stream
/// (interlaced PNG, WebP, AVIF, HEIC, JPEG XL) and for outputs that must be rotated, analysed or encoded as a whole.
///
/// - Parameters:
///   - isLinear: whether to mix colours in linear light, which is slower and preserves the brightness of fine bright
///     detail.
///   - done: receives the index and result of each output after its last byte was written to its sink. Called for the
///     smallest output first.
///
/// Throws `FormatFailure` and `ImageError` for the picture, `Cancelled`, and the errors of source, sinks and `done`.
public func downsample(
    _ source: some ByteSource, _ info: ImageHeader, to outputs: [Output], options: DecodeOptions = DecodeOptions(),
    isLinear: Bool = false, done: (Int, DownsampleResult) throws -> Void
) throws {
    try DownsampleJob(info: info, outputs: outputs, options: options, isLinear: isLinear).run(source, done: done)
}

/// Resizes and encodes pixels in memory, like `downsample`. Throws `ImageError`, `Cancelled`, and the errors of the
/// sink.
public func render(
    _ pixels: PixelBuffer, to output: Output, options: DecodeOptions = DecodeOptions()
) throws -> DownsampleResult {
    let info = ImageHeader(format: .png, storedSize: pixels.size, isAnimated: false, hasAlpha: pixels.hasAlpha)
    var result: DownsampleResult?
    try DownsampleJob(info: info, outputs: [output], options: options, isLinear: false).run(pixels) { result = $1 }
    return result!
}
