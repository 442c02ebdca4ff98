import Formats
import Support

/// Makes pictures smaller (or larger, if asked to) and encodes them: any number of outputs from one decoding.
///
/// Outputs are upright, sRGB unless told otherwise, and of exactly the size that their geometry gives for the upright
/// source, whatever way the source is decoded. Equal input and the same set of outputs give equal bytes. Memory stays
/// flat, a few rows, unless a format forces the whole picture into it (progressive JPEG, interlaced PNG, WebP), or
/// a small output must be turned, looked at or encoded as a whole.
///
/// - Parameters:
///   - isLinear: whether colours are mixed in linear light, which is slower and keeps the light of fine bright detail.
///   - done: gets the index and the result of each output as soon as its last byte has gone to its sink,
///     the smallest first.
/// Throws `FormatFailure` and `ImageError` for the picture, `Cancelled`, and what source, sinks and `done` throw.
public func downsample(
    _ source: some ByteSource, _ info: ImageHeader, to outputs: [Output], options: DecodeOptions = DecodeOptions(),
    isLinear: Bool = false, done: (Int, DownsampleResult) throws -> Void
) throws {
    try DownsampleJob(info: info, outputs: outputs, options: options, isLinear: isLinear).run(source, done: done)
}

/// Makes an output of pixels that are there, as `downsample` makes it of a picture. Throws `ImageError`, `Cancelled`,
/// and what the sink throws.
public func render(
    _ pixels: PixelBuffer, to output: Output, options: DecodeOptions = DecodeOptions()
) throws -> DownsampleResult {
    let info = ImageHeader(
        format: .png, storedSize: pixels.size, isAnimated: false, hasAlpha: pixels.hasAlpha)
    var result: DownsampleResult?
    try DownsampleJob(info: info, outputs: [output], options: options, isLinear: false).run(pixels) { result = $1 }
    return result!
}
