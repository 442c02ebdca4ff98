/// A web page with an article for each picture.
enum HTMLPage {
    static let head = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="no-referrer">
        <title>Astronomy Picture of the Day</title>
        <style>
        :root { color-scheme: light dark; }
        body { max-width: 44rem; margin: 0 auto; padding: 1rem; font: 1.0625rem/1.6 system-ui, sans-serif; }
        article { margin: 3rem 0; }
        h2, time { margin: 0; }
        figure { margin: 1rem 0; }
        img, video { display: block; max-width: 100%; max-height: 90vh; height: auto; }
        figcaption, footer, time { font-size: 0.875rem; opacity: 0.8; }
        </style>
        </head>
        <body>
        <main>
        <h1>Astronomy Picture of the Day</h1>

        """
    static let foot = "</main>\n</body>\n</html>\n"

    static func article(_ caption: Caption) -> String {
        var lines = ["<article>"]
        if let title = caption.title { lines.append("<h2>\(Markup.text(title))</h2>") }
        if let day = caption.day { lines.append("<time datetime=\"\(Markup.text(day))\">\(Markup.text(day))</time>") }
        let credits = caption.credits.map(Markup.text).joined(separator: "<br>")
        let figure = caption.figure(playsMovies: true)
        if let figure {
            lines.append("<figure>\(figure)\(credits.isEmpty ? "" : "<figcaption>\(credits)</figcaption>")</figure>")
        } else if !credits.isEmpty {
            lines.append("<p>\(credits)</p>")
        }
        lines += caption.paragraphs.map(Markup.paragraph)
        var links: [String] = []
        if figure != nil, let media = caption.media { links.append(Markup.link(caption.mediaLabel, to: media)) }
        if let page = caption.page, page != caption.media { links.append(Markup.link("Page", to: page)) }
        if !links.isEmpty { lines.append("<footer>\(links.joined(separator: " \u{B7} "))</footer>") }
        return (lines + ["</article>"]).joined(separator: "\n")
    }
}
