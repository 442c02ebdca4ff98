import Support

/// The action that a command line requests.
public enum Request: Sendable {
    case run(Command, Arguments)
    /// `-h` (short) or `--help`: help for the last command of the path.
    case help([Command], isShort: Bool)
    case version
    /// `--generate`: a manual page, a completion script or a table of settings, for packagers.
    case generate(Generated)
}

/// The argument of `--generate`.
public enum Generated: String, Sendable, CaseIterable {
    case man
    case bash = "complete-bash"
    case zsh = "complete-zsh"
    case fish = "complete-fish"
    case settings
    case settingsTable = "settings-table"
}

extension Command {
    /// Parses the words after the tool's name.
    ///
    /// Options can be anywhere on the line, even before the command. The forms are `--name value`, `--name=value`, `-j
    /// value`, `-jvalue`, and several short options in one word (`-qv`). After `--`, all words are operands. If an
    /// option that takes one value is given twice, the last value is used. A request for help takes precedence over
    /// errors.
    ///
    /// Throws `UsageFailure` if the line is invalid.
    public func request(_ words: [String]) throws -> Request {
        if let place = helpPlace(words) { return .help(try helpPath(words[(place + 1)...]), isShort: false) }
        let (path, positions, failure) = commandPath(words)
        // Creating the options costs as much as the rest of this function.
        let hasOptions = words.contains { $0.hasPrefix("-") && $0 != "-" }
        var reader = CommandLineReader(path: path, options: hasOptions ? path[path.count - 1].options : [])
        let rest = words.indices.filter { !positions.contains($0) }.map { words[$0] }
        if let request = reader.read(rest[...]) { return request }
        if let failure = failure ?? reader.failure { throw failure }
        return try reader.request()
    }

    /// Returns the index of the word `help` if it is in the position of a command.
    private func helpPlace(_ words: [String]) -> Int? {
        guard let first = words.firstIndex(where: { !$0.hasPrefix("-") }), words[first] == "help" else { return nil }
        // After an option, `help` may be the value of that option. It is in the position of a command if `commandPath`
        // reports it as an unknown command.
        return first == 0 || commandPath(Array(words[..<first]) + ["help"]).failure != nil ? first : nil
    }

    /// Returns the commands that the words name, and the indices of their names. An error is returned rather than
    /// thrown, because a later word may request help.
    func commandPath(_ words: [String]) -> (path: [Command], positions: [Int], failure: UsageFailure?) {
        var path = [self]
        var positions: [Int] = []
        var index = 0
        // The command is not known yet, so an option may belong to any command.
        lazy var options = allOptions
        while index < words.count, !path[path.count - 1].subcommands.isEmpty {
            let word = words[index]
            let command = path[path.count - 1]
            if word.hasPrefix("-"), word != "-" {
                if word == "--" { break }
                var reader = CommandLineReader(path: path, options: options)
                index += reader.skim(words[index...])
                if let failure = reader.failure { return (path, [], failure) }
                continue
            }
            if let next = command.subcommands.first(where: { $0.name == word }) {
                path.append(next)
                positions.append(index)
            } else if command.run == nil {
                return (path, [], command.unknown(word, path))
            } else {
                break
            }
            index += 1
        }
        return (path, positions, nil)
    }

    /// Returns the commands that the words after `help` name, as in `help scope switch`. Throws `UsageFailure` for an
    /// unknown command.
    private func helpPath(_ words: ArraySlice<String>) throws -> [Command] {
        var path = [self]
        for word in words where !word.hasPrefix("-") {
            let command = path[path.count - 1]
            guard let next = command.subcommands.first(where: { $0.name == word }) else {
                throw command.unknown(word, path)
            }
            path.append(next)
        }
        return path
    }

