import Fetch
import HTTP
import Records
import Store
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
        "mp4", "m4v", "mov", "webm", "mpg", "mpeg", "avi", "wmv", "flv", "ogv", "swf", "mp3", "wav", "html", "htm",
        "pdf",
        "zip",
    ]

    private static func isKnownAsOther(_ url: WebURL) -> Bool {
        var path = url.path.utf8[...]
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")),
            !path[dot...].contains(UInt8(ascii: "/"))
        else { return false }
        return otherExtensions.contains(String(Substring(path[dot...].dropFirst())).lowercased())
    }
}

extension String {
    /// Whether the text begins with a scheme and `//` (RFC 3986 §3.1), whatever the scheme.
    public var hasScheme: Bool {
        let bytes = utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            let first = bytes.first, first.isLetter
        else { return false }
        return bytes[..<colon].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: byte.isLetter
            }
        }
    }

    fileprivate var trimmingBlanks: String {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}

extension UInt8 {
    /// Whether it is a letter of ASCII.
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}

/// A record without an address under which a picture could be had: a video day without a still, for instance.
public struct NoPicture: Failure, Equatable {
    public init() {}
    public var code: String { "no-picture" }
    public var message: String { "the record has no address of a picture; --url-field names other fields to look at" }
    public var exitCode: ExitCode { .unavailable }
}
