import Articles
import HTML

/// What can be told of a body before it is read as JSON.
enum AnswerBody {
    /// Returns the first 200 characters of a body on one line, for somebody who wonders what came; nil for an empty
    /// one.
    ///
    /// - Parameter key: is kept out of it, whatever the server says.
    static func excerpt(_ bytes: [UInt8], withoutKey key: String?) -> String? {
        // Enough for 200 characters of any kind, and the end of a key that begins within them.
        let head = PlainText.folded(String(decoding: bytes.prefix(4000), as: UTF8.self))
        let text = clipped(hiding(key, in: head))
        return text.isEmpty ? nil : text
    }

    /// Returns the text in at most 200 characters.
    static func clipped(_ text: String) -> String { text.count > 200 ? text.prefix(199) + "…" : text }

    /// Returns the text with `…` wherever the key stands. The key that everybody has is no secret.
    static func hiding(_ key: String?, in text: String) -> String {
        guard let key, !key.isEmpty, key != Service.demoKey else { return text }
        var rest = text[...]
        var clean = ""
        while let range = rest.firstRange(ofIgnoringCase: key) {
            clean += rest[..<range.lowerBound] + "…"
            rest = rest[range.upperBound...]
        }
        return clean + rest
    }
}
