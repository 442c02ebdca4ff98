import Support

extension Command {
    /// Returns the tool's manual page in mdoc(7) format. `scripts/docs` inserts hand-written sections at
    /// `ManualPage.place`. A hand-written section replaces the generated section of the same name.
    public func manual(_ facts: ManualFacts) -> String {
        var page = ManualPage(name, section: 1, date: facts.date)
        page.section("NAME")
        page.request("Nm \(name)")
        page.request("Nd \(ManualPage.escaped(summary.prefix(1).lowercased() + summary.dropFirst().dropLast()))")
        page.section("SYNOPSIS")
        if run != nil {
            page.request("Nm")
            page.request("Op Ar option ...")
            page.operands(operands)
        }
        if !visibleSubcommands.isEmpty {
            page.request("Nm")
            page.request("Ar command")
            page.request("Op Ar option ...")
            if run == nil { page.request("Op Ar argument ...") }
        }
        page.section("DESCRIPTION")
        page.blocks(details)
        let users = OptionUsers(self)
        if !visibleSubcommands.isEmpty {
            page.section("COMMANDS")
            page.list { page in
                for command in visibleSubcommands { page.command(command, named: [command.name], users) }
            }
        }
        page.options(of: self, users)
        page.line(ManualPage.place)
        page.environment(uniqueOptions.filter { !users.isUnused($0) }, facts)
        page.files(facts)
        page.section("EXIT STATUS")
        page.text(facts.exitStatus.split(separator: "\n").joined(separator: " "))
        page.section("EXAMPLES")
        page.literal(examples)
        page.seeAlso(facts)
        return page.source
    }
}

extension ManualPage {
    fileprivate mutating func command(_ command: Command, named path: [String], _ users: OptionUsers) {
        if command.run == nil {
            for next in command.visibleSubcommands { self.command(next, named: path + [next.name], users) }
            return
        }
        request("It Cm \(path.joined(separator: " "))\(Self.operands(command.operands).map { " " + $0 } ?? "")")
        text(command.summary)
        if !command.details.isEmpty {
            request("Pp")
            blocks(command.details)
        }
        let own = command.typedOptions.filter { $0.group == .own }
        if !own.isEmpty {
            list { page in for option in own { page.option(option) } }
        }
        let groups = OptionGroup.allCases.filter { group in
            let members = command.typedOptions.filter { $0.group == group }
            return group != .own && members.contains { !users.areAll(for: $0) }
        }
        if command.name == OptionUsers.settings {
            let others = command.typedOptions.filter { $0.group != .own && users.isUnused($0) }
            request("Pp")
            text("It accepts every option that is a setting, including settings of the other tools:")
            request("Fl " + others.map { "-\(Self.escaped($0.name))" }.joined(separator: " , ") + " .")
        } else if !groups.isEmpty {
            request("Pp")
            text("Further options:")
            request("Sx " + groups.map { $0.title.sentenceCase }.joined(separator: " , ") + " .")
        }
        if !command.examples.isEmpty { literal(command.examples) }
    }

    fileprivate mutating func options(of tool: Command, _ users: OptionUsers) {
        section("OPTIONS")
        let places = tool.visibleSubcommands.isEmpty ? "" : ", even before the command"
        text(
            """
            Options can be anywhere on the line\(places). A value is the next word after its option, or follows an \
            equals sign. If an option is given twice, the last value counts, unless the option is \
            repeatable. After `--`, every word is an argument.
            """)
        list { page in
            page.request("It Fl h , Fl -help")
            page.text("Show help: a summary with `-h`, details with `--help`.")
            page.request("It Fl -version")
            page.text("Show the versions of the tool and its libraries.")
        }
        for group in OptionGroup.allCases {
            // The options of a single command are listed below that command.
            let options = group == .own ? (tool.run == nil ? [] : tool.typedOptions) : tool.uniqueOptions
            let members = options.filter { $0.group == group && !users.isUnused($0) }
            if members.isEmpty { continue }
            subsection(group == .own ? "GENERAL" : group.title)
            let takers = members.map(users.words)
            let usual = takers.max { a, b in takers.count { $0 == a } < takers.count { $0 == b } } ?? ""
            let isUniform = takers.allSatisfy { $0 == usual }
            if !usual.isEmpty { text("For \(usual)\(isUniform ? "." : ", unless an option says otherwise.")") }
            list { page in
                for (option, takers) in zip(members, takers) {
                    let note = takers == usual ? "" : "For \(takers.isEmpty ? "all commands" : takers)."
                    page.option(option, note: note)
                }
            }
        }
    }

