import Records
import Support

/// How a record of a picture of the day is written.
public enum ArticleFormat: String, Sendable, CaseIterable {
    case json
    /// Plain text for a terminal.
    case text
    case markdown
    /// A page.
    case html
    /// A feed.
    case atom
    /// The address of the best picture, or of the video, alone.
    case url

    /// The layout for a tool's output; nil for `json`, of which there are several. A record that bears an `error` gives
    /// nothing in the others: its message is on standard error.
    public func layout(for page: TextPage, feed: AtomFeed) -> RecordLayout? {
        switch self {
        case .json: nil
        case .text:
            .text(
                RecordText(part: "text", separator: "\n", isSafeForTerminal: true) { Caption($0).map(page.text) })
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
