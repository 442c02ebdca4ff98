import Support

extension Command {
    /// A script that completes the tool's command lines in zsh.
    public var zshCompletion: String {
        let function = "_\(name)"
        var script = "#compdef \(name)\n# zsh completion for \(name), written by \(name) --generate complete-zsh\n\n"
        for (words, command) in completed {
            let suffix = words.isEmpty ? "" : "-" + words.joined(separator: "-")
            script += "\(words.isEmpty ? function + "-main" : function + suffix)() {\n"
            let names = command.visibleSubcommands
            script += "    local context state state_descr line\n    typeset -A opt_args\n"
            script += "    _arguments -s -S \(names.isEmpty ? "" : "-C ")\\\n"
            for option in command.typedOptions { script += option.zshSpecification }
            script += "        '(- *)'{-h,--help}'[Show help.]' \\\n"
            if names.isEmpty {
                script += "        '*:\(Self.zshText(command.operands.name.lowercased())):\(command.operands.completion.zshAction)'\n"
            } else {
                script += "        '1: :->command' '*:: :->rest'\n"
                script += "    case $state in\n    command)\n        local -a commands=(\n"
                for next in names { script += "            '\(next.name):\(Self.zshText(next.summary))'\n" }
                script += "        )\n        _describe command commands\n"
                if command.operands.completion.offersFiles { script += "        _files\n" }
                script += "        ;;\n    rest)\n        case $words[1] in\n"
                for next in names { script += "        \(next.name)) \(function)\(suffix)-\(next.name) ;;\n" }
                script += "        *) \(command.operands.completion.offersFiles ? "_files" : ":") ;;\n"
                script += "        esac\n        ;;\n    esac\n"
            }
            script += "}\n\n"
        }
        return script + "\(function)-main \"$@\"\n"
    }

    /// Text within a specification in single quotes.
    static func zshText(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "'": result += "'\\''"
            case "[", "]", ":", "\\": result += "\\\(character)"
            case "`", "$": result += "\\\(character)"
            default: result.append(character)
            }
        }
        return result
    }
}

extension Completion {
    /// What `_arguments` calls for a value.
    fileprivate var zshAction: String {
        switch self {
        case .none: ""
        case .files: "_files"
        case .folders: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .list(let words): "_values -s , value \(words.joined(separator: " "))"
        case .pictures: "{ compadd -- ${(f)\"$(\(quoted))\"}; _files }"
        case .scopes, .keys, .exercises: "{ compadd -- ${(f)\"$(\(quoted))\"} }"
        }
    }

    /// The command in a text within single quotes.
    private var quoted: String { (shellCommand ?? "").replacing(text: "'", with: "'\\''") }
}

extension AnyOption {
    fileprivate var zshSpecification: String {
        let text = Command.zshText(summary.split(separator: "\n").joined(separator: " "))
        let star = repeats ? "*" : ""
        let excluded = repeats || words.count == 1 ? "" : "(\(words.joined(separator: " ")))"
        return words.map { word in
            let isLong = word.hasPrefix("--")
            var value = ""
            switch form {
            case .flag, .none: break
            case .value(let name): value = ":\(Command.zshText(name.lowercased())):\(completion.zshAction)"
            case .optionalValue(let name, _): value = "::\(Command.zshText(name.lowercased())):\(completion.zshAction)"
            case .pair(let first, let second):
                value = ":\(first.lowercased()): :\(second.lowercased()):\(completion.zshAction)"
            }
            let sign = value.isEmpty || form.isPair ? "" : isLong ? "=" : "+"
            return "        '\(star.isEmpty ? excluded : star)\(word)\(sign)[\(text)]\(value)' \\\n"
        }.joined()
    }
}

extension AnyOption.Form {
    fileprivate var isPair: Bool {
        if case .pair = self { return true }
        return false
    }
}
