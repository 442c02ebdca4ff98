extension Command {
    /// A script that completes the tool's command lines in zsh.
    public var zshCompletion: String {
        var script = "#compdef \(name)\n# zsh completion for \(name), written by \(name) --generate complete-zsh\n\n"
        for source in zshSources {
            guard case .command(let kind, let line) = source else { continue }
            script += "_\(name)-offer-\(kind)() {\n    compadd \"$@\" -- ${(f)\"$(\(line))\"}\n}\n\n"
        }
        if completed.contains(where: { $0.command.operands.completion == .pictures }) {
            script += "_\(name)-offer-pictures() {\n"
            script += "    _alternative 'keys:key:_\(name)-offer-keys' 'files:file:_files'\n}\n\n"
        }
        for (words, command) in completed { script += zshFunction(command, words) }
        return script + "\(zshName("")) \"$@\"\n"
    }

    /// The commands that offer values of options and operands, each once.
    private var zshSources: [Completion.Source] {
        let all = uniqueOptions.map(\.completion.source) + completed.map(\.command.operands.completion.source)
        var seen: Set<Completion.Source> = []
        return all.filter { seen.insert($0).inserted }
    }

    private func zshName(_ words: String) -> String {
        "_\(name)-at-" + (words.isEmpty ? "tool" : String(words.map { $0 == " " ? "-" : $0 }))
    }

    /// The function for a command, which calls those of its subcommands.
    private func zshFunction(_ command: Command, _ words: String) -> String {
        let commands = command.visibleSubcommands
        func function(_ next: Command) -> String { zshName(words.isEmpty ? next.name : "\(words) \(next.name)") }
        let operands = command.operands
        let operand = "\(Self.zshText(operands.name.lowercased())):\(Self.zshQuoted(zshAction(operands.completion)))"
        var script = "\(zshName(words))() {\n"
        script += "    local curcontext=$curcontext context state state_descr line\n    typeset -A opt_args\n"
        if command.run != nil {
            // The subcommand is the first word.
            for next in commands {
                script += "    if [[ $words[2] == \(next.name) ]] && (( CURRENT > 2 )); then\n"
                script +=
                    "        shift words\n        (( CURRENT-- ))\n        \(function(next))\n        return\n    fi\n"
            }
        }
        // The words after a subcommand belong to that.
        let isParent = command.run == nil
        script += "    _arguments -s -S -C \(isParent ? "-A '-*' " : "")\\\n"
        for (option, takers) in offeredOptions where words.isEmpty || takers.contains(words) {
            script += zshSpecifications(option, isHidden: !takers.contains(words))
        }
        script += "        '(- *)'{-h,--help}'[Show help.]' \\\n"
        if words.isEmpty { script += "        '(- *)--version[Show the version.]' \\\n" }
        if commands.isEmpty { return script + "        '*:\(operands.name.isEmpty ? ":" : operand)'\n}\n\n" }
        script += "        '1: :->command' '*:\(isParent ? ": :->rest" : operand)'\n"
        script += "    case $state in\n    command)\n        local -a commands=(\n"
        for next in commands { script += "            '\(next.name):\(Self.zshText(next.summary))'\n" }
        script += "        )\n        _describe command commands\n"
        let action = zshAction(operands.completion)
        if !isParent, !action.isEmpty { script += "        \(action)\n" }
        script += "        ;;\n"
        if isParent {
            script += "    rest)\n        case $words[1] in\n"
            for next in commands { script += "        \(next.name)) \(function(next)) ;;\n" }
            script += "        esac\n        ;;\n"
        }
        return script + "    esac\n}\n\n"
    }

    /// The action of `_arguments` for a value.
    private func zshAction(_ completion: Completion) -> String {
        switch completion {
        case .none: ""
        case .files: "_files"
        case .folders: "_files -/"
        case .words(let words): "(\(words.map(\.shellQuoted).joined(separator: " ")))"
        case .list(let words): "_sequence compadd - \(words.map(\.shellQuoted).joined(separator: " "))"
        case .pictures: "_\(name)-offer-pictures"
        case .scopes, .keys, .exercises:
            if case .command(let kind, _) = completion.source {
                "\(completion.isList ? "_sequence " : "")_\(name)-offer-\(kind)"
            } else {
                ""
            }
        }
    }

    /// The specification of an option for `_arguments`, for each of its spellings.
    ///
    /// - Parameter isHidden: whether it is read but not offered, as it may belong to a subcommand that follows.
    private func zshSpecifications(_ option: AnyOption, isHidden: Bool) -> String {
        let action = Self.zshQuoted(zshAction(option.completion))
        var value = ""
        switch option.form {
        case .flag, .none: break
        case .value(let name): value = ":\(Self.zshText(name.lowercased())):\(action)"
        case .optionalValue(let name, _): value = "::\(Self.zshText(name.lowercased())):\(action)"
        case .pair(let first, let second):
            value = ":\(Self.zshText(first.lowercased())): :\(Self.zshText(second.lowercased())):\(action)"
        }
        let excluded =
            option.repeats ? "*" : option.words.count == 1 ? "" : "(\(option.words.joined(separator: " ")))"
        return option.words.map { word in
            let sign = value.isEmpty || option.isPair ? "" : word.hasPrefix("--") ? "=" : "+"
            let words = "\(word)\(sign)[\(Self.zshText(option.summary))]\(value)"
            return "        '\(isHidden ? "!" : "")\(excluded)\(words)' \\\n"
        }.joined()
    }

    /// Code within single quotes.
    private static func zshQuoted(_ code: String) -> String {
        code.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    }

    /// Text within a specification in single quotes.
    private static func zshText(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "'": result += "'\\''"
            case "[", "]", ":", "\\": result += "\\\(character)"
            default: result.append(character.isNewline ? " " : character)
            }
        }
        return result
    }
}
