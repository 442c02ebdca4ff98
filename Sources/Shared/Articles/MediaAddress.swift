import Formats
import Support

/// The address of a picture, a video or a page that a service returned. The address is made absolute, its blanks are
/// escaped, and backslashes before its query are replaced by slashes.
public struct MediaAddress: Sendable, Equatable {
    public let text: String
    /// The host in lower case, without user and port.
    private let host: String
    /// The end of the scheme and authority (`https://www.youtube.com`).
    private let pathStart: String.Index
    private let pathEnd: String.Index
    /// The file name in lower case.
    private let fileName: String

    /// The kind, which is determined from the extension of the file name. Any other extension, or none, as for video
    /// players, is `unknown`.
    public enum Kind: Sendable, Equatable {
        case picture, movie, page, unknown
    }

    /// Returns nil if `text` is not an http(s) address.
    ///
    /// Removes surrounding blanks, and replaces blanks within the address by `%20` (12 early days of NASA's archive
    /// have such addresses). `//host/…` becomes https (29 days of the archive). A reference without a host is resolved
    /// against `base`: if the reference begins with `/`, against the host of `base`, otherwise against the folder of
    /// `base`.
    public init?(_ text: String?, base: MediaAddress? = nil) {
        guard let text = text.flatMap(Self.escaped) else { return nil }
        if let absolute = Self.absolute(text) {
            self.init(absolute: absolute)
        } else if let base, Self.isReference(text) {
            let path = text.hasPrefix("/") ? text : base.folder + text
            self.init(absolute: base.text[..<base.pathStart] + path)
        } else {
            return nil
        }
    }

    /// Parses the value of a field that may contain any text. Accepts a relative reference only if its file name has a
    /// known extension.
    public init?(field text: String?, base: MediaAddress?) {
        self.init(text, base: base)
        guard kind != .unknown || text.flatMap(Self.escaped).flatMap(Self.absolute) != nil else { return nil }
    }

