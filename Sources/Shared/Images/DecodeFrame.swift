import Formats
import Support

/// Decodes a frame of a GIF, WebP or PNG animation as displayed, in sRGB with alpha.
///
/// Decodes all earlier frames. `index` counts from 0; a still picture of any format has only frame 0. Throws
/// `ImageError.noSuchFrame` for other frames, and the errors of `decode`.
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
