import Records
import Support
import Testing

@testable import APOD
@testable import Articles

/// Tests of the HTML pages and Atom feeds made from an output record.
@Suite struct MarkupTests {
    private func caption(_ changes: [String: JSON?] = [:]) throws -> Caption {
        var record = try ScienceAnswer.picture(from: scienceAnswer()).record(fetchedAt: time("2026-11-20"))
        for (name, value) in changes {
            if let value { record.set(name, value) } else { record.remove(name) }
        }
        return try #require(Caption(record))
    }

    /// Returns the names of the opened elements, in order; nil if the markup is not well-formed (XML 1.0 §2.1).
    private func elements(_ xml: String) -> [String]? {
        var names: [String] = []
        var open: [String] = []
        for piece in xml.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
            let known = ["amp;", "lt;", "gt;", "quot;", "#39;"]
            if !known.contains(where: { piece.hasPrefix($0) }) { return nil }
        }
        for piece in xml.split(separator: "<", omittingEmptySubsequences: false).dropFirst() {
            guard let end = piece.firstIndex(of: ">") else { return nil }
            let tag = String(piece[..<end])
            if tag.hasPrefix("?") { continue }
            if tag.filter({ $0 == "\"" }).count % 2 != 0 { return nil }
            if tag.hasPrefix("/") {
                guard let last = open.popLast(), last == String(tag.dropFirst()) else { return nil }
                continue
            }
            let name = String(tag.prefix { $0 != " " && $0 != "/" })
            names.append(name)
            if !tag.hasSuffix("/") { open.append(name) }
        }
        return open.isEmpty ? names : nil
    }

    private func feed(_ captions: Caption..., address: String? = nil) throws -> String {
        let feed = AtomFeed.picturesOfTheDay(address: address, updated: time("2026-11-20"))
        return try feed.head + captions.map { try #require(AtomFeed.entry($0)) + "\n" }.joined() + AtomFeed.foot
    }

    @Test func feedHasTheRequiredElements() throws {
        let feed = try feed(caption(), address: "https://x.org/a?b&c")
        let names = try #require(elements(feed))
        #expect(
            names == [
                "feed", "id", "title", "updated", "author", "name", "uri", "generator", "link", "link", "entry", "id",
                "title", "published", "updated", "author", "name", "link", "rights", "media:thumbnail", "content",
            ])
        #expect(feed.contains("<updated>2026-11-20T12:00:00Z</updated>"))
        #expect(feed.contains("rel=\"self\" type=\"application/atom+xml\" href=\"https://x.org/a?b&amp;c\""))
        #expect(feed.contains("<id>urn:uuid:3f0b6c52-7d1e-4c0a-9b35-000020261120</id>"))
        #expect(feed.contains("<published>2026-11-20T00:05:00-04:00</published>"))
        #expect(
            feed.contains(
                "<link rel=\"alternate\" type=\"text/html\" href=\"https://science.example.org/apod-ring/\"/>"))
        #expect(feed.contains("<rights>\u{A9} Ada Example</rights>"))
        #expect(feed.contains("&lt;p&gt;Dust circles a star.&lt;/p&gt;"))
        #expect(feed.contains("&lt;img src=&quot;https://assets.example.org/apod/ring.jpg?w=1024&amp;amp;h=768"))
        #expect(try !self.feed(caption(["copyright": nil])).contains("<rights>"))
        #expect(try !self.feed().contains("rel=\"self\""))
    }

    @Test func entryIsIdentifiedByItsDay() throws {
        #expect(try AtomFeed.entry(caption(["date": "one day"])) == nil)
        let again = try caption(["apod": .object(["fetched_at": "2026-12-24T00:00:00Z"])])
        #expect(try AtomFeed.entry(again) == AtomFeed.entry(caption()))
    }

    private let hostile: [String: JSON?] = [
        "title": "</title><script>alert(1)</script>&\u{FFFF}\u{1}", "explanation": "1 < 2 & \"a\" 'b' ]]> &amp; <b>",
        "copyright": "<b onclick='x'>", "credit": "A & B", "alt": "\" onerror=\"alert(1)",
        "permalink": "javascript:alert(1)", "url": "https://x.org/a.jpg?a&b='\u{E9}", "hdurl": "data:text/html,x",
        "apod": .object([
            "marks": .array([
                mark(0..<1, "javascript:alert(1)"), mark(4..<5, "https://x.org/?a&b=\"><script>"),
                mark(8..<9, "https://x.org/'&"),
            ])
        ]),
    ]

    @Test func untrustedTextIsEscaped() throws {
        let caption = try caption(hostile)
        let (entry, article) = (try #require(AtomFeed.entry(caption)), HTMLPage.article(caption))
        #expect(try elements(feed(caption)) != nil)
        let content = try #require(entry.split(separator: "\n").first { $0.hasPrefix("<content") })
        #expect(!article.contains("<script") && !entry.contains("<script") && !content.contains("&lt;script"))
        for text in [article, entry] {
            #expect(!text.contains("javascript:alert") && !text.contains("data:text"))
            #expect(!text.unicodeScalars.contains { $0 == "\u{FFFF}" || $0 == "\u{1}" })
        }
        #expect(article.contains("alt=\"&quot; onerror=&quot;alert(1)\""))
        #expect(article.contains("href=\"https://x.org/&#39;&amp;\""))
    }

    @Test func aPageHasAnArticleForEachPicture() throws {
        let article = HTMLPage.article(
            try caption([
                "explanation": "One. Two.",
                "apod": .object([
                    "paragraphs": .array([paragraph(0..<4), paragraph(5..<9)]),
                    "marks": .array([mark(0..<3, "https://x.org/")]),
                ]),
            ]))
        #expect(article.hasPrefix("<article>\n<h2>A Ring of Dust</h2>\n<time datetime=\"2026-11-20\">"))
        #expect(article.contains("<a href=\"https://assets.example.org/apod/ring.jpg\"><img src="))
        #expect(article.contains("<figcaption>Credit &amp; copyright: Ada Example</figcaption>"))
        #expect(article.contains("\n<p><a href=\"https://x.org/\">One</a>.</p>\n<p>Two.</p>\n"))
        #expect(HTMLPage.head.contains("<html lang=\"en\">") && HTMLPage.head.contains("<title>"))
    }

    @Test func moviesPlayOnThePageAndPlayersAreLinked() throws {
        let movie: [String: JSON?] = [
            "media_type": "video", "url": "https://x.org/a.mp4", "hdurl": nil, "thumbnail_url": "https://x.org/a.jpg",
        ]
        let page = HTMLPage.article(try caption(movie))
        #expect(
            page.contains(
                "<video controls preload=\"none\" poster=\"https://x.org/a.jpg\" src=\"https://x.org/a.mp4\"></video>"))
        #expect(try AtomFeed.entry(caption(movie))?.contains("<media:thumbnail url=\"https://x.org/a.jpg\"/>") == true)
        let player = HTMLPage.article(try caption(movie.merging(["url": "https://youtu.be/abc"]) { $1 }))
        #expect(player.contains("<figure><a href=\"https://youtu.be/abc\"><img src=\"https://x.org/a.jpg\""))
        #expect(!player.contains("<iframe"))
    }
}
