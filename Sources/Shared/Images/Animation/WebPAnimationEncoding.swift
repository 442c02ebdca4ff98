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
    private let mode: Mode
    private let encoder: OpaquePointer
    private var config = WebPConfig()
    /// The number of next frames to encode at the highest lossless level.
    private var thoroughFrames: Int
    /// Whether any frame has transparent pixels.
    private var isTransparent = false

    /// The interval of lossy key frames: two seconds at 30 frames per second. The frames between key frames store
    /// differences, which take half the time and far fewer bytes, but accumulate errors. Lossless frames accumulate no
    /// errors, so only the first frame is a key frame.
    private static let keyFrameDistance: Int32 = 60
    /// The highest of libwebp's ten lossless levels that is not much slower than lossy encoding.
    private static let losslessLevel: Int32 = 4
    /// Level 9 tries all ways to encode a frame. It takes at least 30 ms for each and saves up to a tenth of a tiny file.
    /// Below effort 7, it encodes only this many frames, and only of an animation with a palette and at most 100 x 100
    /// pixels.
    private static let thoroughFrames = 5

    /// - Parameter hasPalette: whether the first frame has at most 256 colours, as a GIF that is not resized.
    init(size: PixelSize, plays: Int, _ mode: Mode, _ encoding: EncodeOptions, hasPalette: Bool) throws {
        self.size = size
        self.mode = mode
        var options = WebPAnimEncoderOptions()
        let pixels = size.pixels ?? .max
        if encoding.effort >= 7 {
            thoroughFrames = pixels <= 512 * 512 ? .max : 0
        } else {
            let isTiny = mode == .lossless && hasPalette && pixels <= 100 * 100
            thoroughFrames = isTiny ? Self.thoroughFrames : 0
        }
        let quality = Float(encoding.quality)
        guard
            WebPAnimEncoderOptionsInitInternal(&options, WEBP_MUX_ABI_VERSION) != 0,
            WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, quality, WEBP_ENCODER_ABI_VERSION) != 0
        else { throw ImageError.otherWebPVersion }
        // The loop count has 16 bits (WebP container specification, ANIM).
        options.anim_params.loop_count = Int32(min(plays, 0xFFFF))
        options.anim_params.bgcolor = 0
        // libwebpmux then tries all places of a frame's changes, and both modes of a mixed animation. This takes several
        // times as long and saves a few percent.
        options.minimize_size = thoroughFrames > 0 ? 1 : 0
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
        if mode == .lossless {
            guard WebPConfigLosslessPreset(&config, thoroughFrames > 0 ? 9 : Self.losslessLevel) != 0 else {
                throw ImageError.otherWebPVersion
            }
            thoroughFrames -= 1
        }
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
