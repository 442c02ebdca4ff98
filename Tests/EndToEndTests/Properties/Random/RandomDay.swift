import Support
import TestSupport

/// A random day of NASA's services: its content, its answer from each service, and the expected fields of its record.
struct RandomDay: Sendable {
    /// The kinds of media that a service can distinguish.
    enum Medium: CaseIterable, Sendable {
        case picture
        /// An animated GIF. The new service shows it only in the article.
        case animation
        case youTube, vimeo, film
        /// An interactive page.
        case page
        /// Text only.
        case nothing
        /// The picture was lost, and the service shows a stand-in.
        case lost
    }

    /// A service's object for the day.
    struct Answer: Sendable {
        var fields: [(name: String, value: String)] = []
        /// The expected record, by field; nil if the day has no usable picture.
        var expected: [String: String]?

        /// The JSON object, with its fields in order.
        func object(_ random: inout SeededRandom) -> String {
            "{" + fields.map { "\"\($0.name)\":\(RandomText.json($0.value, &random))" }.joined(separator: ",") + "}"
        }
    }

    let day: CalendarDay
    let medium: Medium
    let title: String
    let explanation: String
    let author: String?
    let science: Answer
    let api: Answer
    /// The JSON text of each service.
    let scienceText: String
    let apiText: String

    /// - Parameters:
    ///   - site: the prefix of the addresses of pictures.
    ///   - medium: nil for a random medium.
    init(_ day: CalendarDay, site: String, medium wanted: Medium? = nil, _ random: inout SeededRandom) {
        self.day = day
        medium = wanted ?? random.one(of: Medium.allCases)
        title = RandomText.sentence(&random, words: 0...6, hasAngles: false)
        explanation = RandomText.sentence(&random, words: 3...60, hasAngles: false)
        author = random.chance(50) ? RandomText.author(&random) : nil
        var sketch = Sketch(day, medium, site, title, explanation, author)
        science = sketch.science(&random)
        api = sketch.api(&random)
        scienceText = science.object(&random)
        apiText = api.object(&random)
    }
}

/// Builds the answers for a day.
private struct Sketch {
    typealias Address = (sent: String, read: String)

    let day: CalendarDay
    let medium: RandomDay.Medium
    let site: String
    let title: String
    let explanation: String
    let author: String?
    /// The base name of the picture files.
    let name: String
    let videoID: String

    init(
        _ day: CalendarDay, _ medium: RandomDay.Medium, _ site: String, _ title: String, _ explanation: String,
        _ author: String?
    ) {
        (self.day, self.medium, self.site) = (day, medium, site)
        (self.title, self.explanation, self.author) = (title, explanation, author)
        name = "sky-\(day)"
        videoID = "v_\(day.description.filter { $0 != "-" })Z"
    }

    private var placeholder: String { "\(site)/images/misc/news-thumbnail.png?w=594&h=516&fit=clip" }
    private var permalink: String { "\(site)/image-article/apod-\(day)/" }

    /// The fields common to the records of both services.
    private var texts: [String: String] {
        ["date": day.description, "title": title, "explanation": explanation]
    }

    // MARK: The new service

    mutating func science(_ random: inout SeededRandom) -> RandomDay.Answer {
        var answer = RandomDay.Answer()
        var expected = texts
        expected["service_version"] = "v2"
        expected["permalink"] = permalink
        func add(_ name: String, _ value: String) { answer.fields.append((name, value)) }
        add("date", day.description)
        add("post_id", "\(day.daysSince1970)")
        add("title", RandomText.html(title, &random))
        add("permalink", permalink)
        let labels = ["", "<strong>Explanation:</strong> ", "<b> Explanation: </b>", "Explanation:\u{A0}"]
        let label = random.one(of: labels)
        let tomorrow = random.chance(50) ? "<br><br><strong>Tomorrow's picture:</strong> another sky" : ""
        add("explanation", label + RandomText.html(explanation, &random) + tomorrow)
        if let author {
            let isLabelled = random.chance(50)
            let line = (isLabelled ? "<b> Image Credit &amp; Copyright: </b>" : "") + RandomText.html(author, &random)
            add("credit", line)
            add("copyright", line)
            expected["copyright"] = author
            expected["credit"] = author
        }
        if random.chance(50) {
            add("alt", RandomText.html("A drawn sky.", &random))
            expected["alt"] = "A drawn sky."
        }
        add("url", permalink)
        let (type, hdurl, body) = scienceMedium(&expected, &random)
        add("media_type", type)
        add("hdurl", hdurl)
        add("basic_html", "<!doctype html><html><body><center><p>\(day)<br>\n\(body)</center><p>text</body></html>")
        answer.fields.shuffle(using: &random)
        answer.expected = medium == .lost ? nil : expected
        return answer
    }

