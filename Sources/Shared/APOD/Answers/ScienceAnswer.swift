import Articles
import HTML
import Records
import Support

/// Reads the JSON object that the new service returns for one day.
///
/// In this object, texts are HTML, `url` is the address of the article, and `hdurl` is the address of a resized picture
/// or of a video's still. The address of a video is only in `basic_html`.
enum ScienceAnswer {
    /// Throws `APODFailure` if a field is missing, or if the service returns a stand-in instead of the picture.
    ///
    /// - Parameter server: the server that returned the object. A classic server may return objects of the new service.
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

    /// Returns whether the text is an instruction rather than a description: `See Explanation. Clicking on the picture
    /// will download the highest resolution version available.`
    private static func isInstruction(_ alt: String) -> Bool { alt.hasPrefix(ignoringCase: "See Explanation") }

    /// Returns the address if it may belong to an article, or nil if it is the address of a picture or movie.
    private static func article(_ text: String?) -> MediaAddress? {
        MediaAddress(text).flatMap { [.page, .unknown].contains($0.kind) ? $0 : nil }
    }

    /// Replaces line breaks outside the tags of a title by `<br>`, because a line break separates the title from its
    /// credits.
    private static func withBreaks(_ html: String) -> String {
        CaptionText.lines(of: html).reduce(into: "") { result, line in
            let isInTag = result.lastIndex(of: "<").map { !result[$0...].contains(">") } ?? false
            result += (result.isEmpty ? "" : isInTag ? " " : "<br>") + line
        }
    }

    /// The creators of the picture, and the copyright holder.
    ///
    /// NASA's fields `credit` and `copyright` usually contain the same line. If the line has a label such as `Image
    /// Credit:` but mentions no copyright or licence, `copyright` is nil, as in the old service. If the line has no
    /// label, which is usual since 2026, `copyright` contains all its names.
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

    /// The media type of the day and its addresses.
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
                // On most days, the page contains no further addresses. Parsing it would cost more than the rest of the
                // function.
                type = .image
                url = still
                hdurl = still.withoutResizing
                return
            }
            guard let embedded = EmbeddedMedia(page: object.string("basic_html") ?? "", base: permalink) else {
                throw answer.bad(.tangledHTML(field: "basic_html"))
            }
            // If the page has no video, use `hdurl` if it is the address of a movie or player.
            let video = embedded.videos.first ?? given.flatMap { $0.isVideo ? $0 : nil }
            switch word {
            case "video": type = .video
            // The new service uses these types for every page with a frame. If the frame's address belongs to a known
            // player, the day has a video.
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
                // If the page has no player, use the article, which shows the video. The old service did the same.
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
