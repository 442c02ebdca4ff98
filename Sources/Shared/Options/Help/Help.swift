import Support

extension Command {
    /// The width of the help in columns. The narrowest terminals in use have 80 columns, and a pager may use two of
    /// them.
    private static let helpWidth = 78
    /// The column at which the descriptions of options begin.
    private static let textColumn = 26

    /// Returns the text of `-h`, which fits on one screen.
    public static func shortHelp(_ path: [Command]) -> String {
        let command = path[path.count - 1]
        var help = HelpPage(width: helpWidth, column: textColumn)
        help.paragraph(command.summary)
        help.usage(path)
        help.commands(command)
        let options = command.typedOptions
        let main = options.filter(\.group.isMain)
        if !main.isEmpty {
            help.blank()
            for option in main {
                switch option.completion {
                // Do not shorten a summary that lists the values.
                case .words, .list: help.row(option.label, option.summary)
                default: help.row(option.label, Self.beginning(of: option.summary))
                }
            }
        }
        let others = Dictionary(grouping: options.filter { !$0.group.isMain }, by: \.group)
        if !others.isEmpty { help.blank() }
        for group in OptionGroup.allCases {
            guard let options = others[group] else { continue }
            help.names(group.title.sentenceCase + ":", Self.shortNames(of: options))
        }
        help.blank()
        help.line("See \(path.line) --help for details.")
        return help.text
    }

    /// Returns the shortest names of the options. If the names of three or more options extend the name of another
    /// option, as `--fallback-icon` extends `--fallback`, returns `--fallback-*` for these options.
    private static func shortNames(of options: [AnyOption]) -> [String] {
        var names: [String] = []
        for option in options {
            let stem = options.map { $0.name + "-" }.first { stem in
                option.name.hasPrefix(stem) && options.count { $0.name.hasPrefix(stem) } >= 3
            }
            let name = stem.map { "--\($0)*" } ?? option.short.map { "-\($0)" } ?? "--\(option.name)"
            if names.last != name { names.append(name) }
        }
        return names
    }

    /// Shortens a summary to one row.
    private static func beginning(of summary: String) -> String {
        let width = helpWidth - textColumn
        let lines = TerminalText.wrapped(summary, toColumns: width)
        if lines.count < 2 { return lines.first ?? "" }
        return (TerminalText.wrapped(summary, toColumns: width - 3).first ?? "") + "..."
    }

    /// The maximum number of examples in the help. The manual contains all of them.
    private static let mostExamples = 6

    /// Returns the text of `--help`, with the summary of each option. Only the manual contains `AnyOption.manual`.
    public static func fullHelp(_ path: [Command], exitStatus: String) -> String {
        let command = path[path.count - 1]
        var help = HelpPage(width: helpWidth, column: textColumn)
        help.paragraph(command.summary)
        help.usage(path)
        help.details(command.details)
        help.commands(command)
        if !command.operands.name.isEmpty {
            help.heading("ARGUMENTS")
            help.row(command.operands.name, command.operands.summary)
        }
        let options = command.typedOptions
        for group in OptionGroup.allCases {
            let members = options.filter { $0.group == group }
            if members.isEmpty { continue }
            help.heading(group.title)
            for option in members { help.row(option.label, option.explanation) }
        }
        help.blank()
        help.row("-h, --help", "Show help: a summary with -h, details with --help.")
        if path.count == 1 { help.row("--version", "Show the versions of the tool and its libraries.") }
        if !command.examples.isEmpty {
            help.heading("EXAMPLES")
            for example in command.examples.prefix(mostExamples) { help.line("  \(example)") }
        }
        if path.count == 1 {
            help.heading("EXIT STATUS")
            for line in exitStatus.split(separator: "\n", omittingEmptySubsequences: false) { help.line("  \(line)") }
        }
        return help.text
    }
}

extension AnyOption {
    /// The spellings of the option and the name of its value, such as `-j, --jobs N`.
    var label: String {
        var label = (short.map { ["-\($0)"] } ?? []) + ["--\(name)"]
        var value = ""
        switch form {
        case .flag(_, isNegatable: true): label.append("--no-\(name)")
        case .flag, .none: break
        case .value(let name): value = " \(name)"
        case .optionalValue(let name, _): value = " [\(name)]"
        }
        return label.joined(separator: ", ") + value
    }

    /// The summary, followed by the default if it is a single word.
    var explanation: String {
        isFlag || defaultText.isEmpty || defaultText.contains(" ") ? summary : "\(summary) [default: \(defaultText)]"
    }
}
