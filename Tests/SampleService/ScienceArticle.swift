/// The new service's article about a day: a separate page, and the only response with the address of a video or an old
/// GIF. It is 8 to 12 KB long, like NASA's pages, and mostly the same for every day.
struct ScienceArticle {
    let explanation: String
    let credit: String
    let text: String

    init(_ sample: SampleDay, own: String) {
        let caption = sample.caption
        let body = caption.explanationHTML(own)
        explanation =
            "<strong>Explanation:\u{A0}</strong>\(body)<br /><br />"
            + "<strong>Tomorrow's picture:\u{A0}</strong>another sky"
        let author = caption.author.map(HTML.escaped) ?? "the sample service"
        let claim = caption.author == nil ? "" : " &amp; <a href=\"\(own)/image-article/rights/\">Copyright</a>"
        credit =
            "<b> Image Credit\(claim): </b> <a href=\"\(own)/image-article/authors/\" target=\"_blank\">\(author)</a>"
        let title = caption.titleHTML
        let picture = sample.picture ?? SampleDay.placeholder(own)
        text = """
            <!doctype html>
            <html>
            <head>
            <meta charset="UTF-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title> APOD: \(sample.longDate) - \(title)</title>
            <link rel="canonical" href="\(sample.permalink)">
            <meta name="description" content="Explanation: \(caption.explanationAttribute)">
            <meta property="og:type" content="article">
            <meta property="og:title" content="\(title)">
            <meta property="og:url" content="\(sample.permalink)">
            <meta property="og:image" content="\(picture)">
            <meta property="article:published_time" content="\(sample.day)T00:05:00-04:00">
            \(Self.head)
            </head>
            <body BGCOLOR="#F4F4FF" text="#000000" link="#0000FF" vlink="#7F0F9F">
            <center>
            <h1> Astronomy Picture of the Day </h1>
            <p>\(sample.longDate)<br>
            \(Self.medium(sample))
            </center>
            <center>
            <b> \(title) </b><br>
            \(credit)
            </center>
            <p>\(explanation)</p>
            \(Self.foot)
            </body>
            </html>
            """
    }

    private static func medium(_ sample: SampleDay) -> String {
        let picture = sample.picture ?? ""
        let player = sample.player ?? ""
        return switch sample.kind {
        case .video:
            // The address has no scheme, as in most articles.
            "<iframe width=\"960\" height=\"540\" src=\"\(player.dropFirst("https:".count))\" allowfullscreen></iframe>"
        case .vimeo, .relativeVideo, .interactive:
            "<iframe width=\"960\" height=\"540\" src=\"\(HTML.escaped(player))\" allowfullscreen></iframe>"
        case .film, .bareFilm: "<video width=\"960\" controls>\n<source src=\"\(player)\" type=\"video/mp4\">\n</video>"
        case .audio:
            "<IMG SRC=\"\(picture)\" alt=\"A drawn sky.\">"
                + "<audio controls><source src=\"\(player)\" type=\"audio/mpeg\"></audio>"
        case .lost, .gone: "<p>No picture.</p>"
        case .gif: "<IMG SRC=\"\(HTML.escaped(picture))\">"
        default: "<a href=\"\(sample.larger ?? picture)\">\n<IMG SRC=\"\(picture)\" alt=\"A drawn sky.\"></a>"
        }
    }

    private static let head = (1...32).map { number in
        "<meta name=\"sample-\(number)\" content=\"One of the many lines that each page of a large site begins with\">"
    }.joined(separator: "\n")

    private static let foot =
        "<p><hr>\n"
        + ["Archive", "Index", "Search", "Calendar", "Feed", "Education", "About", "Authors & editors"].map { name in
            "| <a href=\"https://science.nasa.example/apod/\(name.prefix { $0 != " " }.lowercased())/\" "
                + "target=\"_blank\" rel=\"noopener noreferrer\" class=\"site-footer__link\">\(name)</a>"
        }.joined(separator: "\n")
        + "\n<hr>\n<script>\nwindow.sampleSettings = {\"measure\": \"nothing\", \"version\": [1, 2, 3]};\n"
        + (1...12).map { "if (window.samplePart\($0)) { window.samplePart\($0)(window.sampleSettings, \"\\u00e9\"); }" }
        .joined(separator: "\n") + "\n</script>"
}
