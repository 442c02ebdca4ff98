import Support

extension Command {
    /// A script that completes the tool's command lines in fish.
    public var fishCompletion: String {
        let function = "__" + name.map { $0 == "-" ? "_" : $0 } + "_at"
        let values = uniqueOptions.filter { option in
            if case .value = option.form { return true }
            return false
        }.flatMap(\.words).joined(separator: " ")
        var script = """
            # fish completion for \(name), written by \(name) --generate complete-fish

            # Whether the line's words that are neither options nor their values begin with these.
            function \(function)
                set -l words
                set -l skip 0
                for word in (commandline -opc)[2..-1]
                    if test $skip = 1
                        set skip 0
                    else if contains -- $word \(values)
                        set skip 1
                    else if not string match -q -- '-*' $word
                        set -a words $word
                    end
                end
                set -l wanted (count $argv)
                if test $argv[1] = only
                    set -e argv[1]
                    test "$words" = "$argv"
                else
                    test "$words[1..$wanted]" = "$argv"
                end
            end

            complete -c \(name) -f
            complete -c \(name) -s h -l help -d 'Show help'

            """
        for (words, command) in completed {
            let condition = words.isEmpty ? "" : " -n '\(function) \(words.joined(separator: " "))'"
            for next in command.visibleSubcommands {
                script += "complete -c \(name) -n '\(function) only \(words.joined(separator: " "))' -a \(next.name)"
                script += " -d \(Self.fishText(next.summary))\n"
            }
            let operands = command.operands.completion
            if operands.offersFiles { script += "complete -c \(name)\(condition) -F\n" }
            if let source = operands.shellCommand {
                script += "complete -c \(name)\(condition) -a \(Self.fishText("(\(source))"))\n"
            }
            if words.isEmpty, command.run == nil { continue }
            for option in command.typedOptions {
                script += "complete -c \(name)\(condition)"
                if let short = option.short { script += " -s \(short)" }
                for spelling in option.spellings { script += " -l \(spelling)" }
                if option.takesValue {
                    switch option.completion {
                    case .files: script += " -r -F"
                    case .folders: script += " -x -a '(__fish_complete_directories)'"
                    case .none: script += " -x"
                    default: script += " -x -a \(Self.fishText("(\(option.completion.shellCommand ?? ""))"))"
                    }
                }
                script += " -d \(Self.fishText(option.summary))\n"
            }
        }
        return script
    }

    /// A word in single quotes, in which fish knows two escapes.
    private static func fishText(_ text: String) -> String {
        "'" + text.replacing(text: "\\", with: "\\\\").replacing(text: "'", with: "\\'") + "'"
    }
}
