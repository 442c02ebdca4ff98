import Records
import Support

/// Reads the old service's object for one day.
///
/// Its shape is the record's own; what its scraper made of thirty years of pages is put right here.
enum LegacyAnswer {
    /// Throws `APODFailure`: a field is missing, or there is a stand-in where the picture should be.
    static func picture(from answer: Record) throws(APODFailure) -> Picture {
        // NASA's rewrite of its server passes the new service's objects on under the old address.
        if answer.has("basic_html") { return try ScienceAnswer.picture(from: answer, service: .api) }

        let day = try AnswerFields.day(of: answer, service: .api)
        let title = CaptionText.title(try AnswerFields.text(of: answer, "title", service: .api))
        guard !title.isEmpty else { throw .badAnswer(.missing(field: "title"), .api) }
        let explanation = PlainText.folded(try AnswerFields.text(of: answer, "explanation", service: .api))

        let url = MediaAddress(answer.string("url"), base: site)
        let hdurl = MediaAddress(answer.string("hdurl"), base: site)
        let type = mediaType(of: answer, url: url)
        // With the logo comes the site's name for a title.
        if title == siteName || [url, hdurl].contains(where: { $0?.isStandIn == true }) && type == .image {
            throw .standIn(.placeholder, day, .api)
        }
        let shown = type == .image ? url ?? hdurl.flatMap { $0.kind == .picture ? $0 : nil } : url
        if shown == nil, type != .other { throw .badAnswer(.missing(field: "url"), .api) }
        return Picture(
            service: .api, day: day, title: title, explanation: CaptionText.explanation([explanation]), mediaType: type,
            url: shown?.text,
            // A picture's larger version may be a movie (until 2010) or a page: there is no larger picture then.
            hdurl: hdurl.flatMap { $0.kind == .movie || $0.kind == .page || $0.isStandIn ? nil : $0.text },
            copyright: answer.string("copyright").flatMap { CreditLine(PlainText.folded($0)).names },
            thumbnailURL: type == .video ? thumbnail(of: answer, video: url)?.text : nil, permalink: nil, credit: nil,
            alt: nil)
    }

    private static let siteName = "NASA Science"
    private static let site = MediaAddress("https://apod.nasa.gov/apod/")

    /// The still that the service gives, else YouTube's own.
    private static func thumbnail(of answer: Record, video: MediaAddress?) -> MediaAddress? {
        if let given = MediaAddress(answer.string("thumbnail_url"), base: site), !given.isStandIn { return given }
        return video?.youTubeStill
    }

    /// As the service says; where it doesn't (until 2015) or in a word of its own, as the address does.
    private static func mediaType(of answer: Record, url: MediaAddress?) -> Picture.MediaType {
        let word = PlainText.folded(answer.string("media_type") ?? "").lowercased()
        if let type = Picture.MediaType(rawValue: word) { return type }
        guard let url else { return .other }
        return url.isVideo ? .video : url.kind == .page ? .other : .image
    }
}
