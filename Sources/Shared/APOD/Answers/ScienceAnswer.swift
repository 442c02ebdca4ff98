import Articles
import HTML
import Records
import Support

/// Reads the new service's object for one day.
///
/// Its texts are HTML, its `url` is the article, its `hdurl` a resized picture or the still of a video, and the video
/// itself stands only in `basic_html`.
enum ScienceAnswer {
    /// Returns the picture. Throws `APODFailure` if a field is missing, or a stand-in stands in the picture's place.
    ///
    /// - Parameter server: one of the old service passes the new one's objects on, too.
    static func picture(from object: Record, server: Server = .science) throws(APODFailure) -> Picture {
        let answer = AnswerFields(object: object, server: server)
        let day = try answer.day()
        let title = try answer.text("title")
        let permalink = article(object.string("permalink")) ?? article(object.string("url"))
        let explanation = try answer.linkedLines(ofHTML: answer.explanation(), in: "explanation", base: permalink)
        let headings = try answer.lines(ofHTML: withBreaks(title), in: "title")
        let heading = CaptionText.title(headings.joined(separator: "\n"))
        guard !heading.isEmpty else { throw answer.bad(.missing(field: "title")) }

        let rights = try Rights(of: answer)
        let media = try Media(of: answer, permalink: permalink, day: day)
        let alt = try answer.optionalLines("alt")?.joined(separator: " ")
        return Picture(
            service: server.service, day: day, title: heading, explanation: CaptionText.explanation(explanation),
            mediaType: media.type, url: media.url?.text, hdurl: media.hdurl?.text, copyright: rights.copyright,
            thumbnailURL: media.thumbnail?.text, permalink: permalink?.text, credit: rights.credit,
            alt: alt.flatMap { $0.isEmpty || isInstruction($0) ? nil : $0 })
    }

    /// Returns whether a text says what to do with the picture instead of what it shows: `See Explanation. Clicking on
    /// the picture will download the highest resolution version available.`
    private static func isInstruction(_ alt: String) -> Bool { alt.hasPrefix(ignoringCase: "See Explanation") }

    /// Returns the address of an article; nil if the text is a picture's or none.
    private static func article(_ text: String?) -> MediaAddress? {
        MediaAddress(text).flatMap { [.page, .unknown].contains($0.kind) ? $0 : nil }
    }

    /// Returns a title's HTML, in which a line break of the source counts too, unless it stands in a tag: credits
    /// follow it.
    private static func withBreaks(_ html: String) -> String {
        CaptionText.lines(of: html).reduce(into: "") { result, line in
            let isInTag = result.lastIndex(of: "<").map { !result[$0...].contains(">") } ?? false
            result += (result.isEmpty ? "" : isInTag ? " " : "<br>") + line
        }
    }

    /// Who made the picture, and who claims it.
    ///
    /// Both fields usually hold the same line. If its label says `Image Credit:` and nothing of a copyright or a
    /// licence, nobody claims the picture, and `copyright` is absent as it was in the old service; without a label, as
    /// since 2026, NASA's field `copyright` is taken at its word.
    private struct Rights {
        let credit: String?
        let copyright: String?

        init(of answer: AnswerFields) throws(APODFailure) {
            func line(_ field: String) throws(APODFailure) -> CreditLine? {
                guard let lines = try answer.optionalLines(field), !lines.isEmpty else { return nil }
                return CreditLine(CreditLine.joined(lines))
            }
            let claimed = try line("copyright")
            let credited = try line("credit") ?? claimed
            credit = credited?.names
            if let claimed {
                copyright = !claimed.hasLabel || claimed.mentionsRights ? claimed.names : nil
            } else {
                copyright = credited?.mentionsRights == true ? credited?.names : nil
            }
        }
    }

    /// What there is to see, and its addresses.
    private struct Media {
        var type: Picture.MediaType
        var url: MediaAddress?
        var hdurl: MediaAddress?
        var thumbnail: MediaAddress?

        init(of answer: AnswerFields, permalink: MediaAddress?, day: CalendarDay) throws(APODFailure) {
            let (object, server) = (answer.object, answer.server)
            let given = MediaAddress(field: object.string("hdurl"), base: permalink)
            let still = given.flatMap { $0.isStandIn || $0.isVideo || $0.kind == .page ? nil : $0 }
            let word = PlainText.folded(object.string("media_type") ?? "").lowercased()
            if word == "image", let still {
                // Most days: the page has nothing to add, and reading it costs more than all the rest.
                type = .image
                url = still
                hdurl = still.withoutResizing
                return
            }
            guard let embedded = EmbeddedMedia(page: object.string("basic_html") ?? "", base: permalink) else {
                throw answer.bad(.tangledHTML(field: "basic_html"))
            }
            // A movie or a player in `hdurl` says as much as one in the page.
            let video = embedded.videos.first ?? given.flatMap { $0.isVideo ? $0 : nil }
            switch word {
            case "video": type = .video
            // The new service's word for whatever stands in a frame: a player's address makes it a video.
            case "iframe", "other": type = video?.isVideo == true ? .video : .other
            case "image": type = .image
            default: type = still == nil && embedded.pictures.isEmpty && video?.isVideo == true ? .video : .image
            }
            if type == .image, still == nil, embedded.pictures.isEmpty, let video, video.isVideo { type = .video }

            switch type {
            case .image:
                if let still {
                    url = still
                    hdurl = still.withoutResizing
                } else if let picture = embedded.pictures.first {
                    url = picture.shown
                    hdurl = picture.linked ?? picture.shown.withoutResizing
                } else {
                    throw .standIn(given?.isStandIn == true ? .placeholder : .nothing, day, server)
                }
            case .video:
                // Without any trace of the player the article is where the video plays, as the old service linked
                // pages.
                url = video ?? permalink
                thumbnail = still ?? embedded.poster ?? video?.youTubeStill
                if url == nil { throw .standIn(.nothing, day, server) }
            case .other:
                url = video
                thumbnail = still
            }
        }
    }
}
