import Support

/// Candidates for the word at the cursor. The scripts in `completions` get them from `TOOL --complete WORD…`.
public struct Completions: Sendable, Equatable {
    public struct Word: Sendable, Equatable {
        public let text: String
        /// The description, which zsh and fish show.
        public let meaning: String
    }

    public fileprivate(set) var words: [Word] = []
    /// The paths that the shell adds: `files`, `filesEnding`, `folders` or `none`.
    public fileprivate(set) var places = Completion.none
    /// Whether the word is a comma-separated list that can continue, so that the shell adds no space after it.
    public fileprivate(set) var goesOn = false

    /// The output of `--complete`. The first line is a colon, followed by `files`, `files ENDING…`, `folders`,
    /// `nospace` or nothing. Each further line is a word, followed by a tab and its meaning if it has one. Omits words
    /// with control or invisible characters: a line feed would end a candidate.
    public var text: String {
        let directive =
            switch places {
            case .files: "files"
            case .filesEnding(let endings): "files \(endings.joined(separator: " "))"
            case .folders: "folders"
            default: goesOn ? "nospace" : ""
            }
        let lines = words.filter { TerminalText.escaped($0.text).hasSameBytes(as: $0.text) }.map { word in
            word.text + (word.meaning.isEmpty ? "" : "\t\(TerminalText.escaped(word.meaning))")
        }
        return ([":\(directive)"] + lines).map { $0 + "\n" }.joined()
    }
}

extension Command {
    /// Completes a command line of this tool. Has no side effects if `values` has none.
    ///
    /// - Parameters:
    ///   - words: the words after the tool's name up to the cursor, without quotes. The last word is completed.
    ///   - values: returns the scopes, keys or exercises that begin with the given text, in the cache that the options
    ///     of the line select.
    public func completions(
        of words: [String], values: @escaping (_ of: Completion, _ line: Arguments, _ beginning: String) -> [String]
    ) -> Completions {
        let typed = words.last ?? ""
        let asksForHelp = words.count > 1 && words[0] == "help"
        let before = Array(words.dropLast().dropFirst(asksForHelp ? 1 : 0))
        let (path, positions, _) = commandPath(before)
        let command = path[path.count - 1]
        var reader = CommandLineReader(path: path, options: command.run == nil ? allOptions : command.options)
        _ = reader.read(before.indices.filter { !positions.contains($0) }.map { before[$0] }[...])
        let line = Arguments(reader.given, operands: reader.operands, path: path)
        var candidates = Candidates(for: typed) { values($0, line, $1) }
        if let missing = reader.missing {
            candidates.add(missing.completion)
        } else if typed.hasPrefix("--"), !reader.isEnded, let sign = typed.firstIndex(of: "=") {
            let option = command.completedOptions.first { $0.words.contains { $0 == typed[..<sign] } }
            if let option, case .value = option.form { candidates.add(option.completion, after: typed[...sign]) }
        } else if typed.hasPrefix("-"), !reader.isEnded {
            for option in command.completedOptions where option.repeats || !line.isGiven(option) {
                candidates.add(option.words, meaning: option.summary)
            }
            candidates.add(["-h", "--help"], meaning: "Show help.")
            if path.count == 1 { candidates.add(["--version"], meaning: "Show the version.") }
        } else {
            if line.operands.isEmpty {
                for next in command.visibleSubcommands { candidates.add([next.name], meaning: next.summary) }
                if path.count == 1, run == nil, !asksForHelp { candidates.add(["help"], meaning: "Show help.") }
            }
            if !asksForHelp, line.operands.count < command.operands.atMost {
                candidates.add(command.operands.completion)
            }
        }
        return candidates.found
    }

    /// The command's options. For a command that only has subcommands, the options that every subcommand accepts.
    private var completedOptions: [AnyOption] {
        if run != nil { return typedOptions }
        let lists = tree.filter { !$0.command.isHidden }.map(\.command.typedOptions)
        return (lists.first ?? []).filter { option in lists.allSatisfy { $0.contains { $0 === option } } }
    }
}

/// Collects the candidates that begin with a text.
struct Candidates {
    /// The maximum number of scopes, keys or exercises.
    static let limit = 1000

    private let typed: String
    private let values: (Completion, _ beginning: String) -> [String]
    fileprivate private(set) var found = Completions()

    fileprivate init(for typed: String, values: @escaping (Completion, _ beginning: String) -> [String]) {
        self.typed = typed
        self.values = values
    }

    /// Adds the candidates that begin with the typed word. A candidate consists of `lead` and one of the texts. `lead`
    /// is the complete part of the typed word: `--name=`, or the first items of a list.
    fileprivate mutating func add(_ texts: [String], after lead: Substring = "", meaning: String = "") {
        for text in texts where text.utf8.starts(with: typed.utf8.dropFirst(lead.utf8.count)) {
            found.words.append(.init(text: lead + text, meaning: meaning))
        }
    }

    fileprivate mutating func add(_ completion: Completion, after lead: Substring? = nil) {
        let lead = lead ?? typed.prefix(0)
        switch completion {
        case .none: break
        case .files, .filesEnding, .folders: found.places = completion
        case .words(let words): add(words, after: lead)
        case .list(let words): addList(words, after: lead)
        case .exercises(let field) where field != Completion.exerciseID:
            addList(values(completion, ""), after: lead)
        case .pictures:
            addValues(.keys, after: lead)
            // Keys and addresses begin with letters and a colon. Any other word may be a path.
            if typed[lead.endIndex...].drop(while: \.isLetter).first != ":" { found.places = .files }
        case .scopes, .keys, .exercises: addValues(completion, after: lead)
        }
    }

    private mutating func addList(_ texts: [String], after lead: Substring) {
        found.goesOn = true
        let value = typed[lead.endIndex...]
        let given = value.split(separator: ",", omittingEmptySubsequences: false).dropLast().map(String.init)
        let end = value.lastIndex(of: ",").map(typed.index(after:)) ?? lead.endIndex
        add(texts.filter { !given.contains($0) }, after: typed[..<end])
    }

    private mutating func addValues(_ kind: Completion, after lead: Substring) {
        let texts = values(kind, String(typed[lead.endIndex...])).sorted()
        let all = zip(texts, [nil] + texts).filter { $1?.hasSameBytes(as: $0) != true }.map(\.0)
        // Shells insert the common prefix of all candidates. The texts are sorted, so including the last text preserves
        // this prefix despite the limit.
        add(all.prefix(Self.limit - 1) + all.dropFirst(Self.limit - 1).suffix(1), after: lead)
    }
}

extension AnyOption {
    /// The short and long spellings, with their dashes.
    fileprivate var words: [String] { (short.map { ["-\($0)"] } ?? []) + spellings.map { "--\($0)" } }
}
