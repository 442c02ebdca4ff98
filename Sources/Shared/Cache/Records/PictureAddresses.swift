import HTTP
import Records
import Support

/// Finds the addresses in a record under which its picture may be had.
public struct PictureAddresses: Sendable {
    /// Where pictures' addresses stand in the records of NASA's picture of the day (`hdurl` is the best one), of Launch
    /// Library (`image.image_url`, in its older versions a plain `image`) and of ExerciseDB (`gifUrl`).
    public static let standardFields: [FieldPath] = [
        "hdurl", "url", "thumbnail_url", "image_url", "image.image_url", "image", "gifUrl",
    ]

    /// The fields to look at, the best one first.
    public let fields: [FieldPath]

    public init(fields: [FieldPath] = standardFields) { self.fields = fields }

    /// Reads a list such as `hdurl,image.url`. Throws `UsageFailure`.
    public init(list: String) throws {
        fields = try list.split(separator: ",", omittingEmptySubsequences: false).map { name in
            guard let path = FieldPath(String(name)) else {
                throw UsageFailure("--url-field takes fields such as hdurl,image.url, not \"\(list)\"")
            }
            return path
        }
    }

    /// One field's address, or why it is none that can be asked for.
    public typealias Candidate = Result<WebURL, WebURLFailure>

    /// The addresses of `record` in the order in which to try them, each once.
    ///
    /// A field counts where it holds an absolute address, or one without a scheme (`//host/…`, taken as https). Left
    /// out is what is known to be no picture: `url` of a record that says it is a video or something else, and paths
    /// that end like a film or a page.
    public func candidates(in record: Record) -> [Candidate] {
        let isPicture = record.string("media_type").map { $0 == "image" } ?? true
        var seen: Set<String> = []
        return fields.compactMap { field -> Candidate? in
            guard var text = record.string(field)?.trimmingBlanks, isPicture || field != "url" else { return nil }
            if text.hasPrefix("//") { text = "https:" + text }
            guard text.hasScheme, seen.insert(text).inserted else { return nil }
            let candidate = Candidate { () throws(WebURLFailure) in try WebURL(text) }
            if case .success(let url) = candidate, Self.isKnownAsOther(url) { return nil }
            return candidate
        }
    }

    private static let otherExtensions: Set<String> = [
        "mp4", "m4v", "mov", "webm", "mpg", "mpeg", "avi", "wmv", "flv", "ogv", "swf", "mp3", "wav", "html", "htm", "pdf",
        "zip",
    ]

    private static func isKnownAsOther(_ url: WebURL) -> Bool {
        let name = url.path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return false }
        return otherExtensions.contains(name[name.index(after: dot)...].lowercased())
    }
}

extension String {
    /// Whether the text begins with a scheme and `//` (RFC 3986 §3.1), whatever the scheme.
    public var hasScheme: Bool {
        guard let colon = firstIndex(of: ":"), self[colon...].hasPrefix("://"), let first = first, first.isASCII,
            first.isLetter
        else { return false }
        return self[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    fileprivate var trimmingBlanks: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}

/// A record without an address under which a picture could be had: a video day without a still, for instance.
public struct NoPicture: Failure, Equatable {
    public init() {}
    public var code: String { "no-picture" }
    public var message: String { "the record has no address of a picture; --url-field names other fields to look at" }
    public var exitCode: ExitCode { .unavailable }
}
