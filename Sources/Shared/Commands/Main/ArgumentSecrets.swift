import HTTP

/// The secrets in a command line: the values of headers, the user names and passwords of addresses, and the values of
/// query parameters that look like keys.
struct ArgumentSecrets: Sendable, Hashable {
    struct Part: Sendable, Hashable {
        /// The index of the argument, from 0.
        let index: Int
        /// Offsets in the UTF-8 of the argument.
        let bytes: Range<Int>
    }

    let parts: [Part]
    private let texts: [String]

    /// Finds the secrets without parsing the command line, so that even an invalid command line reveals no secret.
    init(_ arguments: [String]) {
        var parts: [Part] = []
        var texts: [String] = []
        func add(_ index: Int, _ text: Substring) {
            if text.isEmpty { return }
            let whole = arguments[index].utf8
            let start = whole.distance(from: whole.startIndex, to: text.startIndex)
            parts.append(Part(index: index, bytes: start..<(start + text.utf8.count)))
            texts.append(String(text))
        }
        var rest = arguments.indices
        /// Adds a header, but not the origin before it. If the word is only an origin or only a name, also adds the
        /// next word, because the user may have omitted the quotes.
        func add(header text: Substring, _ index: Int) {
            if text.hasPrefix("@") { return }
            let scheme = String(text).prefix(before: "://")
            let blank = text.firstIndex(of: " ")
            guard scheme?.allSatisfy(\.isLetter) == true else {
                add(index, text)
                if !text.contains(":"), blank == nil, let next = rest.popFirst() { add(next, arguments[next][...]) }
                return
            }
            if let blank { return add(index, text[blank...]) }
            if let next = rest.popFirst() { add(next, arguments[next][...]) }
        }
        while let index = rest.popFirst() {
            let argument = arguments[index]
            if argument == "--header", let value = rest.popFirst() {
                add(header: arguments[value][...], value)
            } else if argument.hasPrefix("--header=") {
                add(header: argument.dropFirst("--header=".count), index)
            } else {
                for secret in WebURL.secrets(in: argument) { add(index, secret) }
            }
        }
        self.parts = parts
        self.texts = texts
    }

    /// Replaces each secret in `message` by `***`, for messages that quote arguments.
    func redacted(_ message: String) -> String {
        texts.sorted { $0.utf8.count > $1.utf8.count }.reduce(message) { $0.replacing(text: $1, with: "***") }
    }
}
