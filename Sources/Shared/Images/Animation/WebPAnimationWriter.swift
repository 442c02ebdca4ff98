import CWebP
import Formats
import Support

/// Encodes an animation as a lossy WebP, by libwebpmux, which crops frames to what changed and blends them.
///
/// Frames that equal the one before are merged with it, as libwebpmux has it; times stay. All of the output is in
/// memory until the end, as the container begins with its size.
final class WebPAnimationWriter: AnimationWriter {
    private let size: PixelSize
    private let drain: ByteDrain
    private let encoder: OpaquePointer
    private var config = WebPConfig()
    /// When the next frame begins, in milliseconds from the start.
    private var time = 0

    /// Frames from one that stands alone to the next. Others hold differences, which cost half the time and far fewer
    /// bytes, but what each is off by adds up: two seconds at 30 a second.
    private static let keyFrameDistance: Int32 = 60

    init(
        size: PixelSize, plays: Int, quality: Int, limits: DecodeLimits, into drain: ByteDrain
    ) throws {
        // Three canvases of libwebpmux and what libwebp makes of a frame.
        try limits.check(memory: size, bytesPerPixel: 24)
        var options = WebPAnimEncoderOptions()
        guard
            WebPAnimEncoderOptionsInitInternal(&options, WEBP_MUX_ABI_VERSION) != 0,
            WebPConfigInitInternal(&config, WEBP_PRESET_DEFAULT, Float(quality), WEBP_ENCODER_ABI_VERSION) != 0
        else { throw ImageError.encoder(.webp, "another version of libwebp than this was built for") }
        // 16 bits (WebP container specification, ANIM).
        options.anim_params.loop_count = Int32(min(plays, 0xFFFF))
        options.anim_params.bgcolor = 0
        options.minimize_size = 0
        options.allow_mixed = 0
        options.kmax = Self.keyFrameDistance
        options.kmin = Self.keyFrameDistance - 1
        guard
            let encoder = WebPAnimEncoderNewInternal(
                Int32(size.width), Int32(size.height), &options, WEBP_MUX_ABI_VERSION)
        else { throw ImageError.outOfMemory }
        self.encoder = encoder
        self.size = size
        self.drain = drain
    }

    deinit { WebPAnimEncoderDelete(encoder) }

    func write(_ frame: UnsafePointer<UInt8>, delay: Int) throws {
        try drain.checkpoint(.encodingWebPFrame(size))
        var picture = WebPPicture()
        guard WebPPictureInitInternal(&picture, WEBP_ENCODER_ABI_VERSION) != 0 else {
            throw ImageError.encoder(.webp, "another version of libwebp than this was built for")
        }
        defer { WebPPictureFree(&picture) }
        picture.width = Int32(size.width)
        picture.height = Int32(size.height)
        // Differences are found in pixels as they came, before they become luma and chroma.
        picture.use_argb = 1
        guard WebPPictureImportRGBA(&picture, frame, Int32(size.width * 4)) != 0 else { throw ImageError.outOfMemory }
        let begin = try timestamp()
        guard WebPAnimEncoderAdd(encoder, &picture, begin, &config) != 0 else { throw failure() }
        time += min(max(delay, 0), 1 << 32)
    }

    func finish() throws {
        // The time of nothing is the end of the last frame.
        guard WebPAnimEncoderAdd(encoder, nil, try timestamp(), nil) != 0 else { throw failure() }
        var data = WebPData()
        WebPDataInit(&data)
        defer { WebPDataClear(&data) }
        guard WebPAnimEncoderAssemble(encoder, &data) != 0 else { throw failure() }
        try drain.write(UnsafeRawBufferPointer(start: data.bytes, count: data.size).bytes)
    }

    private func timestamp() throws -> Int32 {
        guard let time = Int32(exactly: time) else { throw ImageError.encoder(.webp, "it lasts over 24 days") }
        return time
    }

    private func failure() -> ImageError {
        .encoder(.webp, WebPAnimEncoderGetError(encoder).map { String(cString: $0) } ?? "libwebpmux fails")
    }
}
