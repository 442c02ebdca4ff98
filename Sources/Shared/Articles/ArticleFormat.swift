import Records
import Support

/// The output format for records of pictures of the day.
public enum ArticleFormat: String, Sendable, CaseIterable {
    case json
    /// Plain text for a terminal.
    case text
    case markdown
    /// A web page.
    case html
    /// An Atom feed.
    case atom
    /// Only the address of the best picture or of the video.
    case url

    /// Returns the layout of a tool's output, or nil for `json`, whose layout depends on other options. The other
    /// layouts omit records with an `error`, because the error is already reported on standard error.
    public func layout(for page: TextPage, feed: AtomFeed) -> RecordLayout? {
        switch self {
        case .json: nil
        case .text:
            .text(RecordText(part: "text", separator: "\n", isSafeForTerminal: true) { Caption($0).map(page.text) })
        case .markdown: .text(RecordText(part: "Markdown", separator: "\n") { Caption($0)?.markdown })
        case .html:
            .text(
                RecordText(part: "article", head: HTMLPage.head, foot: HTMLPage.foot) {
                    Caption($0).map(HTMLPage.article)
                })
        case .atom:
            .text(
                RecordText(part: "entry", head: feed.head, foot: AtomFeed.foot) { Caption($0).flatMap(AtomFeed.entry) })
        case .url: .text(RecordText(part: "address") { Caption($0)?.media })
        }
    }
}
