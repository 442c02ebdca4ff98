import Support
import TestSupport

/// NASA's new service: `/wp-json/wp/v2/apod-basic`.
struct ScienceAnswers {
    let settings: SampleSettings
    let own: String

    private static let root = "/wp-json/wp/v2/apod-basic"
    private static let type = "application/json; charset=UTF-8"
    /// The maximum number of days on a page.
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
        guard let day = CalendarDay(sixDigits: name), day <= settings.newestDay, SampleArchive.has(day), has(day) else {
            return error("apod_basic_not_found", "APOD not found.")
        }
        if parts.count == 2 { return .text(article(sample(day)).text, type: "text/html; charset=UTF-8") }
        return .json(object(sample(day)), type: Self.type)
    }

    /// Lists days, newest first. As in the real service, a page past the end repeats the first page, and other query
    /// fields are ignored.
    private func list(_ request: LoopbackRequest) -> LoopbackResponse {
        func number(_ field: String) -> Int? { request.field(field).flatMap { Int($0) } }
        func day(_ field: String) -> CalendarDay? { request.field(field).flatMap { CalendarDay(sixDigits: $0) } }
        let from = day("date_from") ?? SampleArchive.first
        let to = min(day("date_to") ?? settings.newestDay, settings.newestDay)
        let perPage = min(max(number("per_page") ?? Self.longestPage, 1), Self.longestPage)
        let days = SampleArchive.days(from: from, through: to).filter(has)
        let pages = (days.count + perPage - 1) / perPage
        let wanted = max(number("page") ?? 1, 1)
        let page = wanted > pages ? 1 : wanted
        let shown = days.reversed().dropFirst((page - 1) * perPage).prefix(perPage)
        var response = LoopbackResponse.json(shown.lazy.map { object(sample($0)) }, type: Self.type)
        response.set("X-WP-Total", "\(days.count)")
        response.set("X-WP-TotalPages", "\(pages)")
        return response
    }

    private func sample(_ day: CalendarDay) -> SampleDay { SampleDay(day, settings, own: own) }

    /// Whether the new service still has the day.
    private func has(_ day: CalendarDay) -> Bool { SampleDay.Kind(on: day, settings) != .gone }

    private func object(_ sample: SampleDay) -> JSONObject {
        let article = article(sample)
        var object = JSONObject()
        object.add("date", sample.day.description)
        // The real service sends the ID as a number or as a string.
        let id = 1_000_000 + sample.day.daysSince1970
        if sample.day.day % 7 == 0 { object.add("post_id", "\(id)") } else { object.add("post_id", id) }
        object.add("title", sample.caption.titleHTML)
        object.add("permalink", sample.permalink)
        object.add("media_type", mediaType(sample.kind))
        object.add("explanation", article.explanation)
        object.add("credit", article.credit)
        object.add("copyright", sample.caption.author == nil ? nil : article.credit)
        object.add("alt", "A drawn sky with stars &amp; clouds.")
        object.add("url", sample.permalink)
        object.add("hdurl", shown(sample))
        object.add("basic_html", article.text)
        object.add("basic_html_url", "\(own)\(Self.root)/\(sample.day.sixDigits)/html")
        return object
    }

    private func article(_ sample: SampleDay) -> ScienceArticle { ScienceArticle(sample, own: own) }

    private func mediaType(_ kind: SampleDay.Kind) -> String {
        switch kind {
        case .video, .film, .bareFilm: "video"
        case .vimeo, .relativeVideo, .interactive: "iframe"
        case .audio: "audio"
        default: "image"
        }
    }

    /// Returns the value of `hdurl`: a resized picture, or the placeholder if the picture appears only in the article.
    private func shown(_ sample: SampleDay) -> String {
        let resizing = "?w=1024&h=1024&fit=clip&crop=faces%2Cfocalpoint"
        return switch sample.kind {
        case .video, .vimeo, .relativeVideo, .bareFilm, .interactive, .gif, .lost, .gone:
            SampleDay.placeholder(own) + "?w=594&h=516&fit=clip"
        case .movie, .page, .blanks: sample.larger ?? ""
        case .tiff: (sample.larger ?? "") + resizing
        case .landscape, .portrait, .png, .film, .audio, .broken, .debris: (sample.picture ?? "") + resizing
        }
    }

    private func error(_ code: String, _ message: String) -> LoopbackResponse {
        var data = JSONObject()
        data.add("status", 404)
        var object = JSONObject()
        object.add("code", code)
        object.add("message", message)
        object.add("data", data)
        return .json(object, status: 404, type: Self.type)
    }
}
