import Support
import TestSupport

/// The generated content of a day, the same in every run.
struct SampleDay {
    let day: CalendarDay
    let kind: Kind
    let caption: SampleCaption
    /// The address of the article on this server, such as
    /// `http://…/image-article/apod-2026-november-21-a-quiet-comet/`.
    let permalink: String
    private let own: String

    /// - Precondition: the archive contains the day.
    init(_ day: CalendarDay, _ settings: SampleSettings, own: String) {
        self.day = day
        self.own = own
        kind = Kind(on: day, settings)
        caption = SampleCaption(day)
        let words = caption.title.utf8.lazy.split { !(0x61...0x7A).contains($0 | 0x20) }
        let name = words.map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: "-")
        permalink = "\(own)/image-article/apod-\(day.year)-\(Self.months[day.month - 1])-\(day.day)-\(name)/"
    }

    // MARK: Addresses

    /// The picture of the day, or the still of a video; nil if the day has neither.
    var picture: String? {
        switch kind {
        case .landscape, .film, .gone, .broken, .tiff, .movie, .page, .blanks, .debris, .audio:
            "\(own)/pictures/\(day).jpg"
        case .portrait: "\(own)/pictures/\(day)-portrait.jpg"
        case .png: "\(own)/pictures/\(day).png"
        case .gif: "\(own)/pictures/\(day).gif?w=320&h=240&frames=6"
        case .video, .vimeo, .relativeVideo, .bareFilm, .interactive, .lost: nil
        }
    }

    /// The address that responses give for the full-size picture. For some kinds of days, it leads to no picture.
    var larger: String? {
        switch kind {
        case .tiff: "\(own)/pictures/\(day).tif"
        case .movie: "\(own)/pictures/\(day).mov"
        case .page: "\(own)/pictures/\(day).html"
        case .blanks: "\(own)/pictures/\(day) with blanks.jpg "
        case .video, .vimeo, .relativeVideo, .film, .bareFilm, .interactive: nil
        default: picture
        }
    }

    /// The address of the video or player; nil if the day has only a picture.
    var player: String? {
        switch kind {
        case .video: "https://www.youtube.com/embed/\(videoID)?rel=0"
        case .relativeVideo: "//www.youtube.com/embed/\(videoID)?rel=0"
        case .vimeo: "https://player.vimeo.com/video/\(10_000_000 + day.daysSince1970)?title=0&byline=0"
        case .film, .bareFilm: "\(own)/pictures/\(day).mp4"
        case .interactive: "\(own)/pictures/\(day)-interactive.html"
        case .audio: "\(own)/pictures/\(day).mp3"
        default: nil
        }
    }

    /// Eleven characters, like YouTube's IDs.
    var videoID: String { "sample" + day.sixDigits.suffix(5) }

    /// `2026 November 21`.
    var longDate: String {
        let month = Self.months[day.month - 1]
        return "\(day.year) \(month.prefix(1).uppercased())\(month.dropFirst()) \(day.day)"
    }

    /// Returns the address of the picture that both services show if the day has none.
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

extension SampleDay {
    /// The kind of content that the services have for a day.
    enum Kind {
        case landscape, portrait
        /// The picture is a PNG.
        case png
        /// YouTube's player, and Vimeo's player that appears only in the article.
        case video, vimeo
        /// YouTube's player under an address without a scheme.
        case relativeVideo
        /// A video file with a still, and a video file that appears only in the article.
        case film, bareFilm
        /// An interactive page in a frame.
        case interactive
        /// A sound with a still.
        case audio
        /// A GIF that appears only in the article.
        case gif
        /// The larger picture is a TIFF, a movie or a page, or its address contains spaces.
        case tiff, movie, page, blanks
        /// A title with a line break, an explanation with script code of the page, and a copyright of several lines.
        case debris
        /// A picture that was lost when NASA moved the service. For `gone`, the new service lacks the whole day.
        case lost, gone
        /// The old service fails for this day.
        case broken

        init(on day: CalendarDay, _ settings: SampleSettings) {
            if day >= settings.firstLandscape {
                self = .landscape
            } else if day.month == 8, let special = Self.inAugust[day.day] {
                self = special
            } else {
                self = Self.everyMonth[day.day] ?? .landscape
            }
        }

        private static let everyMonth: [Int: Kind] = [
            5: .video, 8: .portrait, 9: .png, 12: .film, 19: .gif, 22: .portrait, 23: .png, 27: .lost,
        ]
        private static let inAugust: [Int: Kind] = [
            1: .vimeo, 2: .bareFilm, 4: .interactive, 6: .audio, 7: .tiff, 10: .movie, 11: .blanks, 13: .page,
            14: .gone, 15: .broken, 16: .debris, 18: .relativeVideo,
        ]
    }

    static let help = """
        DAYS, by the day of the month: 5: a YouTube video that only basic_html shows, with a placeholder as hdurl; \
        8, 22: a portrait picture; 9, 23: a PNG; 12: an mp4 with a still; 19: a GIF that only basic_html shows; 27: a \
        lost picture, with only a placeholder; others: a landscape JPEG. The titles of 3 and 17 have entities and \
        non-ASCII characters.
        In August also: 1: a Vimeo player; 2: an mp4 that only basic_html shows; 4: an interactive page; 6: a sound \
        with a still; 7: a larger picture that is a TIFF; 10: a larger picture that is a movie; 11: blanks in the \
        address of the larger picture; 13: a page as larger picture; 14: a day that only the old service has; 15: a \
        day for which the old service fails, also in a range; 16: a line break in the title, page code in the \
        explanation, a copyright of several lines; 18: a player without a scheme.
        The newest day and the day before (without --today, the newest 31 days) are always landscape pictures. Days \
        without a picture: before 1995-06-16, 1995-06-17 to -19, 2020-06-10, after the newest day.
        """
}
