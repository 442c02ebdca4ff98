import Formats
import Images
import Support

/// The first frame of a GIF as a PNG.
///
/// The poster has the size of the canvas, and is transparent outside the frame. Colours are unchanged. An opaque poster
/// has no alpha channel.
struct Poster {
    let size: PixelSize
    let png: [UInt8]

    /// The part of the cache key that identifies the version of the output. Change it whenever the output changes.
    static let variantOptions = "poster;frame=0;png;v1"

    /// Throws `ImageError`, `FormatFailure`, `Cancelled`, and errors of the source.
    ///
    /// - Parameter options: shared by all posters of a run, so that its memory limit applies to all of them together.
    init(of source: some ByteSource, options: DecodeOptions) throws {
        let frame = try decodeFrame(0, of: source, options: options.begun())
        size = frame.size
        png = try encode(frame.withoutNeedlessAlpha, EncodeOptions(format: .png))
    }
}

extension PixelBuffer {
    /// The buffer without its alpha channel if every pixel is opaque. Cost: O(pixels).
    var withoutNeedlessAlpha: PixelBuffer {
        guard channels == 4, stride(from: 3, to: bytes.count, by: 4).allSatisfy({ bytes[$0] == 255 }) else {
            return self
        }
        let opaque = [UInt8](unsafeUninitializedCapacity: bytes.count / 4 * 3) { buffer, initialized in
            for pixel in 0..<bytes.count / 4 {
                for channel in 0..<3 { buffer[pixel * 3 + channel] = bytes[pixel * 4 + channel] }
            }
            initialized = bytes.count / 4 * 3
        }
        return PixelBuffer(size: size, channels: 3, bytes: opaque)
    }
}
