import Articles
import HTML

/// What can be told of a body before it is read as JSON.
enum AnswerBody {
    /// Returns the first 200 characters of a body on one line, for somebody who wonders what came; nil for an empty
    /// one.
    static func excerpt(_ bytes: [UInt8]) -> String? {
        // Enough for 200 characters of any kind.
        let text = clipped(PlainText.folded(String(decoding: bytes.prefix(4000), as: UTF8.self)))
        return text.isEmpty ? nil : text
    }

    /// Returns the text in at most 200 characters.
    static func clipped(_ text: String) -> String { text.count > 200 ? text.prefix(199) + "…" : text }
}
