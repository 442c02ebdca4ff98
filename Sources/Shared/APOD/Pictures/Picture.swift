import Articles
import Records
import Support

/// A picture of the day, in the same form for both services. Its fields form a complete record, except for `apod`, so
/// that a cached picture is written without conversion.
public struct Picture: Sendable, Equatable {
    public enum MediaType: String, Sendable, CaseIterable {
        case image, video
        /// Any other medium, such as an interactive page. Only this type may lack an address.
        case other
    }

    let service: Service
    let day: CalendarDay
    let mediaType: MediaType
    /// The fields, in the order and with the names of the old service, followed by the additional fields of the new
    /// service. A missing value has no field. Each text is plain text on one line.
    let fields: Record
    /// The explanation's paragraphs and links (`Article.layout`).
    let layout: Record

    /// - Parameters:
    ///   - url: NASA's picture, often resized, or the video.
    ///   - hdurl: the picture in full resolution.
    ///   - copyright: the copyright holder; nil for pictures in the public domain.
    ///   - thumbnailURL: a still of a video.
    ///   - permalink: the article's page.
    ///   - credit: the creators, whether or not they claim a copyright.
    ///   - alt: a description of the picture for readers who cannot see it.
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

    /// Creates a picture from a cached record. Returns nil if the record is about another day or has an unknown media
    /// type.
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

    /// The fields of a picture's record, in order. They are followed by `raw`, if requested, and `apod`.
    static let fieldNames = [
        "date", "title", "explanation", "url", "hdurl", "media_type", "service_version", "copyright", "thumbnail_url",
        "permalink", "credit", "alt",
    ]
}

extension Picture.MediaType {
    /// Parses media types separated by commas, such as `image` or `image,video`. Throws `UsageFailure` for other words,
    /// with a suggestion.
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