    /// Replaces blanks by `%20` and, like browsers, backslashes before the query by slashes. Returns nil if the text is
    /// empty, or if it contains an angle bracket or a quotation mark, which RFC 3986 §2 allows in no address.
    private static func escaped(_ text: String) -> String? {
        var text = PlainText.folded(text)
        if text.utf8.contains(UInt8(ascii: "\\")) {
            text = String(decoding: Array(text.utf8).withSlashes, as: UTF8.self)
        }
        var hasBlanks = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): return nil
            case UInt8(ascii: " "): hasBlanks = true
            default: break
            }
        }
        if text.isEmpty { return nil }
        return hasBlanks ? text.split(separator: " ").joined(separator: "%20") : text
    }

    private static func absolute(_ text: String) -> String? {
        if ["http://", "https://"].contains(where: { text.hasPrefix(ignoringCase: $0) }) { return text }
        return text.hasPrefix("//") ? "https:" + text : nil
    }

    /// Returns nil if there is no host, or if the host contains invalid characters.
    private init?(absolute text: some StringProtocol) {
        let text = String(text)
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let authority = bytes[colon...].dropFirst(3).prefix { !"/?#".utf8.contains($0) }
        let name = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[$0...].dropFirst() } ?? authority
        host = String(decoding: name.prefix { $0 != UInt8(ascii: ":") }.map(\.lowercased), as: UTF8.self)
        guard !host.isEmpty,
            host.utf8.allSatisfy({ $0 >= 0x80 || $0.isASCIIAlphanumeric || "-._[]".utf8.contains($0) })
        else { return nil }
        pathStart = authority.endIndex
        let path = bytes[pathStart...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        pathEnd = path.endIndex
        let last = path.split(separator: UInt8(ascii: "/")).last
        fileName = last.map { String(decoding: $0.map(\.lowercased), as: UTF8.self) } ?? ""
        self.text = text
    }

    public static func == (a: MediaAddress, b: MediaAddress) -> Bool { a.text == b.text }

    /// Returns whether the text is a relative path. Returns false if it has a scheme (`data:`, `mailto:`,
    /// `javascript:`), or if it is only a query or a fragment.
    private static func isReference(_ text: String) -> Bool {
        guard let first = text.first, first != "#", first != "?" else { return false }
        return !text.prefix { !"/?#".contains($0) }.contains(":")
    }

    private var path: Substring { text[pathStart..<pathEnd] }

    /// The path up to its last slash.
    private var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/" }

    private var query: Substring {
        guard pathEnd < text.endIndex, text.utf8[pathEnd] == UInt8(ascii: "?") else { return "" }
        let start = text.utf8.index(after: pathEnd)
        return text[start..<(text.utf8[start...].firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]
    }

    public var kind: Kind {
        guard let dot = fileName.lastIndex(of: ".") else { return .unknown }
        let ending = fileName[fileName.index(after: dot)...]
        if ImageFormat.named(byExtension: ending) != nil { return .picture }
        switch ending {
        // The tools cannot decode these picture formats.
        case "bmp", "svg", "jp2": return .picture
        case "mp4", "m4v", "mov", "qt", "mpg", "mpeg", "mpe", "wmv", "avi", "webm", "ogv", "flv", "swf", "mkv", "3gp":
            return .movie
        case "html", "htm", "php", "pdf", "txt": return .page
        default: return .unknown
        }
    }

    /// Whether the address is a stand-in for a missing picture: NASA's logo (returned by the old service for every day
    /// since October 2026), the generic still that the new site shows for news, or the default still in the source code
    /// of the old service.
    public var isStandIn: Bool { Self.standIns.contains(fileName) }

    private static let standIns: Set = [
        "nasa-logo@2x.png", "nasa-logo%402x.png", "nasa-logo.png", "news-thumbnail.png", "default_apod_image.jpg",
    ]

    /// The address of the picture in full resolution. Removes the query parameters that make NASA's image server resize
    /// the picture (`w`, `h`, `fit`, `crop` and similar).
    public var withoutResizing: MediaAddress {
        guard !query.isEmpty else { return self }
        let kept = query.split(separator: "&").filter { field in !Self.resizing.contains(field.prefix { $0 != "=" }) }
        let end = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return MediaAddress(absolute: text[..<pathEnd] + end) ?? self
    }

    private static let resizing: Set<Substring> = [
        "w", "h", "width", "height", "fit", "crop", "resize", "rect", "dpr", "q", "quality", "fm", "format", "auto",
    ]

    /// Whether the address is a movie file that browsers play.
    var isBrowserMovie: Bool { [".mp4", ".m4v", ".mov", ".webm", ".ogv"].contains { fileName.hasSuffix($0) } }

    /// The scheme, host and port, for a content security policy. Nil if the address has a user, or a host that is not
    /// ASCII.
    var origin: String? {
        let origin = text[..<pathStart]
        let isSafe = origin.utf8.allSatisfy { $0.isASCIIAlphanumeric || ":/.-".utf8.contains($0) }
        return isSafe ? origin.lowercased() : nil
    }

    /// Whether the address is a movie file or a player.
    public var isVideo: Bool { kind == .movie || Self.videoSites.contains(where: isOn) }

    /// The hosts of YouTube and of other players that NASA has used since 2007.
    private static let videoSites = [
        "youtube.com", "youtube-nocookie.com", "youtu.be", "vimeo.com", "dailymotion.com", "dai.ly", "ustream.tv",
        "video.ibm.com", "livestream.com", "twitch.tv", "embed.ted.com",
    ]

    /// Returns whether the host is `site` or one of its subdomains.
    private func isOn(_ site: String) -> Bool {
        host.hasSuffix(site) && (host == site || host.utf8.dropLast(site.utf8.count).last == UInt8(ascii: "."))
    }

    /// The eleven characters that identify a YouTube video, or nil for other sites and for playlists.
    public var youTubeID: String? {
        let isYouTube = ["youtube.com", "youtube-nocookie.com"].contains(where: isOn)
        guard isYouTube || host == "youtu.be" else { return nil }
        let steps = path.split(separator: "/")
        var candidate: Substring?
        switch steps.first {
        case let id? where host == "youtu.be": candidate = id
        case "embed", "v", "e", "shorts", "live": candidate = steps.dropFirst().first
        case "watch": candidate = query.split(separator: "&").first { $0.hasPrefix("v=") }?.dropFirst(2)
        default: candidate = nil
        }
        // In the address of the Flash player, parameters follow the id after an ampersand, without a question mark.
        candidate = candidate?.prefix { $0 != "&" }
        // `videoseries`, the path of a player for playlists, also has eleven letters.
        guard let candidate, candidate.utf8.count == 11, candidate != "videoseries",
            candidate.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return nil }
        return String(candidate)
    }

    /// The address of a YouTube video's still. The old service returns the same address.
    public var youTubeStill: MediaAddress? {
        youTubeID.flatMap { MediaAddress(absolute: "https://img.youtube.com/vi/\($0)/0.jpg") }
    }

    /// The number of a Vimeo video, and the key that unlisted videos need. Nil for other sites.
    var vimeoVideo: (id: String, key: String?)? {
        guard isOn("vimeo.com") else { return nil }
        let steps = path.split(separator: "/")
        guard let index = steps.firstIndex(where: { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return nil
        }
        let key =
            query.split(separator: "&").first { $0.hasPrefix("h=") }?.dropFirst(2) ?? steps[(index + 1)...].first
        return (String(steps[index]), key.flatMap { $0.utf8.allSatisfy(\.isASCIIAlphanumeric) ? String($0) : nil })
    }
}
