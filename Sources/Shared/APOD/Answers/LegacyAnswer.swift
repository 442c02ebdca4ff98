import Articles
import HTML
import Records
import Support

/// Reads the object that a classic server returns for one day. A classic server answers as api.nasa.gov did.
///
/// The fields of the object have the same names as the fields of apod-fetch's records. This type corrects the mistakes
/// of the server's scraper, which reads thirty years of pages.
enum LegacyAnswer {
    /// Throws `APODFailure` if a field is missing, or if the service returns a stand-in instead of the picture.
    static func picture(from object: Record, server: Server) throws(APODFailure) -> Picture {
        // NASA's rewrite of its server returns objects of the new service at the old address.
        if object.has("basic_html") { return try ScienceAnswer.picture(from: object, server: server) }

        let answer = AnswerFields(object: object, server: server)
        let day = try answer.day()
        let title = CaptionText.title(try answer.text("title"))
        guard !title.isEmpty else { throw answer.bad(.missing(field: "title")) }
        let explanation = LinkedText(PlainText.line(ofText: try answer.explanation()))

        let copyright = try answer.optionalText("copyright").map { text in
            CreditLine.joined(CaptionText.lines(of: text).map { PlainText.line(ofText: String($0)) })
        }
        let url = MediaAddress(field: object.string("url"), base: site)
        let hdurl = MediaAddress(field: object.string("hdurl"), base: site)
        // `hdurl` may be a movie (until 2010) or a page. The day then has no larger picture.
        let full = hdurl.flatMap { $0.isVideo || $0.kind == .page || $0.isStandIn ? nil : $0 }
        let type = mediaType(of: object, url: url, full: full)
        // If the answer contains NASA's logo instead of a picture, its title is the name of the site.
        if title == "NASA Science" || [url, hdurl].contains(where: { $0?.isStandIn == true }) && type == .image {
            throw .standIn(.placeholder, day, server)
        }
        // If `url` is missing or a page, use the larger picture.
        let shown = type == .image && (url == nil || url?.kind == .page) ? full : url
        let still = MediaAddress(field: object.string("thumbnail_url"), base: site)
            .flatMap { $0.isStandIn || $0.isVideo ? nil : $0 }
        if shown == nil, type != .other { throw answer.bad(.missing(field: "url")) }
        return Picture(
            service: .api, day: day, title: title, explanation: CaptionText.explanation([explanation]), mediaType: type,
            url: shown?.text, hdurl: type == .image ? full?.text : nil,
            copyright: copyright.flatMap { CreditLine($0).names },
            thumbnailURL: type == .image ? nil : (still ?? full ?? url?.youTubeStill)?.text,
            permalink: nil, credit: nil, alt: nil)
    }

    private static let site = MediaAddress("https://apod.nasa.gov/apod/")

    /// Returns `media_type`. If the field is missing (until 2015), unknown, or contradicted by the addresses, returns
    /// the type that the addresses suggest.
    ///
    /// - Parameter full: the larger picture, if any.
    private static func mediaType(of object: Record, url: MediaAddress?, full: MediaAddress?) -> Picture.MediaType {
        let isVideo = url?.isVideo == true
        switch PlainText.folded(object.string("media_type") ?? "").lowercased() {
        case "video": return .video
        case "image" where !isVideo: return url?.kind == .page && full == nil ? .other : .image
        case "other", "iframe": return isVideo ? .video : .other
        default:
            if isVideo { return .video }
            guard let url else { return full == nil ? .other : .image }
            return url.kind == .page ? .other : .image
        }
    }
}
