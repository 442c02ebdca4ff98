import Support
import TestSupport

/// What there is on one day: the same in every run, made up by this project.
struct SampleDay {
    enum Kind {
        case landscape, portrait
        /// The picture is a PNG.
        case png
        /// A YouTube video that only the article shows.
        case video
        /// A film with a still.
        case film
        /// A GIF that only the article shows.
        case gif
        /// A picture that got lost when the service moved.
        case lost
    }

    static let help = """
        DAYS, by the day of the month: 5 a YouTube video, shown only in basic_html, hdurl a placeholder; 12 an mp4 \
        with a still; 19 a GIF, shown only in basic_html; 27 a picture lost in the move, only a placeholder; 8 and 22 a \
        portrait picture; 9 and 23 a PNG; all others a landscape JPEG. 3, 17: titles with entities and non-ASCII. The \
        newest day and the one before are always landscape pictures. No picture: before 1995-06-16, \
        1995-06-17 to -19, 2020-06-10, after the newest day.
        """

    static let first = CalendarDay(daysSince1970: 9297)  // 1995-06-16

    let day: CalendarDay
    let kind: Kind
    /// Plain text.
    let title: String
    let sentences: [String]
    let author: String?
    private let own: String

    /// nil where there is no picture that day.
    init?(_ day: CalendarDay, newest: CalendarDay, own: String) {
        guard day >= Self.first, day <= newest, !Self.gaps.contains(day.description) else { return nil }
        self.day = day
        self.own = own
        kind = day >= newest.advanced(by: -1) ? .landscape : Self.kind(on: day.day)
        var random = SeededRandom(name: day.description)
        func pick(_ words: [String]) -> String { words[random.below(words.count)] }
        let thing = pick(["Nebula", "Star Cluster", "Comet", "Galaxy", "Eclipse", "Aurora", "Crater", "Ring Arc"])
        let place = pick(["the Pine Ridge", "a Dry Lake", "the Old Harbor", "Two Summits", "the Salt Flats"])
        let manner = pick(["A Quiet", "A Distant", "A Drawn", "An Unhurried", "A Blue"])
        let plain = "\(manner) \(thing) over \(place)"
        let unusual = "Dust & Light: the Étoile\u{2019}s \u{201C}Café\u{201D} \u{2013} \(plain)"
        title = day.day == 3 || day.day == 17 ? unusual : plain
        let scattered = pick(["a short formula", "arithmetic", "chance that repeats"])
        sentences = [
            "This sky was never seen from anywhere: it was drawn from the number of its day.",
            "Its \(thing.lowercased()) glows in \(pick(["red", "teal", "violet", "amber"])) because the seed says so.",
            "The stars above \(place) were scattered by \(scattered).",
            "Ask again & the same picture comes back, <i>pixel by pixel</i>.",
        ]
        let name = "\(pick(["Ada", "Björn", "Chloé", "Dmitri"])) \(pick(["Sample", "Muster", "O'Test"]))"
        author = random.below(3) == 0 ? nil : name
    }

    private static let gaps = ["1995-06-17", "1995-06-18", "1995-06-19", "2020-06-10"]

    private static func kind(on day: Int) -> Kind {
        switch day {
        case 5: .video
        case 8, 22: .portrait
        case 9, 23: .png
        case 12: .film
        case 19: .gif
        case 27: .lost
        default: .landscape
        }
    }

    /// The full picture, or the still of a film; nil where the day has none.
    var picture: String? {
        switch kind {
        case .landscape, .film: "\(own)/pictures/\(day).jpg"
        case .portrait: "\(own)/pictures/\(day)-portrait.jpg"
        case .png: "\(own)/pictures/\(day).png"
        case .gif: "\(own)/pictures/\(day).gif?w=320&h=240&frames=6"
        case .video, .lost: nil
        }
    }

    /// The film's own address.
    var film: String { "\(own)/pictures/\(day).mp4" }
    var youTube: String { "www.youtube.com/embed/\(videoID)?rel=0" }
    var videoID: String { "sample" + day.description.split(separator: "-").joined().suffix(5) }

    /// `https://…/image-article/apod-2026-november-21-a-quiet-comet/`, but here.
    var permalink: String {
        let words = title.lowercased().unicodeScalars.split { !("a"..."z").contains($0) }.map { String($0) }
        let date = "\(day.year)-\(Self.months[day.month - 1])-\(day.day)"
        return "\(own)/image-article/apod-\(date)-\(words.joined(separator: "-"))/"
    }

    /// `2026 November 21`.
    var longDate: String {
        let month = Self.months[day.month - 1]
        return "\(day.year) \(month.prefix(1).uppercased())\(month.dropFirst()) \(day.day)"
    }

    /// What both services show where there is no picture.
    static func placeholder(_ own: String) -> String {
        "\(own)/dynamicimage/assets/science/astro/programs/cosmic-origins/images/misc/news-thumbnail.png"
    }

    static func logo(_ own: String) -> String {
        "\(own)/wp-content/themes/nasa-child/assets/images/nasa-logo@2x.png"
    }

    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
}
