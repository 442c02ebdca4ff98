import Support
import TestSupport

/// The old service, `/planetary/apod`, with the responses of api.nasa.gov and of NASA's apod-api.
struct ClassicAnswers {
    let settings: SampleSettings
    let own: String

    private static let fields = ["concept_tags", "date", "hd", "count", "start_date", "end_date", "thumbs"]
    private static let fieldList =
        "Allowed request fields for apod method are " + fields.map { "'\($0)'" }.joined(separator: ", ")

    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        if request.query.contains(where: { !Self.fields.contains($0.name) }) {
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
        case .failure(let refusal): return refusal.response
        case .success(let day):
            guard SampleArchive.has(day) else { return error(404, "No data available for date: \(day)") }
            return answer([sample(day)]) { .json(object($0[0], thumbs)) }
        }
    }

    private func range(_ start: String, _ end: String?, _ thumbs: Bool) -> LoopbackResponse {
        switch (checked(start), end.map(checked) ?? .success(settings.newestDay)) {
        case (.failure(let refusal), _), (_, .failure(let refusal)): return refusal.response
        case (.success(let first), .success(let last)):
            guard first <= last else { return error(400, "start_date cannot be after end_date") }
            return list(SampleArchive.days(from: first, through: last), thumbs)
        }
    }

    /// Returns pseudorandom days, which depend only on the count.
    private func chosen(_ count: Int, _ thumbs: Bool) -> LoopbackResponse {
        var random = SeededRandom(seed: UInt64(count))
        let days = Array(SampleArchive.days(from: SampleArchive.first, through: settings.newestDay))
        return list(days.isEmpty ? [] : (0..<count).map { _ in days[random.below(days.count)] }, thumbs)
    }

    private func list(_ days: some Collection<CalendarDay>, _ thumbs: Bool) -> LoopbackResponse {
        answer(days.map(sample)) { .json($0.lazy.map { object($0, thumbs) }) }
    }

    /// As in the real service, a range with a broken day fails.
    private func answer(
        _ samples: [SampleDay], _ words: ([SampleDay]) -> LoopbackResponse
    ) -> LoopbackResponse {
        let isBroken = settings.legacy == .classic && samples.contains { $0.kind == .broken }
        return isBroken ? error(500, "Internal Service Error") : words(samples)
    }

    private func sample(_ day: CalendarDay) -> SampleDay { SampleDay(day, settings, own: own) }

    private func object(_ sample: SampleDay, _ thumbs: Bool) -> JSONObject {
        settings.legacy == .logo ? logo(sample) : classic(sample, thumbs)
    }

    /// Returns the response that the real service, since October 2026, sends for every day.
    private func logo(_ sample: SampleDay) -> JSONObject {
        var object = JSONObject()
        object.add("date", sample.day.description)
        object.add("explanation", sample.caption.explanation + "APOD's main site has moved\t\t\t")
        object.add("hdurl", SampleDay.logo(own))
        object.add("media_type", "image")
        object.add("service_version", "v1")
        object.add("title", "NASA Science")
        object.add("url", SampleDay.logo(own))
        return object
    }

    private func classic(_ sample: SampleDay, _ thumbs: Bool) -> JSONObject {
        let caption = sample.caption
        let isDebris = sample.kind == .debris
        var object = JSONObject()
        object.add("copyright", caption.author.map { isDebris ? "\n\($0);\nText:\nNobody\n (Nowhere)\n" : "\n\($0)\n" })
        object.add("date", sample.day.description)
        object.add("explanation", (isDebris ? "digg_url = '\(sample.permalink)'; " : "") + caption.explanation)
        object.add("hdurl", sample.larger)
        object.add("media_type", mediaType(sample.kind))
        object.add("service_version", "v1")
        if thumbs { object.add("thumbnail_url", thumbnail(sample)) }
        object.add("title", isDebris ? "\(caption.title)\r\nCredit: \(caption.author ?? "nobody")" : caption.title)
        object.add("url", shown(sample))
        return object
    }

    private func mediaType(_ kind: SampleDay.Kind) -> String {
        switch kind {
        case .video, .vimeo, .relativeVideo, .film, .bareFilm, .interactive: "video"
        case .lost: "other"
        default: "image"
        }
    }

    /// Returns the still of a video: empty if the service has none, nil if the day has no video.
    private func thumbnail(_ sample: SampleDay) -> String? {
        switch sample.kind {
        case .video, .relativeVideo: "\(own)/pictures/\(sample.videoID).jpg?w=480&h=360"
        case .vimeo, .film, .bareFilm, .interactive: ""
        default: nil
        }
    }

    private func shown(_ sample: SampleDay) -> String? {
        switch sample.kind {
        case .video, .vimeo, .relativeVideo, .film, .bareFilm, .interactive: sample.player
        case .gif: sample.picture
        default: sample.picture.map { $0 + "?w=960&h=960&fit=clip" }
        }
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
        guard day >= SampleArchive.first, day <= settings.newestDay else {
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
        return .json(object, status: code)
    }
}