    /// The fields for the medium: `media_type`, `hdurl`, and the content of the article.
    private func scienceMedium(
        _ expected: inout [String: String], _ random: inout SeededRandom
    ) -> (type: String, hdurl: String, body: String) {
        let picture = "\(site)/pictures/\(name).png"
        func still() -> String { picture + random.one(of: ["", "?w=1024&h=768&fit=clip&crop=faces%2Cfocalpoint"]) }
        func video(_ url: Address, _ body: String, type: String, hasStill: Bool) -> (String, String, String) {
            expected["media_type"] = "video"
            expected["url"] = url.read
            let hdurl = hasStill ? still() : placeholder
            expected["thumbnail_url"] = hasStill ? hdurl : youTubeStill
            return (type, hdurl, body)
        }
        switch medium {
        case .picture:
            let shown = still()
            expected["media_type"] = "image"
            expected["url"] = shown
            expected["hdurl"] = picture
            return ("image", shown, "<a href=\"\(picture)\"><IMG SRC=\"\(picture)\"></a>")
        case .animation:
            let hasLarger = random.chance(50)
            let (small, large) = ("\(site)/pictures/\(name).gif", "\(site)/pictures/\(name)-large.gif")
            expected["media_type"] = "image"
            expected["url"] = small
            expected["hdurl"] = hasLarger ? large : small
            let image = "<IMG SRC=\"\(small)\" alt='a sky'>"
            return ("image", placeholder, hasLarger ? "<a href=\"\(large)\">\(image)</a>" : image)
        case .youTube:
            let url = player(&random)
            let type = random.one(of: ["video", "iframe"])
            let frame = "<iframe width=960 src=\"\(url.sent)\"></iframe>"
            return video(url, frame, type: type, hasStill: random.chance(30))
        case .vimeo:
            let url = player(&random)
            return video(url, "<iframe src='\(url.sent)'></iframe>", type: "video", hasStill: random.chance(30))
        case .film:
            let film = "\(site)/films/\(name).mp4"
            let body = "<video width=\"960\" controls>\n<source src=\"\(film)\" type=\"video/mp4\">\n</video>"
            return video((film, film), body, type: "video", hasStill: true)
        case .page:
            expected["media_type"] = "other"
            expected["url"] = "\(site)/tours/\(name)/"
            let frame = "<iframe src=\"\(site)/tours/\(name)/\"></iframe>"
            return (random.one(of: ["other", "iframe"]), placeholder, frame)
        case .nothing:
            expected["media_type"] = "other"
            return ("other", placeholder, "<p>Nothing to see today.</p>")
        case .lost: return ("image", placeholder, "<p>No picture.</p>")
        }
    }

    /// Returns the address of a video player as a service sends it, with or without a scheme, and as the record states
    /// it.
    private func player(_ random: inout SeededRandom) -> Address {
        let place =
            medium == .youTube
            ? "//www.youtube.com/embed/\(videoID)?rel=0" : "//player.vimeo.com/video/\(day.daysSince1970)?h=1"
        return (random.one(of: ["", "https:"]) + place, "https:" + place)
    }

    private var youTubeStill: String? {
        medium == .youTube ? "https://img.youtube.com/vi/\(videoID)/0.jpg" : nil
    }

    // MARK: The old service

    mutating func api(_ random: inout SeededRandom) -> RandomDay.Answer {
        var answer = RandomDay.Answer()
        var expected = texts
        expected["service_version"] = "v1"
        func add(_ name: String, _ value: String) { answer.fields.append((name, value)) }
        add("date", day.description)
        let credits = random.chance(20) ? "\r\nCredit: \(RandomText.author(&random))" : ""
        add("title", (medium == .lost ? "NASA Science" : RandomText.spaced(title, &random)) + credits)
        add("explanation", RandomText.spaced(explanation, &random))
        if let author {
            add("copyright", RandomText.spaced(author, &random))
            expected["copyright"] = author
        }
        for (name, value) in apiMedium(&expected, &random) { add(name, value) }
        add("service_version", "v1")
        answer.fields.shuffle(using: &random)
        answer.expected = medium == .lost ? nil : expected
        return answer
    }

    private func apiMedium(
        _ expected: inout [String: String], _ random: inout SeededRandom
    ) -> [(name: String, value: String)] {
        func video(_ url: Address) -> [(name: String, value: String)] {
            expected["media_type"] = "video"
            expected["url"] = url.read
            expected["thumbnail_url"] = youTubeStill
            var fields = [("media_type", "video"), ("url", url.sent)]
            switch random.below(3) {
            case 0: break
            case 1: fields.append(("thumbnail_url", ""))
            default:
                fields.append(("thumbnail_url", "\(site)/stills/\(name).jpg"))
                expected["thumbnail_url"] = "\(site)/stills/\(name).jpg"
            }
            return fields
        }
        switch medium {
        case .picture, .animation:
            let ending = medium == .picture ? "png" : "gif"
            let (small, large) = ("\(site)/pictures/\(name)-small.\(ending)", "\(site)/pictures/\(name).\(ending)")
            expected["media_type"] = "image"
            expected["url"] = small
            let hdurl: (sent: String, read: String?)? = random.one(of: [
                nil, (large, large), (large + " ", large), (small, small), ("\(site)/films/\(name).mov", nil),
                ("\(site)/about/\(name).html", nil),
            ])
            expected["hdurl"] = hdurl?.read
            return [("media_type", "image"), ("url", small)] + (hdurl.map { [("hdurl", $0.sent)] } ?? [])
        case .youTube, .vimeo: return video(player(&random))
        case .film: return video(("\(site)/films/\(name).mp4", "\(site)/films/\(name).mp4"))
        case .page:
            expected["media_type"] = "other"
            expected["url"] = "\(site)/tours/\(name)/"
            return [("media_type", "other"), ("url", "\(site)/tours/\(name)/")]
        case .nothing:
            expected["media_type"] = "other"
            return [("media_type", "other")]
        case .lost:
            let logo = "\(site)/themes/assets/images/nasa-logo@2x.png"
            return [("media_type", "image"), ("url", logo), ("hdurl", logo)]
        }
    }
}
