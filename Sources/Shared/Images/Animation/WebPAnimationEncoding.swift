import CWebP
import Formats

/// An animation on its way through one of libwebpmux's encoders.
///
/// Frames that equal the one before are merged with it, as libwebpmux has it; times stay.
final class WebPAnimationEncoding {
    enum Way {
        /// With single frames without loss if that is smaller (`isMixed`), which takes half as long again.
        case lossy(quality: Int, isMixed: Bool)
        case lossless
    }

    private let size: PixelSize
    private let encoder: OpaquePointer
    private var config = WebPConfig()
    /// Whether the page shows through in any frame.
    private var isTransparent = false

    /// Lossy frames from one that stands alone to the next. Others hold differences, which cost half the time and far
    /// fewer bytes, but what each is off by adds up: two seconds at 30 a second. Without loss nothing adds up, so that
    /// only the first frame stands alone.
    private static let keyFrameDistance: Int32 = 60
    /// Pixels of a canvas up to which libwebpmux may try every way of drawing a frame, which takes ten times as long
    /// for some percent: 128 x 128, and 512 x 512 with an effort of 7 or more.
    private static let smallCanvas = 16_384
    /// Of libwebp's ten levels without loss, the last one that is not markedly slower than lossy frames.
    private static let losslessLevel: Int32 = 4

    /// Throws `ImageError`.
    /// - Parameter effort: 0 to 9.
    init(size: PixelSize, plays: Int, _ way: Way, effort: Int) throws {
        self.size = size
        var options = WebPAnimEncoderOptions()
        guard WebPAnimEncoderOptionsInitInternal(&options, WEBP_MUX_ABI_VERSION) != 0 else { throw Self.otherVersion }
        // 16 bits (WebP container specification, ANIM).
        options.anim_params.loop_count = Int32(min(plays, 0xFFFF))
        options.anim_params.bgcolor = 0
        let isSmall = (size.pixels ?? .max) <= (effort < 7 ? Self.smallCanvas : Self.smallCanvas * 16)
        options.minimize_size = isSmall ? 1 : 0
        switch way {
        case .lossy(let quality, let isMixed):
            guard
                WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, Float(quality), WEBP_ENCODER_ABI_VERSION) != 0
            else { throw Self.otherVersion }
            if effort >= 7 { config.method = 6 }
            options.allow_mixed = isMixed ? 1 : 0
            options.kmax = Self.keyFrameDistance
            options.kmin = Self.keyFrameDistance - 1
        case .lossless:
            guard
                WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, 75, WEBP_ENCODER_ABI_VERSION) != 0,
                WebPConfigLosslessPreset(&config, isSmall ? 9 : Self.losslessLevel) != 0
            else { throw Self.otherVersion }
            options.allow_mixed = 0
            options.kmax = 0
        }
        guard
            let encoder = WebPAnimEncoderNewInternal(
                Int32(size.width), Int32(size.height), &options, WEBP_MUX_ABI_VERSION)
        else { throw ImageError.outOfMemory }
        self.encoder = encoder
    }

    deinit { WebPAnimEncoderDelete(encoder) }

    /// Takes the next frame: all of the canvas, R, G, B and straight alpha. Throws `ImageError`.
    ///
    /// - Parameter time: when it begins, in milliseconds from the start.
    func add(_ frame: UnsafePointer<UInt8>, at time: Int32) throws {
        var picture = WebPPicture()
        guard WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION) != 0 else { throw Self.otherVersion }
        defer { WebPPictureFree(&picture) }
        if !isTransparent {
            isTransparent = (0..<size.width * size.height).contains { frame[$0 * 4 + 3] < 255 }
        }
        picture.width = Int32(size.width)
        picture.height = Int32(size.height)
        // Differences are found in pixels as they came, before they become luma and chroma.
        picture.use_argb = 1
        guard WebPPictureImportRGBA(&picture, frame, Int32(size.width * 4)) != 0 else { throw ImageError.outOfMemory }
        guard WebPAnimEncoderAdd(encoder, &picture, time, &config) != 0 else { throw failure }
    }

    /// The whole file. To be called once, after the last frame. Throws `ImageError`.
    ///
    /// - Parameter time: when the last frame ends.
    func finish(at time: Int32) throws -> [UInt8] {
        guard WebPAnimEncoderAdd(encoder, nil, time, nil) != 0 else { throw failure }
        var data = WebPData()
        WebPDataInit(&data)
        defer { WebPDataClear(&data) }
        guard WebPAnimEncoderAssemble(encoder, &data) != 0 else { throw failure }
        var bytes = Array(UnsafeBufferPointer(start: data.bytes, count: data.size))
        // libwebpmux says that there is alpha only if a frame has some: not if transparent edges were cropped away and
        // the rest is opaque. The flags of the extended header stand behind 20 bytes.
        if isTransparent, bytes.count > 20, bytes[12..<16].elementsEqual("VP8X".utf8) {
            bytes[20] |= UInt8(truncatingIfNeeded: ALPHA_FLAG.rawValue)
        }
        return bytes
    }

    private static let otherVersion = ImageError.encoder(.webp, "another version of libwebp than this was built for")

    private var failure: ImageError {
        .encoder(.webp, WebPAnimEncoderGetError(encoder).map { String(cString: $0) } ?? "libwebpmux fails")
    }
}
