import Records

/// The parts of a record that are shown to people. Each text is folded to one line (`PlainText.folded`), and contains
/// no characters that control a terminal.
public struct Caption: Sendable, Equatable {
    public internal(set) var title: String?
    public internal(set) var day: String?
    /// The creator, or the copyright holder if there is no creator.
    public internal(set) var author: String?
    public internal(set) var holder: String?
    /// Lines with the creator and the copyright holder, such as "Credit & copyright: Ada Example".
    public internal(set) var credits: [String]
    public internal(set) var paragraphs: [LinkedText]
    public internal(set) var isVideo: Bool
    public internal(set) var alt: String?
    /// The address of the picture to show on a page: NASA's resized picture, or the still of a video.
    public internal(set) var shown: String?
    /// The address of the largest picture, the video, or another medium.
    public internal(set) var media: String?
    /// The address of the article's page.
    public internal(set) var page: String?

    /// Returns nil for a record with an error or without content.
    public init?(_ record: Record) {
        if record.hasError { return nil }
        func text(_ path: FieldPath) -> String? {
            guard let text = record.string(path).map({ PlainText.folded($0) }), !text.isEmpty else { return nil }
            return text
        }
        title = text("title")
        day = text("date")
        paragraphs = Self.paragraphs(of: record)
        alt = text("alt")
        func address(_ path: FieldPath) -> String? { MediaAddress(text(path))?.text }
        page = address("permalink")
        holder = text("copyright")
        author = text("credit") ?? holder
        credits = Self.credits(credit: text("credit"), copyright: holder)
        let url = address("url")
        switch text("media_type") {
        case "video": (isVideo, media, shown) = (true, url, address("thumbnail_url"))
        case "other": (isVideo, media, shown) = (false, url, nil)
        default: (isVideo, media, shown) = (false, address("hdurl") ?? url, url ?? address("hdurl"))
        }
        if title == nil, paragraphs.isEmpty, media == nil { return nil }
    }

    /// Returns the paragraphs of the explanation. The offsets in `apod` are used only if folding leaves the text
    /// unchanged, because they would not fit a changed text. Folding changes no text of this package's records.
    private static func paragraphs(of record: Record) -> [LinkedText] {
        guard let text = record.string("explanation") else { return [] }
        let folded = PlainText.folded(text)
        let layout = folded == text ? record.raw("apod").flatMap { try? Record(parsing: $0) } : nil
        return Article(folded, layout: layout ?? Record()).paragraphs.map { $0.mapLinks { MediaAddress($0)?.text } }
    }

    private static func credits(credit: String?, copyright: String?) -> [String] {
        if let credit, credit == copyright { return ["Credit & copyright: \(credit)"] }
        return [credit.map { "Credit: \($0)" }, copyright.map { "Copyright: \($0)" }].compactMap { $0 }
    }

    public var mediaLabel: String { isVideo ? "Video" : shown == nil ? "Link" : "Picture" }
}
