import Formats
import HTTP
import Support

/// What an answer must be to be kept as an exercise's GIF: its status (the client sees to that), its `Content-Type`, and
/// all of its bytes.
enum GIFAcceptance {
    /// Throws `GIFFailure.notAGIF` for an answer that calls itself something else than a GIF. `image/gif`, the types
    /// that say nothing (RFC 9110 §8.3), and no type at all pass, and the bytes decide.
    static func check(_ response: HTTPResponse) throws(GIFFailure) {
        guard let type = response.headers.last("Content-Type") else { return }
        switch type.prefix(while: { $0 != ";" && $0 != " " }).lowercased() {
        case "image/gif", "application/octet-stream", "binary/octet-stream", "": return
        case "application/json", "application/problem+json": throw .notAGIF(BodyKind.json.phrase)
        case "text/html", "application/xhtml+xml": throw .notAGIF(BodyKind.html.phrase)
        case "text/plain": throw .notAGIF(BodyKind.text.phrase)
        case let other: throw .notAGIF("a body of the type \(other.prefix(80))")
        }
    }

    /// What `check` throws; nil for an answer that passes.
    static func refusal(of response: HTTPResponse) -> GIFFailure? {
        do {
            try check(response)
            return nil
        } catch {
            return error
        }
    }

    /// Walks over the whole GIF. Throws `GIFFailure` for anything but one whose blocks are all well-formed, with a
    /// canvas, frames and a trailer, within `limits`; and what the source throws. Linear, in flat memory.
    static func inspect(
        _ source: some ByteSource, limits: GIFStructure.Limits = .standard
    ) throws -> GIFFacts {
        do {
            return GIFFacts(try GIFStructure.read(source, limits: limits))
        } catch let failure as FormatFailure {
            throw GIFFailure(failure)
        }
    }
}
