import HTTP
import Records
import Support

/// Finds the addresses of a record's picture.
public struct PictureAddresses: Sendable {
    /// The address fields of NASA's picture of the day (`hdurl` is the best), of Launch Library (`image.image_url`, in
    /// older versions `image`) and of ExerciseDB (`gifUrl`).
    public static let standardFields: [FieldPath] = [
        "hdurl", "url", "thumbnail_url", "image_url", "image.image_url", "image", "gifUrl",
    ]

    /// The fields that contain addresses, best first.
    public let fields: [FieldPath]
    /// Whether to accept movies, except in records whose `media_type` is `image`.
    public var takesMovies = false

    public init(fields: [FieldPath] = standardFields) { self.fields = fields }

    /// Parses a list such as `hdurl,image.url`. Returns nil if an item is not a valid field.
    public init?(list: String) {
        let names = list.split(separator: ",", omittingEmptySubsequences: false)
        fields = names.compactMap { FieldPath(String($0)) }
        if fields.count < names.count { return nil }
    }

    /// Returns the distinct addresses of a record, best first.
    ///
    /// Accepts absolute addresses, and addresses without a scheme (`//host/…`), which become https. Skips addresses of
    /// other media: the `url` of a record whose `media_type` is not `image`, and paths with the extension of a movie or
    /// a page. With `takesMovies`, accepts MP4 and QuickTime movies. Skips addresses that `WebURL` refuses.
    public func addresses(in record: Record) -> [WebURL] { texts(of: record).compactMap { (try? address($0)) ?? nil } }

    func texts(of record: Record) -> Texts { Texts(record: record, fields: fields, takesMovies: takesMovies) }

    /// Returns the address in a text, or nil if its file extension shows that it is not a picture.
    func address(_ text: String) throws(WebURLFailure) -> WebURL? {
        let url = try WebURL(text)
        guard let ending = Self.ending(url) else { return url }
        if takesMovies, Self.movieExtensions.contains(ending) { return url }
        return Self.otherExtensions.contains(ending) ? nil : url
    }

    /// The texts of a record that look like addresses, found lazily.
    struct Texts: Sequence, IteratorProtocol, Sendable {
        private let record: Record
        private let isPicture: Bool
        private let isImage: Bool
        private let isMovie: Bool
        private let takesMovies: Bool
        private var fields: ArraySlice<FieldPath>
        private var given: [String] = []

        init(record: Record, fields: [FieldPath], takesMovies: Bool) {
            self.record = record
            self.fields = fields[...]
            let medium = record.string("media_type")
            isPicture = medium.map { $0 == "image" } ?? true
            isImage = medium == "image"
            isMovie = medium == "video"
            self.takesMovies = takesMovies
        }

        mutating func next() -> String? {
            while let field = fields.popFirst() {
                guard var text = record.string(field)?.trimmingBlanks else { continue }
                if text.utf8.starts(with: "//".utf8) { text = "https:" + text }
                guard text.hasScheme, !given.contains(text), mayServe(text, field) else { continue }
                given.append(text)
                return text
            }
            return nil
        }

        private func mayServe(_ text: String, _ field: FieldPath) -> Bool {
            let endsLikeMovie = takesMovies && PictureAddresses.endsLikeMovie(text)
            // The record of an image contains no movie. The `url` of a video is often a page with a player.
            return isPicture ? !endsLikeMovie || !isImage : field != "url" || isMovie && endsLikeMovie
        }
    }

    private static func endsLikeMovie(_ text: String) -> Bool {
        (try? WebURL(text)).flatMap(ending).map(movieExtensions.contains) ?? false
    }

    /// The extensions of the formats that `MovieInspection` reads.
    private static let movieExtensions: Set<String> = ["mp4", "m4v", "mov"]

    private static let otherExtensions: Set<String> = [
        "mp4", "m4v", "mov", "webm", "mpg", "mpeg", "avi", "wmv", "flv", "ogv", "swf", "mp3", "wav", "html", "htm",
        "pdf", "zip",
    ]

    /// Returns the file extension of an address in lower case.
    private static func ending(_ url: WebURL) -> String? {
        var path = url.path.utf8[...]
        while path.last == UInt8(ascii: "/") { path.removeLast() }
        guard let dot = path.lastIndex(of: UInt8(ascii: ".")), !path[dot...].contains(UInt8(ascii: "/")) else {
            return nil
        }
        return String(Substring(path[dot...].dropFirst())).lowercased()
    }
}

extension String {
    /// Whether the text begins with a scheme and `//` (RFC 3986 §3.1). In http and https addresses, either slash may be
    /// a backslash.
    public var hasScheme: Bool {
        let bytes = utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), let first = bytes.first, first.isLetter,
            slashesOfAuthority?.lowerBound == colon
        else { return false }
        if !bytes[colon...].starts(with: "://".utf8) {
            return ["http", "https"].contains { bytes[..<colon].elementsEqual($0.utf8) { $0 | 0x20 == $1 } }
        }
        return bytes[..<colon].allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }

    /// The text without surrounding white space. Checks for ASCII first, because other characters require Unicode
    /// tables.
    fileprivate var trimmingBlanks: String {
        func isVisible(_ byte: UInt8?) -> Bool { byte.map { (0x21...0x7E).contains($0) } ?? true }
        if isVisible(utf8.first), isVisible(utf8.last) { return self }
        return String(trimming(while: \.isWhitespace))
    }
}

/// The error for a record without the address of a picture, such as a video without a still.
public struct NoPicture: Failure, Equatable {
    private let isVideo: Bool

    public init(in record: Record = Record()) { isVideo = record.string("media_type") == "video" }

    public var code: String { "no-picture" }
    public var message: String {
        isVideo
            ? "the record is a video without a still; use img-downsample --fallback for a placeholder, or apod-fetch"
                + " --fallback-previous for the previous picture"
            : "the record contains no picture address; use --field url=FIELDS to name other fields"
    }
    public var exitCode: ExitCode { .unavailable }
}