    private func unknown(_ word: String, _ path: [Command]) -> UsageFailure {
        let names = visibleSubcommands.map(\.name)
        if names.isEmpty { return UsageFailure("\(path.line) has no command \"\(word)\"; see \(path.line) --help") }
        let what = (path.dropFirst().map(\.name) + [word]).joined(separator: " ")
        if let pointer = pointers.first(where: { $0.hasSuffix(" \(word)") }) {
            return UsageFailure("unknown command \"\(what)\"; use \(pointer) for the whole cache")
        }
        if let successor = successors[word] { return UsageFailure("unknown command \"\(what)\"; \(successor)") }
        let candidates = visibleSubcommands.filter { !$0.deletesUnnamed }
        let known = candidates.first { $0.synonyms.contains(word) }?.name
        let meant = known ?? NearMatch.suggestion(for: word, among: candidates.map(\.name))
        let advice = meant.map { "did you mean \($0)?" } ?? "commands: \(names.joined(separator: ", "))"
        return UsageFailure("unknown command \"\(what)\"; \(advice)")
    }

    /// The options of this command and all its subcommands. An option has the same meaning in all of them.
    var allOptions: [AnyOption] { tree.flatMap { $0.command.options } }
}

/// Parses the options and operands of one command.
struct CommandLineReader {
    let path: [Command]
    let options: [AnyOption]
    private(set) var given: [Arguments.Given] = []
    private(set) var operands: [String] = []
    /// Whether the words so far include `--`, after which all words are operands.
    private(set) var isEnded = false
    /// The option at the end of the line, if its value is missing.
    private(set) var missing: AnyOption?
    private(set) var failure: UsageFailure?

    init(path: [Command], options: [AnyOption]) {
        self.path = path
        self.options = options
    }

    private var command: Command { path[path.count - 1] }
    private var advice: String { "; see \(path.line) --help" }

    /// Returns the request to run the command. Call it after `read` has returned nil. Throws `UsageFailure` if there
    /// are too few or too many operands.
    func request() throws -> Request {
        guard command.run != nil else {
            let names = command.visibleSubcommands.map(\.name).joined(separator: ", ")
            throw UsageFailure("no command; use \(names)\(advice)")
        }
        if operands.count > command.operands.atMost {
            throw UsageFailure("unexpected argument \"\(operands[command.operands.atMost])\"\(advice)")
        }
        if operands.count < command.operands.atLeast {
            throw UsageFailure("missing argument \(command.operands.name), \(command.operands.summary)\(advice)")
        }
        return .run(command, Arguments(given, operands: operands, path: path))
    }

    /// Parses all words. Returns a request for help, the version or a generated text, or nil to run the command.
    mutating func read(_ words: ArraySlice<String>) -> Request? {
        var rest = words
        var request: Request?
        while let word = rest.popFirst() {
            if word == "--" {
                isEnded = true
                operands += rest
                break
            } else if word.hasPrefix("--") {
                request = readLong(word, &rest) ?? request
            } else if word.hasPrefix("-"), word != "-" {
                request = readShort(word, &rest) ?? request
            } else {
                operands.append(word)
            }
        }
        return request
    }

    private mutating func readLong(_ word: String, _ rest: inout ArraySlice<String>) -> Request? {
        let body = word.dropFirst(2)
        let sign = body.firstIndex(of: "=")
        let name = String(body[..<(sign ?? body.endIndex)])
        let attached = sign.map { String(body[body.index(after: $0)...]) }
        if attached == nil {
            if name == "help" { return .help(path, isShort: false) }
            if name == "version" { return .version }
        }
        if name == "generate" {
            guard let kind = (attached ?? rest.popFirst()).flatMap(Generated.init(rawValue:)) else {
                fail("--generate takes \(Generated.allCases.map(\.rawValue).list(before: "or"))")
                return nil
            }
            return .generate(kind)
        }
        guard let (option, isNegated) = Self.find(name, options) else {
            fail(unknownOption("--\(name)", name))
            return nil
        }
        take(option, named: "--\(name)", isNegated: isNegated, attached: attached, &rest)
        return nil
    }

