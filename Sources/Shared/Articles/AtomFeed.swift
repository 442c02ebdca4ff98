import Support

/// A feed with an entry for each picture (RFC 4287).
public struct AtomFeed: Sendable {
    /// Where the feed can be had; nil if nobody has said it.
    private let address: String?
    private let updated: Timestamp

    /// - Parameter updated: when the feed was made.
    public init(address: String? = nil, updated: Timestamp) {
        self.address = address
        self.updated = updated
    }

    /// Names the feed, wherever it lies. The last twelve digits of an entry's name are its day.
    private static let id = "urn:uuid:3f0b6c52-7d1e-4c0a-9b35-000000000000"
    private static let site = "https://science.nasa.gov/apod"

    var head: String {
        let own =
            address.map { "\n<link rel=\"self\" type=\"application/atom+xml\" href=\"\(Markup.text($0))\"/>" } ?? ""
        return """
            <?xml version="1.0" encoding="utf-8"?>
            <feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xml:lang="en">
            <id>\(address.map(Markup.text) ?? Self.id)</id>
            <title>Astronomy Picture of the Day</title>
            <updated>\(updated.iso8601)</updated>
            <author><name>NASA</name><uri>\(Self.site)</uri></author>
            <generator>apod-fetch</generator>
            <link rel="alternate" type="text/html" href="\(Self.site)"/>\(own)

            """
    }

    static let foot = "</feed>\n"

    /// Returns the entry of a picture; nil without its day, by which it is known. Its time is that at which NASA
    /// publishes, so that a picture that is fetched again is not a new one.
    static func entry(_ caption: Caption) -> String? {
        guard let day = caption.day.flatMap(CalendarDay.init) else { return nil }
        let time = "\(day)T00:05:00-04:00"
        var lines = [
            "<entry>", "<id>\(id.dropLast(8))\(day.description.filter { $0 != "-" })</id>",
            "<title>\(Markup.text(caption.title ?? day.description))</title>",
            "<published>\(time)</published>", "<updated>\(time)</updated>",
        ]
        if let author = caption.author { lines.append("<author><name>\(Markup.text(author))</name></author>") }
        if let page = caption.page {
            lines.append("<link rel=\"alternate\" type=\"text/html\" href=\"\(Markup.text(page))\"/>")
        } else if let media = caption.media {
            lines.append("<link rel=\"alternate\" href=\"\(Markup.text(media))\"/>")
        }
        if let holder = caption.holder { lines.append("<rights>\u{A9} \(Markup.text(holder))</rights>") }
        if let shown = caption.shown { lines.append("<media:thumbnail url=\"\(Markup.text(shown))\"/>") }
        lines.append("<content type=\"html\">\(Markup.text(content(caption)))</content>")
        return (lines + ["</entry>"]).joined(separator: "\n")
    }

    /// HTML, to be escaped once more.
    private static func content(_ caption: Caption) -> String {
        var parts: [String] = []
        if let figure = caption.figure(playsMovies: false) { parts.append("<p>\(figure)</p>") }
        parts += caption.paragraphs.map(Markup.paragraph)
        let credits = caption.credits.map(Markup.text).joined(separator: "<br>")
        if !credits.isEmpty { parts.append("<p>\(credits)</p>") }
        return parts.joined(separator: "\n")
    }
}
