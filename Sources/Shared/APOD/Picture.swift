import Records
import Support

/// Where a picture of the day comes from.
public enum Service: String, Sendable, CaseIterable {
    /// NASA's site since 2026, https://science.nasa.gov/wp-json/wp/v2/apod-basic.
    case science
    /// The one before, https://api.nasa.gov/planetary/apod, or somebody's own copy of its server.
    case api
}

/// One picture of the day, the same whichever service answered.
public struct Picture: Sendable, Equatable {
    public enum MediaType: String, Sendable, CaseIterable {
        case image, video
        /// Anything else, such as an interactive page; the only type that may come without an address.
        case other
    }

    public let service: Service
    public let day: CalendarDay
    /// Plain text on one line, as are `explanation`, `copyright`, `credit` and `alt`.
    public let title: String
    public let explanation: String
    public let mediaType: MediaType
    /// NASA's (often resized) picture, or the video.
    public let url: String?
    /// The picture in full resolution.
    public let hdurl: String?
    /// Whoever claims a copyright; nil for pictures in the public domain.
    public let copyright: String?
    /// A still of a video.
    public let thumbnailURL: String?
    /// The article's page.
    public let permalink: String?
    /// Who made it, with or without a claim.
    public let credit: String?
    /// What the picture shows, for those who don't see it.
    public let alt: String?

    /// `v1` or `v2`, as the old service had it.
    public var serviceVersion: String {
        switch service {
        case .api: "v1"
        case .science: "v2"
        }
    }

    /// Where a record's picture was read from.
    public enum Source: String, Sendable {
        case network, cache
        /// From the cache, because no service could be reached.
        case stale
    }

    /// The picture's fields as a record: the names and the order of the old service, then the new one's own. What there
    /// isn't is absent.
    var fields: Record {
        var record = Record()
        func set(_ name: String, _ value: String?) {
            if let value { record.set(name, .string(value)) }
        }
        set("date", day.description)
        set("title", title)
        set("explanation", explanation)
        set("url", url)
        set("hdurl", hdurl)
        set("media_type", mediaType.rawValue)
        set("service_version", serviceVersion)
        set("copyright", copyright)
        set("thumbnail_url", thumbnailURL)
        set("permalink", permalink)
        set("credit", credit)
        set("alt", alt)
        return record
    }
}
