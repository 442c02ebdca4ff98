import Support

/// A feed of pictures (RFC 4287).
public struct AtomFeed: Sendable {
    /// The permanent identifier of the feed: a URN or an address.
    public var id: String
    public var title: String
    /// The address of the published feed.
    public var address: String?
    /// The page that the feed belongs to, if any.
    public var site: String?
    /// The author and their page, if known.
    public var author: (name: String, page: String?)?
    /// The program that created the feed.
    public var generator: String
    public var updated: String

    public init(
        id: String, title: String, address: String? = nil, site: String? = nil,
        author: (name: String, page: String?)? = nil, generator: String, updated: String
    ) {
        (self.id, self.title, self.address, self.site) = (id, title, address, site)
        (self.author, self.generator, self.updated) = (author, generator, updated)
    }

    public struct Entry: Sendable {
        /// The permanent identifier of the entry: a URN or an address.
        public var id: String
        public var title: String
        /// The time of publication in the format of RFC 3339. It is also used as the time of the last change.
        public var published: String
        public var author: String?
        public var page: String?
        /// The address of the picture or the video. The entry links to it if there is no page.
        public var media: String?
        /// The copyright holder.
        public var holder: String?
        public var thumbnail: String?
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
    /// The identifier of the feed. In the identifier of an entry, the day replaces the last eight digits.
    private static let id = "urn:uuid:3f0b6c52-7d1e-4c0a-9b35-000000000000"
    private static let site = "https://science.nasa.gov/apod"

    public static func picturesOfTheDay(address: String? = nil, updated: Timestamp) -> AtomFeed {
        AtomFeed(
            id: address ?? id, title: "Astronomy Picture of the Day", address: address, site: site,
            author: ("NASA", site), generator: "apod-fetch", updated: updated.iso8601)
    }

    /// Returns the entry of a picture, or nil if the picture has no day, because the day identifies the entry. The time
    /// of the entry is NASA's time of publication. Feed readers therefore do not show a picture as new if it is fetched
    /// again.
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

    /// Returns the content of an entry as HTML. `figure` is the HTML of the picture.
    public static func content(_ caption: Caption, figure: String?) -> String {
        var parts = (figure.map { ["<p>\($0)</p>"] } ?? []) + caption.paragraphs.map(Markup.paragraph)
        let credits = caption.credits.map(Markup.text).joined(separator: "<br>")
        if !credits.isEmpty { parts.append("<p>\(credits)</p>") }
        return parts.joined(separator: "\n")
    }
}