    private mutating func readShort(_ word: String, _ rest: inout ArraySlice<String>) -> Request? {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            if letter == "h" { return .help(path, isShort: true) }
            guard let option = options.first(where: { $0.short == letter }) else {
                // Search for suggestions with the whole word: a long option with a single dash is a common mistake.
                fail(unknownOption(word, String(word.dropFirst())))
                return nil
            }
            let attached = option.isFlag || letters.isEmpty ? nil : String(letters)
            take(option, named: "-\(letter)", isNegated: false, attached: attached, &rest)
            if !option.isFlag { return nil }
        }
        return nil
    }

    /// Adds an option, and removes its values from `rest`.
    private mutating func take(
        _ option: AnyOption, named name: String, isNegated: Bool, attached: String?, _ rest: inout ArraySlice<String>
    ) {
        switch option.form {
        case .none: return
        case .flag(let means, _):
            if attached != nil { return fail("\(name) takes no value\(advice)") }
            given.append(.init(option: option, value: means != isNegated, text: "\(means != isNegated)"))
        case .optionalValue(_, let implied):
            let next = attached == nil && rest.first.map(option.takes) == true ? rest.popFirst() : nil
            add(option, attached ?? next ?? implied, name)
        case .value(let valueName):
            if let attached { return add(option, attached, name) }
            guard let word = rest.first else {
                missing = option
                return fail("\(name) needs a value: \(valueName)\(advice)")
            }
            if word.hasPrefix("--"), Self.find(String(word.dropFirst(2)), options) != nil {
                return fail("\(name) needs a value: \(valueName); write \(name)=\(word) if \(word) is the value")
            }
            rest.removeFirst()
            add(option, word, name)
            while let next = rest.first, option.takes(next) {
                rest.removeFirst()
                add(option, next, name)
            }
        }
    }

    private mutating func add(_ option: AnyOption, _ text: String, _ name: String) {
        do {
            given.append(.init(option: option, value: try option.parse(text), text: text))
        } catch let bad as BadValue {
            fail(bad.message(source: name))
        } catch {
            fail("\(name): \(Support.failure(of: error).message)")
        }
    }

    private mutating func fail(_ message: String) { if failure == nil { failure = UsageFailure(message) } }

    private func unknownOption(_ word: String, _ name: String) -> String {
        let names = options.flatMap(\.spellings) + ["help", "version"]
        let known = options.first { $0.synonyms.contains(name) }?.name ?? NearMatch.suggestion(for: name, among: names)
        let asked = [name, name.hasPrefix("no-") ? String(name.dropFirst(3)) : name, known]
        if let setting = options.first(where: { !$0.isTyped && asked.contains($0.name) }), let field = setting.field {
            return "unknown option \(word); the setting \(field) has no option: set \(setting.variable ?? ""), or"
                + " \(field) in the configuration file"
        }
        let advice = known.map { "did you mean --\($0)? See" } ?? "see"
        return "unknown option \(word); \(advice) \(path.line) --help"
    }

    /// Returns the option with this long name, and whether the name is its negation (`--no-NAME`).
    private static func find(_ name: String, _ options: [AnyOption]) -> (AnyOption, isNegated: Bool)? {
        for option in options {
            if option.name == name { return option.isTyped ? (option, false) : nil }
            if case .flag(_, isNegatable: true) = option.form, name.hasPrefix("no-"), name.dropFirst(3) == option.name {
                return (option, true)
            }
        }
        return nil
    }

    /// Parses the option at the beginning of `words`. Returns the number of words of the option and its values.
    mutating func skim(_ words: ArraySlice<String>) -> Int {
        guard let word = words.first else { return 0 }
        var rest = words.dropFirst()
        if word.hasPrefix("--") { _ = readLong(word, &rest) } else { _ = readShort(word, &rest) }
        return words.count - rest.count
    }
}
