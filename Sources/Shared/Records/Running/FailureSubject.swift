import Support

/// What a failure is about, in the words of a message: a record's `date`, `id`, address or `path`, the argument that
/// stood in for it, or else its line in the input.
struct FailureSubject: Sendable, Equatable {
    enum Kind: String, Sendable {
        case date, id, url, path, line
        /// What an argument named.
        case name
    }

    let kind: Kind
    let text: String

    /// What is longer says no more to a person.
    private static let longestText = 300

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = String(text.prefix(Self.longestText))
    }

    /// As it stands in a sentence: `2024-02-03`, `line 7`.
    var words: String { kind == .line ? "line \(text)" : text }

    var fact: Log.Fact { kind == .line ? .integer(Int(text) ?? 0) : .text(text) }

    /// All that a job's failure may be about, the best name first.
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

    /// An address without user name, password and fragment, and with secret parameters masked. Other text as it is.
    private static func withoutSecrets(_ text: String) -> String {
        guard let start = text.slashesOfAuthority?.upperBound else { return text }
        let rest = text[start...].prefix { $0 != "#" }
        let server = rest.prefix { $0 != "/" && $0 != "\\" && $0 != "?" }
        let host = server.lastIndex(of: "@").map { server.index(after: $0) } ?? start
        return AddressSecrets.replacing(in: String(text[..<start] + rest[host...])) { _ in AddressSecrets.mark }
    }

    /// Whether a message names it already, as a word rather than within another one.
    func isNamed(in message: String) -> Bool {
        let (message, words) = (Array(message.utf8), Array(words.utf8))
        func isPart(_ index: Int) -> Bool {
            guard message.indices.contains(index) else { return false }
            let byte = message[index]
            return byte.isDigit || byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        guard !words.isEmpty, words.count <= message.count else { return false }
        return (0...message.count - words.count).contains { start in
            let end = start + words.count
            return message[start..<end] == words[...] && !isPart(start - 1) && !isPart(end)
        }
    }
}
