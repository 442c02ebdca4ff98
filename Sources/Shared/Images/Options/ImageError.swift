import Formats
import Support

/// A failure to decode or encode a picture.
public enum ImageError: Failure, Equatable {
    /// The bytes violate the format. The message comes from the decoder.
    case corrupt(ImageFormat, String)
    case truncated(ImageFormat)
    /// An unsupported kind of picture, such as a lossless or 12-bit JPEG.
    case unsupported(ImageFormat, String)
    /// The bytes have no known signature.
    case notAnImage
    case tooManyPixels(PixelSize, limit: Int)
    case tooManyBytes(Int, limit: Int)
    /// The format needs the whole picture in memory, which exceeds the limit.
    case tooMuchMemory(bytes: Int, limit: Int)
    case tooManyFrames(Int, limit: Int)
    /// The pixels of all frames together exceed the limit.
    case tooManyAnimationPixels(PixelSize, frames: Int, limit: Int)
    case tooSlow(seconds: Double)
    case tooManyScans(limit: Int)
    /// The picture exceeds any other limit of a decoder.
    case overLimit(ImageFormat, String)
    case outOfMemory
    /// The region contains no pixel of the picture.
    case regionOutside(Region, PixelSize)
    /// Even the lowest quality exceeds the size limit of the output.
    case doesNotFit(OutputFormat, bytes: Int, limit: Int)
    /// The animation has no frame of this index, counted from 0.
    case noSuchFrame(Int, count: Int)
    case outputTooLarge(OutputFormat, PixelSize)
    /// The encoder failed. The message comes from the encoder.
    case encoder(OutputFormat, String)
    /// The library of an encoder or decoder cannot be used. The message states the reason and the package to install.
    case codecMissing(OutputFormat, String)
    case decoderMissing(ImageFormat, String)

    public var code: String {
        switch self {
        case .corrupt: "corrupt-image"
        case .truncated: "truncated-image"
        case .unsupported: "unsupported-image"
        case .notAnImage: "not-an-image"
        case .tooManyPixels: "too-many-pixels"
        case .tooManyBytes: "too-many-bytes"
        case .tooMuchMemory: "out-of-memory-limit"
        case .tooManyFrames: "too-many-frames"
        case .tooManyAnimationPixels: "too-many-animation-pixels"
        case .tooSlow: "too-slow"
        case .tooManyScans: "too-many-scans"
        case .overLimit: "over-limit"
        case .outOfMemory: "out-of-memory"
        case .regionOutside: "region-outside"
        case .doesNotFit: "does-not-fit"
        case .noSuchFrame: "no-such-frame"
        case .outputTooLarge: "output-too-large"
        case .encoder: "encoder"
        case .codecMissing, .decoderMissing: "codec-missing"
        }
    }

    public var message: String {
        switch self {
        case .corrupt(let format, let fault): "the \(format.name) is corrupt: \(fault)"
        case .truncated(let format): "the \(format.name) is truncated; fetch it again"
        case .unsupported(let format, let fault): "unsupported \(format.name): \(fault)"
        case .notAnImage: "the bytes are not a picture"
        case .tooManyPixels(let size, let limit): "a picture of \(size) pixels exceeds the limit of \(limit) pixels"
        case .tooManyBytes(let count, let limit): "a picture of \(count) bytes exceeds the limit of \(limit) bytes"
        case .tooMuchMemory(let bytes, let limit):
            "the picture needs \(bytes) bytes of memory, more than the limit of \(limit)"
        case .tooManyFrames(let count, let limit): "an animation of \(count) frames exceeds the limit of \(limit)"
        case .tooManyAnimationPixels(let size, let frames, let limit):
            "\(frames) frames of \(size) pixels exceed the limit of \(limit) pixels in total"
        case .tooSlow(let seconds):
            "the picture takes longer than the limit of "
                + "\(Int(exactly: seconds).map(String.init) ?? "\(seconds)") seconds"
        case .tooManyScans(let limit): "the JPEG has more scans than the limit of \(limit)"
        case .overLimit(let format, let excess): "the \(format.name) exceeds a limit: \(excess)"
        case .outOfMemory: "not enough memory for the picture"
        case .regionOutside(let region, let size): "the region \(region) is outside a picture of \(size) pixels"
        case .doesNotFit(let format, let bytes, let limit):
            "the \(format.name) has at least \(bytes) bytes at any quality, more than the limit of \(limit); "
                + "use a smaller size"
        case .noSuchFrame(let index, let count):
            "the picture has no frame \(index); it has \(count == 1 ? "one frame" : "\(count) frames"), counted from 0"
        case .outputTooLarge(let format, let size): "a \(format.name) cannot have \(size) pixels; use a smaller size"
        case .encoder(let format, let fault): "cannot encode the \(format.name): \(fault)"
        case .codecMissing(let format, let fault): "cannot write \(format.name): \(fault)"
        case .decoderMissing(let format, let fault): "cannot read \(format.name): \(fault)"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .corrupt, .truncated, .unsupported, .notAnImage, .noSuchFrame, .regionOutside: .data
        case .tooManyPixels, .tooManyBytes, .tooMuchMemory, .tooManyFrames, .tooManyAnimationPixels, .tooSlow,
            .tooManyScans, .overLimit, .outputTooLarge, .doesNotFit:
            .notAllowed
        case .codecMissing, .decoderMissing: .unavailable
        case .outOfMemory: .temporary
        case .encoder: .software
        }
    }
}
