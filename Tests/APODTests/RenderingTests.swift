import Records
import Support
import Testing

@testable import APOD
@testable import Articles

/// Returns a tool's output record with `changes`.
private func record(_ changes: [String: JSON?] = [:]) throws -> Record {
    var record = try ScienceAnswer.picture(from: scienceAnswer()).record(fetchedAt: time("2026-11-20"))
    for (name, value) in changes {
        if let value { record.set(name, value) } else { record.remove(name) }
    }
    return record
}

private let video: [String: JSON?] = [
    "media_type": "video", "url": "https://x.org/a.mp4", "hdurl": nil, "thumbnail_url": "https://x.org/a.jpg",
    "alt": nil,
]

private func caption(_ changes: [String: JSON?] = [:]) throws -> Caption { try #require(Caption(record(changes))) }

@Suite struct TextPageTests {
    private func page(
        terminal: Bool = false, width: Int = 80, _ environment: Environment = ["TERM": "xterm"]
    ) -> TextPage { TextPage(isTerminal: terminal, width: width, environment: environment) }

    @Test func textShowsTitleDayCreditExplanationAndLinks() throws {
        #expect(
            page().text(try caption()) == """
                A Ring of Dust
                2026-11-20
                Credit & copyright: Ada Example

                Dust circles a star.

                Picture: https://assets.example.org/apod/ring.jpg
                Page: https://science.example.org/apod-ring/
                """)
    }

    private var marked: [String: JSON?] {
        [
            "explanation": "Dust circles a star. Note: The site moves, see here.",
            "apod": .object([
                "paragraphs": .array([paragraph(0..<20), paragraph(21..<52)]),
                "marks": .array([
                    mark(0..<4, "https://x.org/dust"), mark(36..<41, "https://x.org/(a)"),
                    mark(47..<51, "https://x.org/dust"),
                ]),
            ]),
        ]
    }

    @Test func paragraphsAndNumberedLinksAreKept() throws {
        let text = page().text(try caption(marked))
        #expect(
            text.contains(
                "\n\nDust [1] circles a star.\n\nNote: The site moves [2], see here [1].\n\nPicture: "))
        #expect(text.hasSuffix("/apod-ring/\n\n[1] https://x.org/dust\n[2] https://x.org/(a)"))
    }

    @Test func markdownHasParagraphsAndLinks() throws {
        let text = try caption(marked).markdown
        #expect(
            text.contains(
                "\n\n[Dust](https://x.org/dust) circles a star.\n\n"
                    + "Note: The site [moves](https://x.org/%28a%29), see [here](https://x.org/dust).\n\n"))
    }

    @Test func offsetsAreIgnoredIfFoldingChangesTheText() throws {
        let text = page().text(try caption(marked.merging(["explanation": "A\u{7} text of another length."]) { $1 }))
        #expect(text.contains("\n\nA text of another length.\n\n"))
    }

    @Test func stillOfAVideoIsShown() throws {
        #expect(
            page().text(try caption(video)).hasSuffix(
                "\n\nVideo: https://x.org/a.mp4\nStill: https://x.org/a.jpg\nPage: https://science.example.org/apod-ring/"
            ))
    }

    @Test func otherMediaMayLackAnAddress() throws {
        let other: [String: JSON?] = ["media_type": "other", "url": nil, "hdurl": nil, "permalink": nil]
        #expect(page().text(try caption(other)).hasSuffix("\n\nDust circles a star."))
        #expect(
            page().text(try caption(other.merging(["url": "https://x.org/globe/"]) { $1 })).hasSuffix(
                "\n\nLink: https://x.org/globe/"))
    }

    @Test func differentCreditAndCopyrightAreBothShown() throws {
        let text = page().text(try caption(["copyright": "Bob Example"]))
        #expect(text.contains("\nCredit: Ada Example\nCopyright: Bob Example\n"))
        #expect(page().text(try caption(["credit": nil])).contains("\nCopyright: Ada Example\n"))
        #expect(page().text(try caption(["copyright": nil])).contains("\nCredit: Ada Example\n"))
    }

    @Test func longTextsAreWrappedButAddressesAreNot() throws {
        let address = "https://x.org/" + String(repeating: "a", count: 200)
        let text = page(terminal: true, width: 40, [:]).text(
            try caption(["explanation": .string(String(repeating: "dust and ", count: 30)), "hdurl": .string(address)]))
        let lines = text.split(separator: "\n")
        #expect(lines.contains { $0 == "Picture: " + address })
        for line in lines where !line.contains("://") { #expect(line.count <= 40) }
        #expect(lines.contains("dust and dust and dust and dust and dust"))
    }

    @Test(
        arguments: [
            (true, 60, nil, 60), (true, 200, nil, 80), (false, 200, nil, 80), (true, 60, "40", 40),
            (false, 80, "40", 40),
            (true, 60, "300", 80), (true, 60, "0", 60), (true, 60, "-5", 60), (true, 60, "wide", 60),
            (true, 5, nil, 20),
            (true, 60, "99999999999999999999", 60),
        ] as [(Bool, Int, String?, Int)])
    func pageUsesTheTerminalsWidth(isTerminal: Bool, width: Int, columns: String?, expected: Int) {
        let environment: Environment = columns.map { ["COLUMNS": $0] } ?? [:]
        #expect(TextPage(isTerminal: isTerminal, width: width, environment: environment).columns == expected)
    }

    @Test func aTerminalShowsTheTitleInBold() throws {
        let coloured = page(terminal: true).text(try caption())
        #expect(coloured.hasPrefix("\u{1B}[1mA Ring of Dust\u{1B}[0m\n"))
        #expect(!page(terminal: false).text(try caption()).contains("\u{1B}"))
    }

    @Test func controlCharactersDoNotReachATerminal() throws {
        let text = page(terminal: true, ["TERM": "dumb"]).text(
            try caption([
                "title": "A\u{1B}[2JRing\nFake line", "date": "2026-11-20\r\u{9B}31m",
                "hdurl": "https://x.org/\u{202E}gpj.a",
                "explanation": "\u{7}Dust\u{2066}", "copyright": "B\u{8}ob",
            ]))
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        #expect(!text.unicodeScalars.contains("\u{202E}") && !text.unicodeScalars.contains("\u{2066}"))
        #expect(text.hasPrefix("A[2JRing Fake line\n"))
    }
}

