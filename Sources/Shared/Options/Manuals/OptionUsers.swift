import Support

/// Which commands of a tool take which options. The command `settings` is left out, as it takes
/// all options that are settings.
struct OptionUsers {
    static let settings = "settings"

    /// The words that lead to each command, without the tool's name, and the command's options.
    private let commands: [(words: [String], options: Set<ObjectIdentifier>)]

    init(_ tool: Command) {
        commands = tool.tree.filter { !$0.command.isHidden && $0.command.name != Self.settings }.map { path, command in
            (path.dropFirst().map(\.name), Set(command.typedOptions.map(ObjectIdentifier.init)))
        }
    }

    func isUnused(_ option: AnyOption) -> Bool {
        !commands.contains { $0.options.contains(ObjectIdentifier(option)) }
    }

    /// Whether every command takes the option.
    func areAll(for option: AnyOption) -> Bool {
        commands.allSatisfy { $0.options.contains(ObjectIdentifier(option)) }
    }

    /// The commands that take the option, or, if that list is shorter, the commands that do not; empty if all do.
    func words(_ option: AnyOption) -> String {
        let takers = commands.filter { $0.options.contains(ObjectIdentifier(option)) }.map(\.words)
        // The options of a tool that runs without a command need no list.
        if takers.count == commands.count || takers.contains([]) { return "" }
        let others = commands.filter { !$0.options.contains(ObjectIdentifier(option)) }.map(\.words)
        return takers.count > 2 * others.count ? "all commands but \(names(others))" : names(takers)
    }

    /// Names a command in place of all its subcommands.
    private func names(_ lines: [[String]]) -> String {
        var names: [String] = []
        for line in lines {
            let siblings = commands.filter { $0.words.first == line.first }.count
            let isWhole = siblings > 1 && lines.filter { $0.first == line.first }.count == siblings
            let name = isWhole ? line[0] : line.joined(separator: " ")
            if !names.contains(name) { names.append(name) }
        }
        return names.map { "`\($0)`" }.list(before: "and")
    }
}
