/// What the scripts for the three shells have in common.
extension Command {
    /// The tool and its visible commands, each with the words that lead to it; the tool itself first.
    var completed: [(words: String, command: Command)] {
        [("", self)]
            + visibleSubcommands.flatMap { command in
                command.completed.map { words, next in
                    (words.isEmpty ? command.name : "\(command.name) \(words)", next)
                }
            }
    }

    /// Every option of the tool, with the commands that it is offered for. An option that all commands take is also
    /// offered before a command has been named.
    var offeredOptions: [(option: AnyOption, commands: [String])] {
        let running = completed.filter { $0.command.run != nil }
        return uniqueOptions.map { option in
            let takers = running.filter { command in command.command.typedOptions.contains { $0 === option } }
            return (option, (takers.count == running.count && run == nil ? [""] : []) + takers.map(\.words))
        }
    }

    /// The beginning of the names of a script's functions.
    var shellName: String { "_" + name.map { $0 == "-" ? "_" : $0 } }
}

extension Completion {
    /// Where a shell gets the values from.
    enum Source: Hashable {
        /// A command line that prints the values, one a line.
        case command(name: String, line: String)
        case words([String])
        case nothing
    }

    var source: Source {
        switch self {
        case .none, .files, .folders: .nothing
        case .words(let words), .list(let words): .words(words)
        case .scopes:
            .command(
                name: "scopes",
                line: "img-cache scope list 2>/dev/null | sed -n 's/^{\"scope\":\"\\([^\"\\\\]*\\)\".*/\\1/p'")
        case .keys, .pictures: .command(name: "keys", line: "img-cache ls --print cache.key 2>/dev/null")
        case .exercises(field: "id"):
            .command(name: "exercises_id", line: "gif-cache ls --print id 2>/dev/null | sort -u")
        case .exercises(let field):
            .command(
                name: "exercises_\(field)", line: "gif-cache list --offline -q --values \(field) 2>/dev/null")
        }
    }

    /// Whether a value is a list with commas.
    var isList: Bool {
        switch self {
        case .list: true
        case .exercises(let field): field != "id"
        default: false
        }
    }

    var offersFiles: Bool { self == .files || self == .pictures }
}

extension AnyOption {
    /// How many of the next words are certainly its values.
    var valueCount: Int {
        switch form {
        case .value: 1
        case .pair: 2
        case .optionalValue, .flag, .none: 0
        }
    }

    var isPair: Bool { valueCount == 2 }

    /// Whether the next word is, or may be, its value.
    var takesValue: Bool {
        switch form {
        case .value, .optionalValue, .pair: true
        case .flag, .none: false
        }
    }

    /// Its spellings, including their dashes.
    var words: [String] { (short.map { ["-\($0)"] } ?? []) + spellings.map { "--\($0)" } }
}

extension String {
    /// The text, in single quotes if bash or zsh would not take it as it is.
    var shellQuoted: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { byte in
                let character = Character(Unicode.Scalar(byte))
                return byte < 0x80 && (character.isLetter || character.isNumber || "-_./,:@%+".contains(character))
            }
        return isPlain
            ? self : "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
