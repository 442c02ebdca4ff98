import Support
import TestSupport

/// NASA's new service: `/wp-json/wp/v2/apod-basic`.
struct ScienceAnswers {
    let settings: SampleSettings
    let own: String

    private static let root = "/wp-json/wp/v2/apod-basic"
    /// More than this is never on one page.
    private static let longestPage = 25

    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        let path = request.path.hasSuffix("/") ? String(request.path.dropLast()) : request.path
        if path == Self.root { return list(request) }
        let parts = path.dropFirst(Self.root.count).split(separator: "/")
        guard path.hasPrefix(Self.root + "/"), let name = parts.first, name.count == 6,
            name.allSatisfy({ $0.isASCII && $0.isNumber }), parts.count == 1 || parts.count == 2 && parts[1] == "html"
        else {
            return error("rest_no_route", "No route was found matching the URL and request method.")
        }
        guard let day = Self.day(name), let sample = sample(day) else {
            return error("apod_basic_not_found", "APOD not found.")
        }
        if parts.count == 2 { return .text(article(sample), type: "text/html; charset=UTF-8") }
        return json(object(sample).text)
    }

    /// Newest first; a page past the end repeats the first one, as the service does.
    private func list(_ request: LoopbackRequest) -> LoopbackResponse {
        let newest = settings.newestDay
        let from = request.field("date_from").flatMap(Self.day) ?? SampleDay.first
        let to = min(request.field("date_to").flatMap(Self.day) ?? newest, newest)
        let perPage = min(max(request.field("per_page").flatMap { Int($0) } ?? Self.longestPage, 1), Self.longestPage)
        let wanted = max(request.field("page").flatMap { Int($0) } ?? 1, 1)
        let count = max(0, to.daysSince1970 - max(from, SampleDay.first).daysSince1970 + 1)
        var samples: [SampleDay] = []
        // Gaps are few, so that counting days instead of pictures would shift pages by them.
        let gaps = (0..<count).lazy.filter { sample(to.advanced(by: -$0)) == nil }.prefix(8).count
        let total = count - gaps
        let pages = (total + perPage - 1) / perPage
        let page = wanted > pages ? 1 : wanted
        var skipped = 0
        var back = 0
        while back < count, samples.count < perPage {
            defer { back += 1 }
            guard let sample = sample(to.advanced(by: -back)) else { continue }
            if skipped < (page - 1) * perPage { skipped += 1 } else { samples.append(sample) }
        }
        var response = json("[\(samples.map { object($0).text }.joined(separator: ","))]")
        response.set("X-WP-Total", "\(total)")
        response.set("X-WP-TotalPages", "\(pages)")
        return response
    }

    private func sample(_ day: CalendarDay) -> SampleDay? { SampleDay(day, newest: settings.newestDay, own: own) }

    /// YYMMDD; 95 to 99 are in the last century.
    private static func day(_ text: some StringProtocol) -> CalendarDay? {
        guard text.utf8.count == 6, let number = Int(text), number >= 0 else { return nil }
        let year = number / 10_000
        return CalendarDay(year: year < 95 ? 2000 + year : 1900 + year, month: number / 100 % 100, day: number % 100)
    }

    private func object(_ sample: SampleDay) -> JSONObject {
        var object = JSONObject()
        object.add("date", sample.day.description)
        // The service sends it as a number or as text.
        let id = 1_000_000 + sample.day.daysSince1970
        if sample.day.day % 7 == 0 { object.add("post_id", "\(id)") } else { object.add("post_id", id) }
        object.add("title", HTML.escaped(sample.title))
        object.add("permalink", sample.permalink)
        object.add("media_type", sample.kind == .video || sample.kind == .film ? "video" : "image")
        object.add("explanation", explanation(sample))
        object.add("credit", credit(sample))
        object.add("copyright", sample.author == nil ? nil : credit(sample))
        object.add("alt", "A drawn sky with stars &amp; clouds.")
        object.add("url", sample.permalink)
        object.add("hdurl", shown(sample))
        object.add("basic_html", article(sample))
        object.add("basic_html_url", "\(own)\(Self.root)/\(Self.shortName(sample.day))/html")
        return object
    }

    /// What stands as `hdurl`: a resized picture, or the placeholder where only the article has the real thing.
    private func shown(_ sample: SampleDay) -> String {
        switch sample.kind {
        case .video, .gif, .lost: return SampleDay.placeholder(own) + "?w=594&h=516&fit=clip"
        case .landscape, .portrait, .png, .film:
            return (sample.picture ?? "") + "?w=1024&h=1024&fit=clip&crop=faces%2Cfocalpoint"
        }
    }

    private func explanation(_ sample: SampleDay) -> String {
        let texts = sample.sentences.map { $0.replacingAmpersands() }
        let link = "<a href=\"\(sample.permalink)\" target=\"_blank\">\(texts[1])</a>"
        return "<strong>Explanation:\u{A0}</strong>\(texts[0]) \(link)"
            + " \(texts[2])\u{A0}\(texts[3])<br><br><strong>Tomorrow's picture:\u{A0}</strong>another sky"
    }

    private func credit(_ sample: SampleDay) -> String {
        let author = sample.author.map(HTML.escaped) ?? "the sample service"
        return "<b> Image Credit\(sample.author == nil ? "" : " &amp; <a href=\"#\">Copyright</a>"): </b>"
            + " <a href=\"\(own)/image-article/authors/\" target=\"_blank\">\(author)</a>"
    }

    /// The article as a page of its own: the only place of a video or an old GIF.
    private func article(_ sample: SampleDay) -> String {
        let medium =
            switch sample.kind {
            case .video: "<iframe width=\"960\" height=\"540\" src=\"//\(sample.youTube)\" allowfullscreen></iframe>"
            case .film: "<video width=\"960\" controls>\n<source src=\"\(sample.film)\" type=\"video/mp4\">\n</video>"
            case .lost: "<p>No picture.</p>"
            case .gif: "<IMG SRC=\"\(HTML.escaped(sample.picture ?? ""))\">"
            case .landscape, .portrait, .png:
                "<a href=\"\(sample.picture ?? "")\">\n<IMG SRC=\"\(sample.picture ?? "")\" alt=\"A drawn sky.\"></a>"
            }
        return """
            <!doctype html>
            <html>
            <head>
            <meta charset="UTF-8">
            <title> APOD: \(sample.longDate) - \(HTML.escaped(sample.title))</title>
            <link rel="canonical" href="\(sample.permalink)">
            </head>
            <body>
            <center>
            <h1> Astronomy Picture of the Day </h1>
            <p>\(sample.longDate)<br>
            \(medium)
            </center>
            <center>
            <b> \(HTML.escaped(sample.title)) </b><br>
            \(credit(sample))
            </center>
            <p>\(explanation(sample))</p>
            </body>
            </html>
            """
    }

    private static func shortName(_ day: CalendarDay) -> String {
        String(day.description.split(separator: "-").joined().dropFirst(2))
    }

    private func json(_ text: String) -> LoopbackResponse { .text(text, type: "application/json; charset=UTF-8") }

    private func error(_ code: String, _ message: String) -> LoopbackResponse {
        var data = JSONObject()
        data.add("status", 404)
        var object = JSONObject()
        object.add("code", code)
        object.add("message", message)
        object.add("data", data)
        var response = json(object.text)
        response.status = 404
        return response
    }
}

/// Text as HTML.
enum HTML {
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#039;"
            case "\u{2019}": result += "&#8217;"
            case "\u{201C}": result += "&ldquo;"
            case "\u{201D}": result += "&rdquo;"
            case "\u{2013}": result += "&#8211;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension String {
    /// The text with `&` as an entity, its tags left alone.
    fileprivate func replacingAmpersands() -> String {
        split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
    }
}
