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
    /// More memory needed than allowed, where the format forces the whole picture into it.
    case tooMuchMemory(bytes: Int, limit: Int)
    /// Something else that a decoder limits, such as the scans of a progressive JPEG.
    case overLimit(ImageFormat, String)
    /// The system refuses memory.
    case outOfMemory
    /// A region that covers nothing of the picture.
    case regionOutside(Region, PixelSize)
    /// Even the lowest quality takes more bytes than the output may have.
    case doesNotFit(OutputFormat, bytes: Int, limit: Int)
    /// The output format cannot hold a picture of that size.
    case outputTooLarge(OutputFormat, PixelSize)
    /// The encoder refuses; the fault is its own wording.
    case encoder(OutputFormat, String)

    public var code: String {
        switch self {
        case .corrupt: "corrupt-image"
        case .truncated: "truncated-image"
        case .unsupported: "unsupported-image"
        case .notAnImage: "not-an-image"
        case .tooManyPixels: "too-many-pixels"
        case .tooManyBytes: "too-many-bytes"
        case .tooMuchMemory: "out-of-memory-limit"
        case .overLimit: "over-limit"
        case .outOfMemory: "out-of-memory"
        case .regionOutside: "region-outside"
        case .doesNotFit: "does-not-fit"
        case .outputTooLarge: "output-too-large"
        case .encoder: "encoder"
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
        case .overLimit(let format, let excess): "the \(format.name) is over a limit: \(excess)"
        case .outOfMemory: "the system has no memory left for the picture"
        case .regionOutside(let region, let size): "the region \(region) covers nothing of a picture of \(size) pixels"
        case .doesNotFit(let format, let bytes, let limit):
            "the smallest \(format.name) takes \(bytes) bytes, over the \(limit) it may have: choose a smaller size"
        case .outputTooLarge(let format, let size): "a \(format.name) cannot hold \(size) pixels: choose a smaller size"
        case .encoder(let format, let fault): "the \(format.name) cannot be written: \(fault)"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .corrupt, .truncated, .unsupported, .notAnImage, .regionOutside: .data
        case .tooManyPixels, .tooManyBytes, .tooMuchMemory, .overLimit, .outputTooLarge, .doesNotFit: .notAllowed
        case .outOfMemory: .temporary
        case .encoder: .software
        }
    }
}
