import Formats
import HTTP
import Support

/// Checks the `Content-Type` and all bytes of an answer that should be a GIF. The client checks the status.
enum GIFAcceptance {
    /// Returns a failure if `Content-Type` names another format. Accepts `image/gif`, generic types (RFC 9110 §8.3) and
    /// a missing type, because `inspect` checks the bytes.
    static func refusal(of response: HTTPResponse) -> GIFFailure? {
        guard let type = response.headers.last("Content-Type") else { return nil }
        switch type.prefix(while: { $0 != ";" && $0 != " " }).lowercased() {
        case ImageFormat.gif.contentType, "application/octet-stream", "binary/octet-stream", "": return nil
        case "application/json", "application/problem+json": return .notAGIF(BodyKind.json.phrase)
        case "text/html", "application/xhtml+xml": return .notAGIF(BodyKind.html.phrase)
        case "text/plain": return .notAGIF(BodyKind.text.phrase)
        case let other: return .notAGIF("a body of the type \(other.prefix(80))")
        }
    }

    /// Reads the whole GIF. Throws `GIFFailure` if a block is malformed, if the canvas, the frames or the trailer are
    /// missing, or if the GIF exceeds `limits`. Rethrows errors of the source. Takes linear time and constant memory.
    static func inspect(_ source: some ByteSource, limits: GIFStructure.Limits = .standard) throws -> GIFFacts {
        do {
            return GIFFacts(try GIFStructure.read(source, limits: limits))
        } catch let failure as FormatFailure {
            throw GIFFailure(failure)
        }
    }
}
