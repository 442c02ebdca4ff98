import Support

/// An error in the bytes of a picture or movie.
public enum FormatFailure: Failure, Equatable {
    case empty
    case notAnImage(BodyKind)
    /// A picture of an unsupported format, and the supported formats.
    case unsupported(BodyKind, readable: [ImageFormat])
    /// A picture of another format instead of a GIF.
    case notGIF(ImageFormat)
    case truncated(ImageFormat)
    /// The bytes violate the format. The fault is a noun phrase such as `a width or height of 0`.
    case corrupt(ImageFormat, String)
    /// An unsupported feature of the format, a noun phrase such as `a sequence without a still picture`.
    case notRead(ImageFormat, String)
    /// A picture that exceeds a limit: the frames of a GIF or their pixels, or the pages of a TIFF.
    case overLimit(ImageFormat, String)
    /// A TIFF without the requested page. Pages are counted from 0; `count` is the number of pages.
    case noSuchPage(Int, count: Int)
    case truncatedMovie
    /// A movie with invalid boxes. The fault is a noun phrase.
    case corruptMovie(String)

    public var code: String {
        switch self {
        case .empty: "empty-body"
        case .notAnImage: "not-an-image"
        case .unsupported, .notRead: "unsupported-image"
        case .notGIF: "not-a-gif"
        case .truncated: "truncated-image"
        case .corrupt: "corrupt-image"
        case .overLimit: "over-limit"
        case .noSuchPage: "no-such-frame"
        case .truncatedMovie: "truncated-movie"
        case .corruptMovie: "corrupt-movie"
        }
    }

    public var message: String {
        switch self {
        case .empty: "no data"
        case .notAnImage(let kind): "\(kind.phrase), not a picture"
        case .unsupported(let kind, let formats):
            "\(kind.phrase); supported formats: \(formats.map(\.name).list(before: "and"))"
        case .notGIF(let format): "a \(format.name) picture, not a GIF"
        case .truncated(let format): "the \(format.name) is truncated; fetch it again"
        case .corrupt(let format, let fault): "the \(format.name) is corrupt: \(fault)"
        case .notRead(let format, let feature): "unsupported \(format.name): \(feature)"
        case .overLimit(let format, let excess): "the \(format.name) exceeds the limit: \(excess)"
        case .noSuchPage(let page, let count):
            "the TIFF has no page \(page); it has \(count == 1 ? "one page" : "\(count) pages"), counted from 0"
        case .truncatedMovie: "the movie is truncated; fetch it again"
        case .corruptMovie(let fault): "the movie is corrupt: \(fault)"
        }
    }

    public var exitCode: ExitCode { if case .overLimit = self { .notAllowed } else { .data } }
}
