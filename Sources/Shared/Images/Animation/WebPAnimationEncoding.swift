import CWebP
import Formats

/// Encodes an animation with libwebpmux, which merges equal consecutive frames and keeps the timing.
final class WebPAnimationEncoding {
    enum Mode {
        case lossy
        /// Encodes each frame with and without loss, and keeps the smaller data. Takes 1.5 times as long as `lossy`.
        case mixed
        case lossless
    }

    private let size: PixelSize
    private let encoder: OpaquePointer
    private var config = WebPConfig()
    /// Whether any frame has transparent pixels.
    private var isTransparent = false

    /// The interval of lossy key frames: two seconds at 30 frames per second. The frames between key frames store
    /// differences, which take half the time and far fewer bytes, but accumulate errors. Lossless frames accumulate no
    /// errors, so only the first frame is a key frame.
    private static let keyFrameDistance: Int32 = 60
    /// On canvases of up to this many pixels, libwebpmux tries all encodings of a frame, which takes ten times as long
    /// and saves a few percent. The limit is 128 x 128 pixels, or 512 x 512 pixels with an effort of 7 or more.
    private static let smallCanvas = 16_384
    /// The highest of libwebp's ten lossless levels that is not much slower than lossy encoding.
    private static let losslessLevel: Int32 = 4

    init(size: PixelSize, plays: Int, _ mode: Mode, _ encoding: EncodeOptions) throws {
        self.size = size
        var options = WebPAnimEncoderOptions()
        let isSmall = (size.pixels ?? .max) <= (encoding.effort < 7 ? Self.smallCanvas : Self.smallCanvas * 16)
        // The lossless preset below overrides this quality.
        let quality = Float(encoding.quality)
        guard
            WebPAnimEncoderOptionsInitInternal(&options, WEBP_MUX_ABI_VERSION) != 0,
            WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, quality, WEBP_ENCODER_ABI_VERSION) != 0,
            mode != .lossless || WebPConfigLosslessPreset(&config, isSmall ? 9 : Self.losslessLevel) != 0
        else { throw ImageError.otherWebPVersion }
        // The loop count has 16 bits (WebP container specification, ANIM).
        options.anim_params.loop_count = Int32(min(plays, 0xFFFF))
        options.anim_params.bgcolor = 0
        options.minimize_size = isSmall ? 1 : 0
        options.allow_mixed = mode == .mixed ? 1 : 0
        if mode == .lossless {
            options.kmax = 0
        } else {
            if encoding.effort >= 7 { config.method = 6 }
            options.kmax = Self.keyFrameDistance
            options.kmin = Self.keyFrameDistance - 1
        }
        guard
            let encoder = WebPAnimEncoderNewInternal(
                Int32(size.width), Int32(size.height), &options, WEBP_MUX_ABI_VERSION)
        else { throw ImageError.outOfMemory }
        self.encoder = encoder
    }

    deinit { WebPAnimEncoderDelete(encoder) }

    /// Adds the next frame: the whole canvas as RGBA with straight alpha.
    ///
    /// - Parameter time: the start of the frame in milliseconds.
    func add(_ frame: UnsafePointer<UInt8>, at time: Int32) throws {
        var picture = WebPPicture()
        guard WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION) != 0 else {
            throw ImageError.otherWebPVersion
        }
        defer { WebPPictureFree(&picture) }
        if !isTransparent {
            isTransparent = (0..<size.width * size.height).contains { frame[$0 * 4 + 3] < 255 }
        }
        picture.width = Int32(size.width)
        picture.height = Int32(size.height)
        // Makes libwebpmux compare frames before it converts them to luma and chroma.
        picture.use_argb = 1
        guard WebPPictureImportRGBA(&picture, frame, Int32(size.width * 4)) != 0 else { throw ImageError.outOfMemory }
        guard WebPAnimEncoderAdd(encoder, &picture, time, &config) != 0 else { throw failure }
    }

    /// Returns the file. Call it once, after the last frame.
    ///
    /// - Parameter time: the end of the last frame in milliseconds.
    func finish(at time: Int32) throws -> [UInt8] {
        guard WebPAnimEncoderAdd(encoder, nil, time, nil) != 0 else { throw failure }
        var data = WebPData()
        WebPDataInit(&data)
        defer { WebPDataClear(&data) }
        guard WebPAnimEncoderAssemble(encoder, &data) != 0 else { throw failure }
        var bytes = Array(UnsafeBufferPointer(start: data.bytes, count: data.size))
        // libwebpmux sets the alpha flag only if a cropped frame has alpha, so it misses transparent edges around
        // opaque pixels. The flags are in byte 20, in the extended header.
        if isTransparent, bytes.count > 20, bytes[12..<16].elementsEqual("VP8X".utf8) {
            bytes[20] |= UInt8(truncatingIfNeeded: ALPHA_FLAG.rawValue)
        }
        return bytes
    }

    private var failure: ImageError { .encoder(.webp, String(cString: WebPAnimEncoderGetError(encoder))) }
}
