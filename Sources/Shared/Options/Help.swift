import Support

extension Command {
    /// The lines of help are at most this wide: one less than the narrowest terminals that are in use, and two for the
    /// mark that pagers put in front.
    private static let helpWidth = 78
    /// Where the text behind an option's name begins.
    private static let textColumn = 26

    /// What `-h` says: one screen.
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
            for option in main { help.row(option.label, Self.beginning(of: option.summary)) }
        }
        let others = OptionGroup.allCases.filter { !$0.isMain }.map { group in
            (group, options.filter { $0.group == group })
        }.filter { !$0.1.isEmpty }
        if !others.isEmpty { help.blank() }
        for (group, options) in others {
            let title = group.title.prefix(1) + group.title.dropFirst().lowercased() + ":"
            help.names(String(title), options.map { option in option.short.map { "-\($0)" } ?? "--\(option.name)" })
        }
        help.blank()
        help.line("\(path.line) --help says more.")
        return help.text
    }

    /// The summary as far as one row has room.
    private static func beginning(of summary: String) -> String {
        let width = helpWidth - textColumn
        let lines = TerminalText.wrapped(summary, toColumns: width)
        if lines.count < 2 { return lines.first ?? "" }
        return (TerminalText.wrapped(summary, toColumns: width - 3).first ?? "") + "..."
    }

    /// What `--help` says: everything.
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
        help.row("-h, --help", "Show help: -h in short, --help in full.")
        if path.count == 1 { help.row("--version", "Show the version, and those of the libraries in use.") }
        if !command.examples.isEmpty {
            help.heading("EXAMPLES")
            for example in command.examples { help.line("  \(example)") }
        }
        if path.count == 1 {
            help.heading("EXIT STATUS")
            for line in exitStatus.split(separator: "\n", omittingEmptySubsequences: false) { help.line("  \(line)") }
        }
        return help.text
    }
}

extension AnyOption {
    /// `-j, --jobs N`.
    var label: String {
        let names = [name, alias].compactMap { $0 }.map { "--\($0)" }
        var label = (short.map { ["-\($0)"] } ?? []) + names
        var value = ""
        switch form {
        case .flag(_, isNegatable: true): label.append("--no-\(name)")
        case .flag, .none: break
        case .value(let name): value = " \(name)"
        case .optionalValue(let name, _): value = " [\(name)]"
        case .pair(let first, let second): value = " \(first) \(second)"
        }
        return label.joined(separator: ", ") + value
    }

    /// The summary with default and environment variable.
    var explanation: String {
        var notes: [String] = []
        if !standard.isEmpty { notes.append("default: \(standard)") }
        if let variable { notes.append("environment: \(variable)") }
        return notes.isEmpty ? summary : "\(summary) [\(notes.joined(separator: "; "))]"
    }
}

/// A page of help as it grows.
struct HelpPage {
    let width: Int
    let column: Int
    private(set) var text = ""

    init(width: Int, column: Int) {
        self.width = width
        self.column = column
    }

    mutating func line(_ line: String) { text += line + "\n" }

    /// One empty line, unless the page has only begun.
    mutating func blank() { if !text.isEmpty { text += "\n" } }

    mutating func heading(_ title: String) {
        blank()
        line(title)
    }

    mutating func paragraph(_ words: String) {
        for line in TerminalText.wrapped(words, toColumns: width) { self.line(line) }
    }

    /// Paragraphs; lines that begin with a blank stand as they are.
    mutating func details(_ details: String) {
        if details.isEmpty { return }
        for block in Self.blocks(details) {
            blank()
            if block.hasPrefix(" ") { line(block) } else { paragraph(block) }
        }
    }

    /// The pieces of a text with empty lines between them, each paragraph on one line.
    static func blocks(_ text: String) -> [String] {
        var blocks: [String] = []
        var current: [Substring] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines + [Substring()] {
            if !line.isEmpty {
                current.append(line)
            } else if let first = current.first {
                blocks.append(current.joined(separator: first.hasPrefix(" ") ? "\n" : " "))
                current = []
            }
        }
        return blocks
    }

    mutating func usage(_ path: [Command]) {
        let command = path[path.count - 1]
        blank()
        let name = path.line
        if command.run != nil {
            let operands = command.operands
            let count = operands.atMost > 1 ? "..." : ""
            let shown = operands.atLeast > 0 ? " \(operands.name)\(count)" : " [\(operands.name)]\(count)"
            line("USAGE: \(name) [OPTION]...\(operands.name.isEmpty ? "" : shown)")
        }
        if !command.visibleSubcommands.isEmpty {
            line("\(command.run == nil ? "USAGE:" : "      ") \(name) COMMAND [OPTION]...")
        }
    }

    mutating func commands(_ command: Command) {
        let commands = command.visibleSubcommands
        if commands.isEmpty { return }
        heading("COMMANDS")
        for command in commands { row(command.name, command.summary, column: 14) }
    }

    /// A name, and what it means beside it or below.
    mutating func row(_ label: String, _ words: String, column: Int? = nil) {
        let column = column ?? self.column
        let lines = TerminalText.wrapped(words, toColumns: width - column)
        let room = column - 4
        var rest = lines[...]
        if label.count <= room {
            line("  \(label)\(String(repeating: " ", count: column - 2 - label.count))\(rest.popFirst() ?? "")")
        } else {
            line("  \(label)")
        }
        for text in rest { line(String(repeating: " ", count: column) + text) }
    }

    /// Names one behind the other, the next lines indented.
    mutating func names(_ title: String, _ names: [String]) {
        let lines = TerminalText.wrapped(([title] + names).joined(separator: " "), toColumns: width - 2)
        for (index, text) in lines.enumerated() { line(index == 0 ? text : "  " + text) }
    }
}
