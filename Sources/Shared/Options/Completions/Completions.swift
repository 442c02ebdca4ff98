import Support

/// What the word at the cursor may become: the answer to `TOOL --complete WORD…`, which the shells' scripts call.
public struct Completions: Sendable, Equatable {
    public struct Word: Sendable, Equatable {
        public let text: String
        /// What it means, for shells that show that.
        public let meaning: String
    }

    public fileprivate(set) var words: [Word] = []
    /// What the shell adds by itself: `files`, `filesEnding` or `folders`.
    public fileprivate(set) var places = Completion.none
    /// Whether the word may go on behind what was completed, as a list does.
    public fileprivate(set) var goesOn = false

    /// The first line is a colon with `files`, `files ENDING…`, `folders`, `nospace` or nothing behind it. Each further
    /// line is a word, with a tab and its meaning if it has one. Words that a terminal cannot show are left out, as
    /// those with a line feed.
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
    /// The most words of a cache that are offered.
    static let completionLimit = 1000

    /// Completes a command line of this tool. Pure, but for `values`.
    ///
    /// - Parameters:
    ///   - words: what follows the tool's name up to the cursor, without quotes; the last one is being typed.
    ///   - values: returns what begins with a text among scopes, keys or exercises, for the options of the line.
    public func completions(
        of words: [String], values: (_ of: Completion, _ line: Arguments, _ beginning: String) -> [String]
    ) -> Completions {
        let typed = words.last ?? ""
        let asksForHelp = words.count > 1 && words[0] == "help"
        let before = Array(words.dropLast().dropFirst(asksForHelp ? 1 : 0))
        let (path, positions, _) = commandPath(before)
        let command = path[path.count - 1]
        var reader = CommandLineReader(path: path, options: command.run == nil ? allOptions : command.options)
        _ = reader.read(before.indices.filter { !positions.contains($0) }.map { before[$0] }[...])
        let line = Arguments(reader.given, operands: reader.operands, path: path)
        var answer = Completions()

        func add(_ texts: [String], after lead: Substring = "", meaning: String = "") {
            for text in texts where text.utf8.starts(with: typed.utf8.dropFirst(lead.utf8.count)) {
                answer.words.append(.init(text: lead + text, meaning: meaning))
            }
        }
        func addList(_ texts: [String], after lead: Substring) {
            answer.goesOn = true
            let value = typed[lead.endIndex...]
            let given = value.split(separator: ",", omittingEmptySubsequences: false).dropLast().map(String.init)
            let end = value.lastIndex(of: ",").map(typed.index(after:)) ?? lead.endIndex
            add(texts.filter { !given.contains($0) }, after: typed[..<end])
        }
        func addValues(_ kind: Completion, after lead: Substring) {
            let texts = Set(values(kind, line, String(typed[lead.endIndex...]))).sorted {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
            // With the last one, a shell inserts only what all of them have in common.
            add(
                texts.prefix(Self.completionLimit - 1) + texts.dropFirst(Self.completionLimit - 1).suffix(1),
                after: lead)
        }
        func add(_ completion: Completion, after lead: Substring) {
            switch completion {
            case .none: break
            case .files, .filesEnding, .folders: answer.places = completion
            case .words(let words): add(words, after: lead)
            case .list(let words): addList(words, after: lead)
            case .exercises(let field) where field != Completion.exerciseID:
                addList(values(completion, line, ""), after: lead)
            case .pictures:
                addValues(.keys, after: lead)
                // Keys and addresses begin with a word and a colon.
                if typed[lead.endIndex...].drop(while: \.isLetter).first != ":" { answer.places = .files }
            case .scopes, .keys, .exercises: addValues(completion, after: lead)
            }
        }

        let start = typed.prefix(0)
        if let missing = reader.missing {
            // The first of two values is an origin.
            if case .pair = missing.option.form, missing.isFirst { return answer }
            add(missing.option.completion, after: start)
        } else if typed.hasPrefix("-"), !reader.isEnded {
            let options = command.completedOptions
            if typed.hasPrefix("--"), let sign = typed.firstIndex(of: "=") {
                let name = typed[..<sign].dropFirst(2)
                guard let option = options.first(where: { $0.spellings.contains { $0 == name } }) else { return answer }
                if case .pair = option.form { return answer }
                add(option.completion, after: typed[...sign])
                return answer
            }
            for option in options where option.repeats || !line.isGiven(option) {
                add(option.words, meaning: option.summary)
            }
            add(["-h", "--help"], meaning: "Show help.")
            if path.count == 1 { add(["--version"], meaning: "Show the version.") }
        } else {
            if line.operands.isEmpty {
                for next in command.visibleSubcommands { add([next.name], meaning: next.summary) }
                if path.count == 1, run == nil, !asksForHelp { add(["help"], meaning: "Show help.") }
            }
            if !asksForHelp, line.operands.count < command.operands.atMost {
                add(command.operands.completion, after: start)
            }
        }
        return answer
    }

    /// The options that are offered: those of the command, or those that all commands below it have.
    private var completedOptions: [AnyOption] {
        if run != nil { return typedOptions }
        let lists = tree.filter { !$0.command.isHidden }.map(\.command.typedOptions)
        return (lists.first ?? []).filter { option in lists.allSatisfy { $0.contains { $0 === option } } }
    }
}

extension AnyOption {
    /// Its spellings, including their dashes.
    fileprivate var words: [String] { (short.map { ["-\($0)"] } ?? []) + spellings.map { "--\($0)" } }
}
