/// What the scripts for the three shells have in common.
extension Command {
    /// The tool and the commands below it, each with the words that lead to it; the tool itself first.
    var completed: [(words: String, command: Command)] {
        [("", self)]
            + visibleSubcommands.flatMap { command in
                command.completed.map { words, next in
                    (words.isEmpty ? command.name : "\(command.name) \(words)", next)
                }
            }
    }

    /// Every option of the tool, with the commands that it is offered for. One that all commands take is offered before
    /// a command has been named, too.
    var offeredOptions: [(option: AnyOption, commands: [String])] {
        let running = completed.filter { $0.command.run != nil }
        return uniqueOptions.map { option in
            let takers = running.filter { command in command.command.typedOptions.contains { $0 === option } }
            return (option, (takers.count == running.count && run == nil ? [""] : []) + takers.map(\.words))
        }
    }

    /// The names of the shell functions of a script begin with it.
    var shellName: String { "_" + name.map { $0 == "-" ? "_" : $0 } }
}

extension Completion {
    /// What a shell asks a tool for.
    enum Source: Hashable {
        /// A command line that prints what is offered, one a line.
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
                name: "exercises_\(field)", line: "gif-cache list --offline -q --print \(field) 2>/dev/null | sort -u")
        }
    }

    /// Whether several values with commas between them are one.
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
    /// How many of the next words are its values for sure.
    var valueCount: Int {
        switch form {
        case .value: 1
        case .pair: 2
        case .optionalValue, .flag, .none: 0
        }
    }

    var isPair: Bool { valueCount == 2 }

    /// Whether the next word is its value, or may be.
    var takesValue: Bool {
        switch form {
        case .value, .optionalValue, .pair: true
        case .flag, .none: false
        }
    }

    /// Its spellings with their dashes.
    var words: [String] { (short.map { ["-\($0)"] } ?? []) + spellings.map { "--\($0)" } }
}

extension String {
    /// In single quotes if a shell would not take it as it is; for bash and zsh.
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
