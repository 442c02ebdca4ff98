import Articles
import Records
import Support

/// One picture of the day, the same whichever service answered: a record without `apod`, which says where it was read
/// from. It is kept as it stands, so that a day from the cache is a line that is written as it was read.
public struct Picture: Sendable, Equatable {
    public enum MediaType: String, Sendable, CaseIterable {
        case image, video
        /// Anything else, such as an interactive page; the only type that may come without an address.
        case other
    }

    let service: Service
    let day: CalendarDay
    let mediaType: MediaType
    /// Names and order are those of the old service, then come the new one's own. What there isn't is absent. All texts
    /// are plain and on one line.
    let fields: Record
    /// The explanation's paragraphs and links (`Article.layout`).
    let layout: Record

    /// - Parameters:
    ///   - url: NASA's (often resized) picture, or the video.
    ///   - hdurl: the picture in full resolution.
    ///   - copyright: who claims one; nil for pictures in the public domain.
    ///   - thumbnailURL: a still of a video.
    ///   - permalink: the article's page.
    ///   - credit: who made it, with or without a claim.
    ///   - alt: what the picture shows, for those who don't see it.
    init(
        service: Service, day: CalendarDay, title: String, explanation: Article, mediaType: MediaType, url: String?,
        hdurl: String?, copyright: String?, thumbnailURL: String?, permalink: String?, credit: String?, alt: String?
    ) {
        self.service = service
        self.day = day
        self.mediaType = mediaType
        layout = explanation.layout
        var record = Record()
        record.set([
            "date": .string(day.description), "title": .string(title), "explanation": .string(explanation.text),
            "url": url.map(JSON.string), "hdurl": hdurl.map(JSON.string), "media_type": .string(mediaType.rawValue),
            "service_version": .string(service == .api ? "v1" : "v2"), "copyright": copyright.map(JSON.string),
            "thumbnail_url": thumbnailURL.map(JSON.string), "permalink": permalink.map(JSON.string),
            "credit": credit.map(JSON.string), "alt": alt.map(JSON.string),
        ])
        fields = record
    }

    /// Takes a record that was kept; nil if it isn't about that day or of no known type.
    init?(kept fields: Record, layout: Record, of day: CalendarDay, from service: Service) {
        guard let type = fields.string("media_type").flatMap(MediaType.init),
            fields.string("date") == day.description
        else { return nil }
        self.service = service
        self.day = day
        mediaType = type
        self.layout = layout
        self.fields = fields
    }

    /// The fields that a picture's record may have, in their order; behind them stand `raw`, if it was asked for,
    /// and `apod`.
    static let fieldNames = [
        "date", "title", "explanation", "url", "hdurl", "media_type", "service_version", "copyright", "thumbnail_url",
        "permalink", "credit", "alt",
    ]
}

extension Picture.MediaType {
    /// Reads `image`, or several types with commas between them. Throws `UsageFailure` for any other word, with a near
    /// match if there is one.
    public static func types(typed text: String) throws -> Set<Picture.MediaType> {
        Set(
            try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
                guard let type = Picture.MediaType(rawValue: String(word)) else {
                    let advice = NearMatch.advice(for: String(word), among: allCases.map(\.rawValue))
                    throw UsageFailure("\"\(word)\" is not image, video or other\(advice)")
                }
                return type
            })
    }
}
