import Support
import TestSupport

/// The old service: `/planetary/apod` of api.nasa.gov.
struct ClassicAnswers {
    let settings: SampleSettings
    let own: String

    private static let fields = ["concept_tags", "date", "hd", "count", "start_date", "end_date", "thumbs"]
    private static let fieldList =
        "Allowed request fields for apod method are " + fields.map { "'\($0)'" }.joined(separator: ", ")

    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        let key = request.header("X-Api-Key") ?? request.field("api_key") ?? ""
        var response = refusal(of: key) ?? asked(request)
        response.set("X-RateLimit-Limit", key == "DEMO_KEY" ? "10" : "2000")
        if response.header("X-RateLimit-Remaining") == nil {
            response.set("X-RateLimit-Remaining", key == "DEMO_KEY" ? "9" : "1993")
        }
        return response
    }

    private func refusal(of key: String) -> LoopbackResponse? {
        if key.isEmpty { return gateway("API_KEY_MISSING", "No api_key was supplied. Get one at \(own)") }
        switch key {
        case "unverified":
            return gateway("API_KEY_UNVERIFIED", "The api_key supplied has not been verified yet.")
        case "over-limit":
            var response = gateway("OVER_RATE_LIMIT", "You have exceeded your rate limit. Try again later.")
            response.status = 429
            response.set("Retry-After", "2870")
            response.set("X-RateLimit-Remaining", "0")
            return response
        case _ where key == "invalid" || settings.apiKey.map { $0 != key } == true:
            return gateway("API_KEY_INVALID", "An invalid api_key was supplied. Get one at \(own)")
        default: return nil
        }
    }

    private func asked(_ request: LoopbackRequest) -> LoopbackResponse {
        let query = request.query.filter { $0.name != "api_key" }
        if query.contains(where: { !Self.fields.contains($0.name) }) {
            return error(400, "Bad Request: incorrect field passed. \(Self.fieldList)")
        }
        let date = request.field("date")
        let start = request.field("start_date")
        let end = request.field("end_date")
        let count = request.field("count")
        let hasThumbs = request.field("thumbs")?.lowercased() == "true"
        switch (date, start, end, count) {
        case (nil, nil, nil, let count?):
            guard let number = Int(count), (1...100).contains(number) else {
                return error(400, "Count must be positive and cannot exceed 100")
            }
            return chosen(number, hasThumbs)
        case (nil, let start?, let end, nil): return range(start, end, hasThumbs)
        case (let date, nil, nil, nil): return single(date, hasThumbs)
        default: return error(400, "Bad Request: invalid field combination passed. \(Self.fieldList)")
        }
    }

    private func single(_ date: String?, _ thumbs: Bool) -> LoopbackResponse {
        switch date.map(checked) ?? .success(settings.newestDay) {
        case .failure(let refusal): refusal.response
        case .success(let day):
            object(day, thumbs).map { .json($0) } ?? error(404, "No data available for date: \(day)")
        }
    }

    private func range(_ start: String, _ end: String?, _ thumbs: Bool) -> LoopbackResponse {
        switch (checked(start), end.map(checked) ?? .success(settings.newestDay)) {
        case (.failure(let refusal), _), (_, .failure(let refusal)): return refusal.response
        case (.success(let first), .success(let last)):
            guard first <= last else { return error(400, "start_date cannot be after end_date") }
            let days = first.daysSince1970...last.daysSince1970
            return list(days.compactMap { object(CalendarDay(daysSince1970: $0), thumbs) })
        }
    }

    /// Days that look chosen at random, but are the same for the same count.
    private func chosen(_ count: Int, _ thumbs: Bool) -> LoopbackResponse {
        var random = SeededRandom(seed: UInt64(count))
        var objects: [String] = []
        let days = settings.newestDay.daysSince1970 - SampleDay.first.daysSince1970 + 1
        while objects.count < count {
            let day = SampleDay.first.advanced(by: random.below(max(days, 1)))
            if let object = object(day, thumbs) { objects.append(object) }
        }
        return list(objects)
    }

    private func list(_ objects: [String]) -> LoopbackResponse { .json("[\(objects.joined(separator: ","))]") }

    private func object(_ day: CalendarDay, _ thumbs: Bool) -> String? {
        guard let sample = SampleDay(day, newest: settings.newestDay, own: own) else { return nil }
        var object = JSONObject()
        if settings.legacy == .logo {
            object.add("date", day.description)
            object.add("explanation", sample.sentences.joined(separator: " ") + "APOD's main site has moved\t\t\t")
            object.add("hdurl", SampleDay.logo(own))
            object.add("media_type", "image")
            object.add("service_version", "v1")
            object.add("title", "NASA Science")
            object.add("url", SampleDay.logo(own))
            return object.text
        }
        object.add("copyright", sample.author.map { "\n\($0)\n" })
        object.add("date", day.description)
        object.add("explanation", sample.sentences.joined(separator: " "))
        if sample.kind != .video && sample.kind != .film { object.add("hdurl", sample.picture) }
        let types: [SampleDay.Kind: String] = [.video: "video", .film: "video", .lost: "other"]
        object.add("media_type", types[sample.kind] ?? "image")
        object.add("service_version", "v1")
        if thumbs, sample.kind == .video {
            object.add("thumbnail_url", "\(own)/pictures/\(sample.videoID).jpg?w=480&h=360")
        } else if thumbs, sample.kind == .film {
            object.add("thumbnail_url", "")
        }
        object.add("title", sample.title)
        switch sample.kind {
        case .video: object.add("url", "https://\(sample.youTube)")
        case .film: object.add("url", sample.film)
        case .gif: object.add("url", sample.picture)
        case .landscape, .portrait, .png: object.add("url", sample.picture.map { $0 + "?w=960&h=960&fit=clip" })
        case .lost: break
        }
        return object.text
    }

    private struct Refusal: Error {
        let response: LoopbackResponse
    }

    private func checked(_ text: String) -> Result<CalendarDay, Refusal> {
        guard let day = CalendarDay(text) else {
            let parts = text.split(separator: "-")
            let isWellFormed = parts.count == 3 && parts[0].count == 4 && parts.allSatisfy { Int($0) != nil }
            return .failure(
                Refusal(
                    response: error(
                        400,
                        isWellFormed
                            ? "day is out of range for month"
                            : "time data '\(text)' does not match format '%Y-%m-%d'")))
        }
        guard day >= SampleDay.first, day <= settings.newestDay else {
            let newest = settings.newestDay
            let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
            let last = "\(months[newest.month - 1]) \(newest.description.suffix(2)), \(newest.year)"
            return .failure(Refusal(response: error(400, "Date must be between Jun 16, 1995 and \(last).")))
        }
        return .success(day)
    }

    private func error(_ code: Int, _ message: String) -> LoopbackResponse {
        var object = JSONObject()
        object.add("code", code)
        object.add("msg", message)
        object.add("service_version", "v1")
        return .json(object.text, status: code)
    }

    private func gateway(_ code: String, _ message: String) -> LoopbackResponse {
        var inner = JSONObject()
        inner.add("code", code)
        inner.add("message", message)
        var object = JSONObject()
        object.add("error", inner)
        return .json(object.text, status: 403)
    }
}
