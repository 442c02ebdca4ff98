import Formats
import Images
import Support

/// The first frame of a GIF as a viewer shows it, as a PNG.
///
/// It is drawn on the whole canvas: a frame that covers a part of it leaves the rest transparent. Pixels keep their
/// colours; alpha is left out where every pixel is opaque.
struct Poster {
    let size: PixelSize
    let png: [UInt8]

    /// Names the bytes in the key of the cache; to be raised when they change.
    static let edition = "poster;frame=0;png;v1"

    /// - Parameter options: what it may cost, over all posters of a run, and what stops it.
    ///
    /// Throws `ImageError`, `FormatFailure`, `Cancelled`, and what the source throws.
    init(of source: some ByteSource, options: DecodeOptions) throws {
        let frame = try decodeFrame(0, of: source, options: options.begun())
        size = frame.size
        png = try encode(frame.withoutNeedlessAlpha, EncodeOptions(format: .png))
    }
}

extension PixelBuffer {
    /// RGB instead of RGB and alpha where every pixel is opaque. O(pixels).
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
