import Support

/// A feed of pictures (RFC 4287).
public struct AtomFeed: Sendable {
    /// Names the feed, wherever it lies: a URN or an address.
    public var id: String
    public var title: String
    /// Where the feed can be had; nil if nobody has said it.
    public var address: String?
    /// The page that the feed is of; nil if there is none.
    public var site: String?
    /// Who writes it, where that is known, and the page of them.
    public var author: (name: String, page: String?)?
    /// What made it.
    public var generator: String
    public var updated: String

    public init(
        id: String, title: String, address: String? = nil, site: String? = nil,
        author: (name: String, page: String?)? = nil, generator: String, updated: String
    ) {
        (self.id, self.title, self.address, self.site) = (id, title, address, site)
        (self.author, self.generator, self.updated) = (author, generator, updated)
    }

    /// One picture of a feed.
    public struct Entry: Sendable {
        /// Names it for good: a URN or an address.
        public var id: String
        public var title: String
        /// When it came out, and when it was changed last (RFC 3339).
        public var published: String
        public var author: String?
        public var page: String?
        /// The picture or the video, if there is no page.
        public var media: String?
        /// Who claims a copyright.
        public var holder: String?
        /// The address of a small picture.
        public var thumbnail: String?
        /// HTML.
        public var content: String

        public init(id: String, title: String, published: String, content: String) {
            (self.id, self.title, self.published, self.content) = (id, title, published, content)
        }
    }

    public var head: String {
        var lines = [
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>",
            "<feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:media=\"http://search.yahoo.com/mrss/\" xml:lang=\"en\">",
            "<id>\(Markup.text(id))</id>", "<title>\(Markup.text(title))</title>", "<updated>\(updated)</updated>",
        ]
        if let author {
            let page = author.page.map { "<uri>\(Markup.text($0))</uri>" } ?? ""
            lines.append("<author><name>\(Markup.text(author.name))</name>\(page)</author>")
        }
        lines.append("<generator>\(generator)</generator>")
        if let site { lines.append("<link rel=\"alternate\" type=\"text/html\" href=\"\(Markup.text(site))\"/>") }
        if let address {
            lines.append("<link rel=\"self\" type=\"application/atom+xml\" href=\"\(Markup.text(address))\"/>")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    public static let foot = "</feed>\n"
}

extension AtomFeed.Entry {
    public var markup: String {
        var lines = [
            "<entry>", "<id>\(Markup.text(id))</id>", "<title>\(Markup.text(title))</title>",
            "<published>\(published)</published>", "<updated>\(published)</updated>",
        ]
        if let author { lines.append("<author><name>\(Markup.text(author))</name></author>") }
        if let page {
            lines.append("<link rel=\"alternate\" type=\"text/html\" href=\"\(Markup.text(page))\"/>")
        } else if let media {
            lines.append("<link rel=\"alternate\" href=\"\(Markup.text(media))\"/>")
        }
        if let holder { lines.append("<rights>\u{A9} \(Markup.text(holder))</rights>") }
        if let thumbnail { lines.append("<media:thumbnail url=\"\(Markup.text(thumbnail))\"/>") }
        lines.append("<content type=\"html\">\(Markup.text(content))</content>")
        return (lines + ["</entry>"]).joined(separator: "\n")
    }
}

// MARK: NASA's picture of the day

extension AtomFeed {
    /// The last twelve digits of an entry's name are its day.
    private static let id = "urn:uuid:3f0b6c52-7d1e-4c0a-9b35-000000000000"
    private static let site = "https://science.nasa.gov/apod"

    /// The feed of NASA's pictures of the day.
    ///
    /// - Parameters:
    ///   - address: where the feed can be had; nil if nobody has said it.
    ///   - updated: when the feed was made.
    public static func picturesOfTheDay(address: String? = nil, updated: Timestamp) -> AtomFeed {
        AtomFeed(
            id: address ?? id, title: "Astronomy Picture of the Day", address: address, site: site,
            author: ("NASA", site), generator: "apod-fetch", updated: updated.iso8601)
    }

    /// Returns the entry of a picture; nil without its day, by which it is known. Its time is that at which NASA
    /// publishes, so that a picture that is fetched again is not a new one.
    static func entry(_ caption: Caption) -> String? {
        guard let day = caption.day.flatMap(CalendarDay.init) else { return nil }
        var entry = Entry(
            id: "\(id.dropLast(8))\(day.description.filter { $0 != "-" })", title: caption.title ?? day.description,
            published: "\(day)T00:05:00-04:00", content: content(caption, figure: caption.figure(playsMovies: false)))
        entry.author = caption.author
        entry.page = caption.page
        entry.media = caption.media
        entry.holder = caption.holder
        entry.thumbnail = caption.shown
        return entry.markup
    }

    /// What an entry says, as HTML.
    ///
    /// - Parameter figure: the picture, as HTML; nil if there is none.
    public static func content(_ caption: Caption, figure: String?) -> String {
        var parts: [String] = []
        if let figure { parts.append("<p>\(figure)</p>") }
        parts += caption.paragraphs.map(Markup.paragraph)
        let credits = caption.credits.map(Markup.text).joined(separator: "<br>")
        if !credits.isEmpty { parts.append("<p>\(credits)</p>") }
        return parts.joined(separator: "\n")
    }
}
