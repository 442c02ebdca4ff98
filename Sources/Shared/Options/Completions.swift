/// What the scripts for the three shells have in common.
extension Command {
    /// The commands below the tool, each with the words that lead to it and its options; the tool itself first.
    var completed: [(words: [String], command: Command)] {
        [([], self)] + visibleSubcommands.flatMap { command in
            command.completed.map { ([command.name] + $0.words, $0.command) }
        }
    }
}

extension Completion {
    /// The command line that prints what is offered, one a line; nil for files and for nothing.
    var shellCommand: String? {
        switch self {
        case .none, .files, .folders: nil
        case .words(let words), .list(let words): "printf '%s\\n' \(words.joined(separator: " "))"
        case .scopes: "img-cache scope list 2>/dev/null | sed -n 's/^{\"scope\":\"\\([^\"\\\\]*\\)\".*/\\1/p'"
        case .keys, .pictures: "img-cache ls --print cache.key 2>/dev/null"
        case .exercises(field: "id"): "gif-cache ls --print id 2>/dev/null | sort -u"
        case .exercises(let field): "gif-cache list --offline -q --print \(field) 2>/dev/null | sort -u"
        }
    }

    var offersFiles: Bool { self == .files || self == .pictures }
}

extension AnyOption {
    /// Whether the next word is its value.
    var takesValue: Bool {
        switch form {
        case .value, .optionalValue, .pair: true
        case .flag, .none: false
        }
    }

    /// Its spellings with their dashes.
    var words: [String] { (short.map { ["-\($0)"] } ?? []) + spellings.map { "--\($0)" } }
}