    private mutating func option(_ option: AnyOption, note: String = "") {
        var names: [String] = option.short.map { ["Fl \($0)"] } ?? []
        names += option.spellings.map { "Fl -\(Self.escaped($0))" }
        var value = ""
        switch option.form {
        case .flag, .none: break
        case .value(let name): value = " Ar \(Self.argument(name))"
        case .optionalValue(let name, _): value = " Op Ar \(Self.argument(name))"
        }
        request("It \(names.joined(separator: " , "))\(value)")
        explain(option)
        text(note)
        if let field = option.field {
            text("(configuration: `\(field)`)")
        } else if let variable = option.variable {
            text("(environment: `\(variable)`)")
        }
    }

    /// Adds the summary, values and default of an option or setting.
    mutating func explain(_ option: AnyOption) {
        text(option.summary)
        text(option.manual)
        switch option.completion {
        case .words(let words), .list(let words):
            if words.contains(where: { !option.summary.contains(text: $0) }) {
                text("The values are \(words.map { "`\($0)`" }.list(before: "and")).")
            }
        default:
            if let range = option.expected.range(after: " from "), !option.summary.contains(text: range) {
                text("It takes \(option.expected).")
            }
        }
        if !option.isFlag, !option.defaultText.isEmpty { text("The default is \(option.defaultText).") }
    }

    /// Adds the section ENVIRONMENT: the variables of those options that have no configuration field, then the
    /// variables of `facts`.
    mutating func environment(_ options: [AnyOption], _ facts: ManualFacts) {
        section("ENVIRONMENT")
        list { page in
            for option in options {
                guard option.field == nil, let variable = option.variable else { continue }
                page.request("It Ev \(variable)")
                page.text("The same as `--\(option.name)`.")
            }
            for option in facts.settings {
                guard let variable = option.variable else { continue }
                page.request("It Ev \(variable)")
                page.text(option.summary)
                if !option.defaultText.isEmpty { page.text("The default is \(option.defaultText).") }
            }
            for (names, summary) in facts.variables {
                page.request("It Ev \(names.joined(separator: " , "))")
                page.text(summary)
            }
        }
        request("Pp")
        text(
            """
            Most fields of the configuration file have a variable, too: `APOD_TOOLS_` and the field's name in \
            capitals, such as `APOD_TOOLS_LEASE` for `lease`. An option overrides the environment, which overrides the \
            configuration file, which overrides the default.
            """)
    }

    mutating func files(_ facts: ManualFacts) {
        section("FILES")
        list { page in
            for (path, summary) in facts.files {
                page.request("It Pa \(Self.escaped(path))")
                page.text(summary)
            }
        }
    }

    mutating func seeAlso(_ facts: ManualFacts) {
        section("SEE ALSO")
        for (index, other) in facts.seeAlso.enumerated() {
            request("Xr \(other)\(index == facts.seeAlso.count - 1 ? "" : " ,")")
        }
    }
}

extension String {
    /// Converts `WHICH ENTRIES` to `Which entries`.
    var sentenceCase: String { prefix(1) + dropFirst().lowercased() }

    /// Returns the part of the string after `text`, or nil if the string does not contain `text`.
    fileprivate func range(after text: String) -> String? {
        let pieces = replacing(text: text, with: "\0").split(separator: "\0", maxSplits: 1)
        return pieces.count == 2 ? String(pieces[1]) : nil
    }
}
