import Formats
import Support

/// What has been made of a picture.
public struct ShrinkResult: Sendable, Hashable {
    /// The output, upright.
    public let size: PixelSize
    public let format: OutputFormat
    /// Bytes that went to the sink.
    public let bytes: Int
    public let source: PictureInfo
}

/// Makes a picture smaller (or larger, if so told) and encodes it, row by row.
///
/// The output is upright, sRGB, without metadata, and of exactly the size that `target` gives for the upright source.
/// Equal input and options give equal bytes. Memory stays flat, a few rows, except where the format forces the whole
/// picture into it (progressive JPEG, interlaced PNG, WebP) or the small output must be turned.
///
/// - Parameters:
///   - target: gives the upright output size for the upright source size.
///   - sink: takes the bytes piece by piece. After an error it has been given only a beginning.
/// Throws `FormatFailure` and `ImageError` for the picture, `Cancelled`, and what source and sink throw.
public func shrink(
    _ source: some ByteSource, to target: (PixelSize) -> PixelSize, encode options: EncodeOptions,
    limits: DecodeLimits = .standard, interruption: Interruption = Interruption(),
    into sink: (UnsafeRawBufferPointer) throws -> Void
) throws -> ShrinkResult {
    try shrink(
        source, inspect(source, limits: limits), to: target, encode: options, limits: limits, interruption: interruption,
        into: sink)
}

/// The same for a source that has been inspected already, with these limits.
public func shrink(
    _ source: some ByteSource, _ info: PictureInfo, to target: (PixelSize) -> PixelSize, encode options: EncodeOptions,
    limits: DecodeLimits = .standard, interruption: Interruption = Interruption(),
    into sink: (UnsafeRawBufferPointer) throws -> Void
) throws -> ShrinkResult {
    let plan = ResizePlan(
        source: info.storedSize, orientation: info.orientation, target: target(info.uprightSize))
    try checkOutput(plan.target, options.format)
    let bytes = try withoutActuallyEscaping(sink) { sink in
        let drain = ByteDrain(options.format, sink)
        let job = ShrinkJob(plan: plan, options: options, limits: limits, interruption: interruption, drain: drain)
        let reading = DecodeOptions(limits: limits, interruption: interruption).begun()
        let reduction = min(
            Double(plan.source.width) / Double(plan.storedTarget.width),
            Double(plan.source.height) / Double(plan.storedTarget.height))
        if info.format == .jpeg {
            let jpeg = try JPEGReader(source, options: reading)
            guard jpeg.size == info.storedSize else { throw ImageError.corrupt(.jpeg, "two sizes") }
            let transform = ColourTransform(profile: jpeg.profile, layout: jpeg.layout)
            if jpeg.hasPlanes && transform == nil && options.format == .jpeg {
                try job.run(jpeg.planes(scale: plan.jpegScale, reduction: reduction))
            } else {
                try job.run(jpeg.rows(scale: plan.jpegScale, reduction: reduction), transform)
            }
        } else {
            let reader = try rowReader(source, info, scale: 8, options: reading)
            try job.run(reader, ColourTransform(profile: reader.profile, layout: reader.layout))
        }
        return drain.count
    }
    return ShrinkResult(size: plan.target, format: options.format, bytes: bytes, source: info)
}

/// Makes a picture smaller and gives its bytes, as `shrink(_:to:encode:limits:interruption:into:)` does.
public func shrink(
    _ source: some ByteSource, to target: (PixelSize) -> PixelSize, encode options: EncodeOptions,
    limits: DecodeLimits = .standard, interruption: Interruption = Interruption()
) throws -> (bytes: [UInt8], result: ShrinkResult) {
    var bytes: [UInt8] = []
    let result = try shrink(source, to: target, encode: options, limits: limits, interruption: interruption) {
        bytes.append(contentsOf: $0)
    }
    return (bytes, result)
}

/// One picture under way from a reader to a writer.
struct ShrinkJob {
    let plan: ResizePlan
    let options: EncodeOptions
    let limits: DecodeLimits
    let interruption: Interruption
    let drain: ByteDrain
}