@Suite struct MarkdownTests {
    @Test func imageLinksToItsLargerVersion() throws {
        #expect(
            try caption().markdown == """
                # A Ring of Dust

                [![A ring.](https://assets.example.org/apod/ring.jpg?w=1024&h=768&fit=clip&crop=faces%2Cfocalpoint)]\
                (https://assets.example.org/apod/ring.jpg)

                2026-11-20\\
                Credit & copyright: Ada Example

                Dust circles a star.

                [Picture](https://assets.example.org/apod/ring.jpg) · [Page](https://science.example.org/apod-ring/)
                """)
    }

    @Test func markdownShowsTheStillOfAVideoAsALinkToIt() throws {
        #expect(try caption(video).markdown.contains("[![A Ring of Dust](https://x.org/a.jpg)](https://x.org/a.mp4)\n"))
        let without = try caption(video.merging(["thumbnail_url": nil]) { $1 }).markdown
        #expect(!without.contains("!["))
        #expect(without.contains("[Video](https://x.org/a.mp4) · [Page]("))
    }

    @Test func pictureWithoutALargerVersionIsNotALink() throws {
        let markdown = try caption(["hdurl": "https://x.org/a.jpg", "url": "https://x.org/a.jpg"]).markdown
        #expect(markdown.contains("\n\n![A ring.](https://x.org/a.jpg)\n\n"))
    }

    @Test(arguments: [
        ("*M31* and _dust_", "\\*M31\\* and \\_dust\\_"), ("a [b](c)", "a \\[b\\](c)"), ("![x](y)", "!\\[x\\](y)"),
        ("<script>", "\\<script>"), ("1 < 2 > 0", "1 \\< 2 > 0"), ("`code`", "\\`code\\`"), ("# A", "\\# A"),
        ("A #", "A \\#"), ("a\\b", "a\\\\b"), ("- a", "\\- a"), ("+ a", "\\+ a"), ("> a", "\\> a"), ("---", "\\---"),
        ("===", "\\==="), ("1. a", "1\\. a"), ("1995) a", "1995\\) a"), ("1995 was", "1995 was"), ("M&M", "M&M"),
        ("&amp; &#38; &copy", "\\&amp; \\&\\#38; &copy"), ("~~a~~", "\\~\\~a\\~\\~"), ("$5 and $6", "\\$5 and \\$6"),
        ("a - b + c. 1. d", "a - b + c. 1. d"), ("", ""),
        ("\u{1F468}\u{200D}\u{1F680} \u{E9}", "\u{1F468}\u{200D}\u{1F680} \u{E9}"),
    ])
    func textIsEscapedForMarkdown(_ text: String, _ escaped: String) { #expect(Markdown.text(text) == escaped) }

    @Test(arguments: [
        ("https://x.org/a b.jpg", "https://x.org/a%20b.jpg"), ("https://x.org/a(1).jpg", "https://x.org/a%281%29.jpg"),
        ("https://x.org/<a>", "https://x.org/%3Ca%3E"), ("https://x.org/a\\b", "https://x.org/a%5Cb"),
        ("https://x.org/?a=1&lt;b", "https://x.org/?a=1\\&lt;b"), ("https://x.org/?a=1&w=2", "https://x.org/?a=1&w=2"),
        ("https://x.org/*a*_b_[c]", "https://x.org/*a*_b_[c]"),
    ])
    func addressIsEscapedAsALinkDestination(_ address: String, _ escaped: String) {
        #expect(Markdown.destination(address) == escaped)
    }

    @Test func untrustedTextStaysOnItsLine() throws {
        let markdown = try caption(["title": "A\n# B", "explanation": "Dust\n\n* list", "alt": "a\n]b"]).markdown
        #expect(markdown.hasPrefix("# A \\# B\n\n[![a \\]b]("))
        #expect(markdown.contains("\n\nDust \\* list\n\n"))
    }
}

