import Support

/// Lists the commands that accept an option. Ignores the command `settings`, which accepts every option that is a
/// setting.
struct OptionUsers {
    static let settings = "settings"

    /// The path of each command, without the tool's name, and the command's options.
    private let commands: [(words: [String], options: Set<ObjectIdentifier>)]

    init(_ tool: Command) {
        commands = tool.tree.filter { !$0.command.isHidden && $0.command.name != Self.settings }.map { path, command in
            (path.dropFirst().map(\.name), Set(command.typedOptions.map(ObjectIdentifier.init)))
        }
    }

    func isUnused(_ option: AnyOption) -> Bool { !commands.contains { $0.options.contains(ObjectIdentifier(option)) } }

    /// Returns whether every command accepts the option.
    func areAll(for option: AnyOption) -> Bool { commands.allSatisfy { $0.options.contains(ObjectIdentifier(option)) } }

    /// Returns the names of the commands that accept the option. If most commands accept it, returns "all commands but"
    /// and the names of the others. If all accept it, returns an empty text.
    func words(_ option: AnyOption) -> String {
        let takers = commands.filter { $0.options.contains(ObjectIdentifier(option)) }.map(\.words)
        // An empty path is the tool itself, which accepts the option without a command.
        if takers.count == commands.count || takers.contains([]) { return "" }
        let others = commands.filter { !$0.options.contains(ObjectIdentifier(option)) }.map(\.words)
        return takers.count > 2 * others.count ? "all commands but \(names(others))" : names(takers)
    }

    /// Joins the names of commands. If `lines` contains all subcommands of a command, names that command instead.
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
