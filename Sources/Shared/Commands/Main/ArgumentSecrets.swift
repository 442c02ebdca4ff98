import HTTP

/// The secrets of a command line: the values of headers, user names and passwords of addresses, and the values of query
/// parameters that look like keys. Pure.
struct ArgumentSecrets: Sendable, Hashable {
    /// A part of an argument, in bytes of its UTF-8.
    struct Part: Sendable, Hashable {
        /// Which argument, from 0.
        let index: Int
        let bytes: Range<Int>
    }

    let parts: [Part]
    private let texts: [String]

    /// Finds them in arguments as they were typed, even if the command line is wrong.
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
        while let index = rest.popFirst() {
            let argument = arguments[index]
            if argument == "--header", let value = rest.popFirst() {
                add(value, arguments[value][...])
            } else if argument == "--header-for", let first = rest.popFirst() {
                // The origin and the header are one word or two.
                let origin = arguments[first]
                if !origin.contains(text: "://") {
                    add(first, origin[...])
                    // A host without its scheme is wrong, but the header after it is still a secret.
                    if !origin.contains(" "), let second = rest.popFirst() { add(second, arguments[second][...]) }
                } else if let blank = origin.firstIndex(of: " ") {
                    add(first, origin[blank...])
                } else if let second = rest.popFirst() {
                    add(second, arguments[second][...])
                }
            } else if argument.hasPrefix("--header=") {
                add(index, argument.dropFirst("--header=".count))
            } else if argument.hasPrefix("--header-for=") {
                if let blank = argument.firstIndex(of: " ") {
                    add(index, argument[blank...])
                } else if let second = rest.popFirst() {
                    // Wrong, as one word is expected here, but the next word is the header.
                    add(second, arguments[second][...])
                }
            } else {
                for secret in WebURL.secrets(in: argument) { add(index, secret) }
            }
        }
        self.parts = parts
        self.texts = texts
    }

    /// `message` with `***` in place of each secret, for messages that quote arguments without knowing them.
    func redacted(_ message: String) -> String {
        texts.sorted { $0.utf8.count > $1.utf8.count }.reduce(message) { $0.replacing(text: $1, with: "***") }
    }
}