@Suite struct CaptionTests {
    @Test(
        arguments: [
            (["hdurl": "https://x.org/b.jpg"], "https://x.org/b.jpg"),
            (["hdurl": nil, "url": "https://x.org/s.jpg"], "https://x.org/s.jpg"),
            (["url": nil, "hdurl": "https://x.org/b.jpg"], "https://x.org/b.jpg"),
            (["media_type": "video", "url": "https://x.org/a.mp4"], "https://x.org/a.mp4"),
            (["media_type": "other", "url": nil], nil),
        ] as [([String: JSON?], String?)])
    func captionShowsTheBestPictureOrTheVideo(changes: [String: JSON?], address: String?) throws {
        #expect(try caption(changes).media == address)
    }

    @Test func failedOrEmptyRecordShowsNothing() throws {
        var failed = try record()
        failed.setError(APODFailure.noPicture(day("2026-11-20")), tool: "apod-fetch")
        #expect(Caption(failed) == nil)
        #expect(Caption(Record()) == nil)
        #expect(Caption(try Record(parsing: Array(#"{"date":"2026-11-20","title":5,"url":null}"#.utf8))) == nil)
    }

    @Test func everyFormatButJSONHasALayout() {
        let page = TextPage(isTerminal: false, width: 80, environment: [:])
        for format in ArticleFormat.allCases {
            let feed = AtomFeed.picturesOfTheDay(updated: time("2026-11-20"))
            #expect((format.layout(for: page, feed: feed) == nil) == (format == .json))
        }
    }
}
