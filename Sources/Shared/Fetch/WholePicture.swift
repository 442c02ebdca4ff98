import Formats
import HTTP
import Store
import Support

extension FileFacts {
    /// The facts of a picture.
    public init(format: ImageFormat, upright size: PixelSize, details: String? = nil) {
        self.init(
            contentType: format.contentType, fileExtension: format.fileExtension, width: size.width,
            height: size.height, details: details)
    }
}

extension HTTPResponse {
    /// Inspects a body whose end is marked only by the end of the connection. Throws `FetchFailure.cutShort` if the
    /// picture is truncated, because the connection may have been closed too early, and the other errors of `inspect`.
    func requireEnd(_ inspect: () throws -> Void) throws {
        guard endsAtClose, isFullRepresentation || status == 206 else { return }
        do {
            try inspect()
        } catch FormatFailure.empty, FormatFailure.truncated, FormatFailure.truncatedMovie {
            throw FetchFailure.cutShort(url: url, detail: "it was closed before the end of the picture")
        }
    }
}

extension CacheStore {
    /// Accepts complete pictures of readable formats (`ImageInspection`). Throws `FormatFailure`.
    public static let wholePicture: Inspection = { source in
        let header = try ImageInspection.inspect(source)
        return FileFacts(format: header.format, upright: header.uprightSize)
    }

    /// Accepts complete movies too. Throws `FormatFailure`.
    public static let wholePictureOrMovie: Inspection = { source in
        guard try MovieInspection.recognizes(source) else { return try wholePicture(source) }
        let format = try MovieInspection.inspect(source)
        return FileFacts(contentType: format.contentType, fileExtension: format.fileExtension)
    }
}
