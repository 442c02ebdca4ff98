import Support

/// The subject of a failure message: the argument, `date`, `id`, address or `path` of a record, or else its input line.
struct FailureSubject: Sendable, Equatable {
    enum Kind: String, Sendable {
        case date, id, url, path, line
        /// An argument that is not an address, or an output file.
        case name
    }

    let kind: Kind
    let text: String

    /// The maximum length of `text` in characters. More text would not help the reader.
    private static let longestText = 300

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = String(text.prefix(Self.longestText))
    }

    /// For example `2024-02-03` or `line 7`.
    var words: String { kind == .line ? "line \(text)" : text }

    var fact: Fact { kind == .line ? .integer(Int(text) ?? 0) : .text(text) }

    /// Returns all subjects of a job in order of preference.
    static func all(of job: RecordJob) -> [FailureSubject] {
        var all: [FailureSubject] = []
        func add(_ kind: Kind, _ field: FieldPath) {
            guard let text = job.record.printable(field), !text.isEmpty else { return }
            all.append(FailureSubject(kind, kind == .url ? withoutSecrets(text) : text))
        }
        if let argument = job.argument {
            all.append(FailureSubject(argument.slashesOfAuthority == nil ? .name : .url, withoutSecrets(argument)))
        }
        add(.date, "date")
        add(.id, "id")
        add(.url, "url")
        add(.url, "hdurl")
        add(.path, "path")
        if let line = job.line { all.append(FailureSubject(.line, String(line))) }
        return all
    }

    /// Removes user name, password and fragment from an address, and masks secret parameters.
    private static func withoutSecrets(_ text: String) -> String {
        guard let start = text.slashesOfAuthority?.upperBound else { return text }
        let rest = text[start...].prefix { $0 != "#" }
        let server = rest.prefix { $0 != "/" && $0 != "\\" && $0 != "?" }
        let host = server.lastIndex(of: "@").map { server.index(after: $0) } ?? start
        return AddressSecrets.replacing(in: String(text[..<start] + rest[host...])) { _ in AddressSecrets.mark }
    }

    /// Whether the message contains `words`, and not only as part of a longer word.
    func isNamed(in message: String) -> Bool {
        let (message, words) = (Array(message.utf8), Array(words.utf8))
        func isPart(_ index: Int) -> Bool {
            guard message.indices.contains(index) else { return false }
            let byte = message[index]
            return byte.isDigit || byte.isLetter || byte >= 0x80
        }
        guard !words.isEmpty, words.count <= message.count else { return false }
        return (0...message.count - words.count).contains { start in
            let end = start + words.count
            return message[start..<end] == words[...] && !isPart(start - 1) && !isPart(end)
        }
    }
}
