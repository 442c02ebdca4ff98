import Articles

/// An HTML template, in which `{{name}}` is replaced by escaped text, and `{{{name}}}` by markup.
struct PageTemplate: Sendable {
    private enum Part: Sendable {
        case markup(String)
        case text(name: String)
        case value(name: String)
    }

    private let parts: [Part]

    /// - Parameter bytes: the template in UTF-8.
    init(_ bytes: [UInt8]) {
        var parts: [Part] = []
        var rest = bytes[...]
        func isAt(_ item: Int, _ mark: String) -> Bool { rest[item...].starts(with: mark.utf8) }
        while let open = rest.indices.first(where: { isAt($0, "{{") }) {
            let isMarkup = isAt(open, "{{{")
            let (length, end) = isMarkup ? (3, "}}}") : (2, "}}")
            guard let close = rest[(open + length)...].indices.first(where: { isAt($0, end) }) else { break }
            parts.append(.markup(String(decoding: rest[..<open], as: UTF8.self)))
            let name = String(decoding: rest[(open + length)..<close], as: UTF8.self)
            parts.append(isMarkup ? .value(name: name) : .text(name: name))
            rest = rest[(close + length)...]
        }
        parts.append(.markup(String(decoding: rest, as: UTF8.self)))
        self.parts = parts
    }

    /// All names in the template, for tests.
    var names: Set<String> {
        Set(
            parts.compactMap { part in
                switch part {
                case .markup: nil
                case .text(let name), .value(let name): name
                }
            })
    }

    /// Returns the template with the names replaced by the given values. A missing value is replaced by an empty text.
    func filled(text: [String: String], markup: [String: String]) -> String {
        parts.map { part in
            switch part {
            case .markup(let markup): markup
            case .text(let name): Markup.text(text[name] ?? "")
            case .value(let name): markup[name] ?? ""
            }
        }.joined()
    }
}
