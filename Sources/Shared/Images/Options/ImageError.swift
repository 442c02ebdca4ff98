import Formats
import Support

/// Why a picture cannot be decoded, or not be written.
public enum ImageError: Failure, Equatable {
    /// The bytes break a rule of the format; the fault is the decoder's own wording.
    case corrupt(ImageFormat, String)
    /// The bytes end before the picture does.
    case truncated(ImageFormat)
    /// A picture of a kind that is not read, such as a lossless or 12-bit JPEG.
    case unsupported(ImageFormat, String)
    /// The bytes don't begin as the format does.
    case notAnImage
    /// More pixels than allowed.
    case tooManyPixels(PixelSize, limit: Int)
    /// More bytes than allowed.
    case tooManyBytes(Int, limit: Int)
    /// More memory needed than allowed, since the format forces the whole picture into it.
    case tooMuchMemory(bytes: Int, limit: Int)
    /// More frames than allowed.
    case tooManyFrames(Int, limit: Int)
    /// More pixels in all frames together than allowed.
    case tooManyAnimationPixels(PixelSize, frames: Int, limit: Int)
    /// More work than allowed.
    case tooSlow(seconds: Double)
    /// More scans of a JPEG than allowed.
    case tooManyScans(limit: Int)
    /// Something else that a decoder limits.
    case overLimit(ImageFormat, String)
    /// The system refuses memory.
    case outOfMemory
    /// A region that covers nothing of the picture.
    case regionOutside(Region, PixelSize)
    /// Even the lowest quality takes more bytes than the output may have.
    case doesNotFit(OutputFormat, bytes: Int, limit: Int)
    /// An animation does not have a frame of that number, counted from 0.
    case noSuchFrame(Int, count: Int)
    /// The output format cannot hold a picture of that size.
    case outputTooLarge(OutputFormat, PixelSize)
    /// The encoder refuses; the fault is its own wording.
    case encoder(OutputFormat, String)
    /// The library that writes the format cannot be used here; the fault says why and what to install.
    case codecMissing(OutputFormat, String)
    /// The library that reads the format cannot be used here; the fault says why and what to install.
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
        case .truncated(let format): "the \(format.name) ends too early: fetch it again"
        case .unsupported(let format, let fault): "this kind of \(format.name) is not read: \(fault)"
        case .notAnImage: "the bytes are no picture"
        case .tooManyPixels(let size, let limit): "a picture of \(size) pixels is over the limit of \(limit) pixels"
        case .tooManyBytes(let count, let limit): "a picture of \(count) bytes is over the limit of \(limit) bytes"
        case .tooMuchMemory(let bytes, let limit):
            "the picture would take \(bytes) bytes of memory, over the limit of \(limit)"
        case .tooManyFrames(let count, let limit): "an animation of \(count) frames is over the limit of \(limit)"
        case .tooManyAnimationPixels(let size, let frames, let limit):
            "\(frames) frames of \(size) pixels are over the limit of \(limit) pixels in all"
        case .tooSlow(let seconds):
            "the picture takes more than \(Int(exactly: seconds).map(String.init) ?? "\(seconds)") seconds"
        case .tooManyScans(let limit): "the JPEG has more scans than the limit of \(limit)"
        case .overLimit(let format, let excess): "the \(format.name) is over a limit: \(excess)"
        case .outOfMemory: "the system has no memory left for the picture"
        case .regionOutside(let region, let size): "the region \(region) covers nothing of a picture of \(size) pixels"
        case .doesNotFit(let format, let bytes, let limit):
            "the smallest \(format.name) takes \(bytes) bytes, over the \(limit) it may have: choose a smaller size"
        case .noSuchFrame(let index, let count): "there is no frame \(index): the picture has \(count), from 0 on"
        case .outputTooLarge(let format, let size): "a \(format.name) cannot hold \(size) pixels: choose a smaller size"
        case .encoder(let format, let fault): "the \(format.name) cannot be written: \(fault)"
        case .codecMissing(let format, let fault): "\(format.name) cannot be written here: \(fault)"
        case .decoderMissing(let format, let fault): "\(format.name) cannot be read here: \(fault)"
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
