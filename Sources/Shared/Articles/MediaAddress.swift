import Support

/// The address of a picture, a video or a page, as a service gave it: absolute, without blanks, with slashes in
/// place of the backslashes of its path, otherwise unchanged.
public struct MediaAddress: Sendable, Equatable {
    public let text: String
    /// In small letters, without user and port.
    private let host: String
    /// Before it stand scheme and authority: `https://www.youtube.com`.
    private let pathStart: String.Index
    private let pathEnd: String.Index
    /// In small letters.
    private let fileName: String

    /// What the file name says. Addresses without a telling extension, such as a player's, are `unknown`.
    public enum Kind: Sendable, Equatable {
        case picture, movie, page, unknown
    }

    /// The address in `text`; nil if there is none for the web.
    ///
    /// Blanks around it go and inner ones become `%20` (12 old days have some), `//host/…` becomes https (29 days). A
    /// reference without a host is taken relative to `base`'s host, with a leading `/`, or to its folder.
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

    /// The address in a field, which may hold anything: words, a tag, nothing. A reference counts only if its file name
    /// says that it is one.
    public init?(field text: String?, base: MediaAddress?) {
        self.init(text, base: base)
        guard kind != .unknown || text.flatMap(Self.escaped).flatMap(Self.absolute) != nil else { return nil }
    }

    /// Returns the text without blanks and, before its query, without backslashes, which browsers read as slashes; nil if
    /// it is empty or holds a tag (RFC 3986 §2: neither bracket nor quotation mark may stand in an address).
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

    /// Returns the address with its scheme if it names a host.
    private static func absolute(_ text: String) -> String? {
        if ["http://", "https://"].contains(where: { text.hasPrefix(ignoringCase: $0) }) { return text }
        return text.hasPrefix("//") ? "https:" + text : nil
    }

    /// Nil if there is no host, or one whose characters no name and no number has.
    private init?(absolute text: some StringProtocol) {
        let text = String(text)
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let authority = bytes[colon...].dropFirst(3).prefix { !Self.endsAuthority($0) }
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

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    public static func == (a: MediaAddress, b: MediaAddress) -> Bool { a.text == b.text }

    /// A relative path: no scheme (`data:`, `mailto:`, `javascript:`), no bare query or fragment.
    private static func isReference(_ text: String) -> Bool {
        guard let first = text.first, first != "#", first != "?" else { return false }
        let head = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return !head.contains(":")
    }

    // MARK: Parts

    private var path: Substring { text[pathStart..<pathEnd] }

    /// The path up to and including its last slash.
    private var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/" }

    private var query: Substring {
        guard pathEnd < text.endIndex, text.utf8[pathEnd] == UInt8(ascii: "?") else { return "" }
        let start = text.utf8.index(after: pathEnd)
        return text[start..<(text.utf8[start...].firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]
    }

    // MARK: Meaning

    public var kind: Kind {
        guard let dot = fileName.lastIndex(of: ".") else { return .unknown }
        switch fileName[fileName.index(after: dot)...] {
        case "jpg", "jpeg", "jpe", "png", "gif", "webp", "avif", "tif", "tiff", "bmp", "svg", "heic", "jp2", "jxl":
            return .picture
        case "mp4", "m4v", "mov", "qt", "mpg", "mpeg", "mpe", "wmv", "avi", "webm", "ogv", "flv", "swf", "mkv", "3gp":
            return .movie
        case "html", "htm", "php", "pdf", "txt": return .page
        default: return .unknown
        }
    }

    /// Whether it is one of the pictures that NASA's services give if they have none: the logo, which the old
    /// service answers for every day since October 2026, the new site's still for any piece of news, and the still of
    /// the old service's own source.
    public var isStandIn: Bool {
        Self.standIns.contains(fileName)
    }

    private static let standIns: Set = [
        "nasa-logo@2x.png", "nasa-logo%402x.png", "nasa-logo.png", "news-thumbnail.png", "default_apod_image.jpg",
    ]

    /// The picture in its full resolution: the same address without the query fields by which NASA's image server makes
    /// a smaller one (`w`, `h`, `fit`, `crop` and their kin). Other fields stay.
    public var withoutResizing: MediaAddress {
        guard !query.isEmpty else { return self }
        let kept = query.split(separator: "&").filter { field in !Self.resizing.contains(field.prefix { $0 != "=" }) }
        let end = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return MediaAddress(absolute: text[..<pathEnd] + end) ?? self
    }

    private static let resizing: Set<Substring> = [
        "w", "h", "width", "height", "fit", "crop", "resize", "rect", "dpr", "q", "quality", "fm", "format", "auto",
    ]

    /// Whether a video plays there: a movie file, or a player.
    public var isVideo: Bool { kind == .movie || isOnVideoSite }

    /// YouTube's player and those of its kind that NASA has used since 2007.
    private static let videoSites = [
        "youtube.com", "youtube-nocookie.com", "youtu.be", "vimeo.com", "dailymotion.com", "dai.ly", "ustream.tv",
        "video.ibm.com", "livestream.com", "twitch.tv", "embed.ted.com",
    ]

    private var isOnVideoSite: Bool { Self.videoSites.contains(where: isOn) }

    /// Whether the host is this one, or a part of it.
    private func isOn(_ site: String) -> Bool {
        host.hasSuffix(site) && (host == site || host.utf8.dropLast(site.utf8.count).last == UInt8(ascii: "."))
    }

    /// The eleven characters that name a YouTube video; nil elsewhere, and for a play list.
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
        // Flash's player had its fields behind an ampersand, without a question mark.
        candidate = candidate?.prefix { $0 != "&" }
        // The path of a play list's player has eleven letters too.
        guard let candidate, candidate.utf8.count == 11, candidate != "videoseries",
            candidate.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return nil }
        return String(candidate)
    }

    /// The still that YouTube keeps for every video, at the address that the old service gives too.
    public var youTubeStill: MediaAddress? {
        youTubeID.flatMap { MediaAddress(absolute: "https://img.youtube.com/vi/\($0)/0.jpg") }
    }
}
