import Support

/// Formats the text of a command's help.
struct HelpPage {
    let width: Int
    let column: Int
    private(set) var text = ""

    init(width: Int, column: Int) {
        self.width = width
        self.column = column
    }

    mutating func line(_ line: String) { text += line + "\n" }

    mutating func blank() { if !text.isEmpty { text += "\n" } }

    mutating func heading(_ title: String) {
        blank()
        line(title)
    }

    mutating func paragraph(_ words: String) {
        for line in TerminalText.wrapped(words, toColumns: width) { self.line(line) }
    }

    /// Adds paragraphs. A paragraph that begins with a space is not wrapped.
    mutating func details(_ details: String) {
        for block in Command.blocks(of: details) {
            blank()
            if block.hasPrefix(" ") { line(block) } else { paragraph(block) }
        }
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

    /// Adds a name and its description, which begins below the name if the name is too long.
    mutating func row(_ label: String, _ words: String, column: Int? = nil) {
        let column = column ?? self.column
        let lines = TerminalText.wrapped(words, toColumns: width - column)
        var rest = lines[...]
        if label.count <= column - 4 {
            line("  \(label)\(String(repeating: " ", count: column - 2 - label.count))\(rest.popFirst() ?? "")")
        } else {
            line("  \(label)")
        }
        for text in rest { line(String(repeating: " ", count: column) + text) }
    }

    /// Adds a title followed by names. Wrapped lines are indented.
    mutating func names(_ title: String, _ names: [String]) {
        let lines = TerminalText.wrapped(([title] + names).joined(separator: " "), toColumns: width - 2)
        for (index, text) in lines.enumerated() { line(index == 0 ? text : "  " + text) }
    }
}
