extension Command {
    /// A script that completes the tool's command lines in fish.
    public var fishCompletion: String {
        var script = "# fish completion for \(name), written by \(name) --generate complete-fish\n\n" + fishFunctions
        script += "complete -c \(name) -f\n"
        script += "complete -c \(name) -s h -l help -d 'Show help'\n"
        script += "complete -c \(name)\(condition([""])) -l version -d 'Show the version'\n"
        for (words, command) in completed {
            for next in command.visibleSubcommands {
                script += "complete -c \(name)\(condition([words])) -a \(next.name) -d \(Self.fishText(next.summary))\n"
            }
        }
        // Commands with the same operands share a line.
        var completions: [Completion] = []
        for (_, command) in completed where !completions.contains(command.operands.completion) {
            completions.append(command.operands.completion)
        }
        for completion in completions where completion != .none {
            let commands = completed.filter { $0.command.operands.completion == completion }.map(\.words)
            script += "complete -c \(name)\(condition(commands))\(offer(completion))\n"
        }
        for (option, commands) in offeredOptions {
            script += "complete -c \(name)\(condition(commands))"
            if let short = option.short { script += " -s \(short)" }
            for spelling in option.spellings { script += " -l \(spelling)" }
            if option.valueCount > 0 { script += option.completion == .files && !option.isPair ? " -r" : " -x" }
            if option.takesValue, !option.isPair { script += offer(option.completion) }
            script += " -d \(Self.fishText(option.summary))\n"
            if option.isPair, option.completion != .none {
                script += "complete -c \(name)\(condition(option.words))\(offer(option.completion))\n"
            }
        }
        return script
    }

    private var function: String { "_" + shellName }

    private var fishFunctions: String {
        let single = uniqueOptions.filter { $0.valueCount == 1 }.flatMap(\.words)
        let pairs = uniqueOptions.filter(\.isPair).flatMap(\.words)
        let paths = completed.map(\.words).filter { !$0.isEmpty }.map { $0.contains(" ") ? "'\($0)'" : $0 }
        var script = """
            # Whether the line is about one of these commands ('' for none), or at the second value of one of these options.
            function \(function)_at
                set -l command
                set -l option
                set -l left 0
                for word in (commandline -opc)[2..-1]
                    if test $left -gt 0
                        set left (math $left - 1)
                        continue
                    end
                    set option $word
                    switch $word

            """
        if !single.isEmpty {
            script += "            case \(single.joined(separator: " "))\n                set left 1\n"
        }
        if !pairs.isEmpty { script += "            case \(pairs.joined(separator: " "))\n                set left 2\n" }
        script += "            case '-*'\n"
        if !paths.isEmpty {
            script += """
                            case '*'
                                set -l longer (string join ' ' $command $word)
                                if contains -- $longer \(paths.joined(separator: " "))
                                    set command $longer
                                end

                """
        }
        script += "        end\n    end\n"
        if !pairs.isEmpty {
            script += """
                    if test $left = 1; and contains -- $option \(pairs.joined(separator: " "))
                        contains -- $option $argv
                        return
                    end

                """
        }
        return script + """
                contains -- "$command" $argv
            end

            # Offers values for the last place of a list with commas.
            function \(function)_list
                set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
                set -l given (string match -r '^.*,' -- $typed)
                for value in $argv
                    if not contains -- $value (string split , -- "$given")
                        printf '%s\\n' "$given$value"
                    end
                end
            end


            """
    }

    private func condition(_ commands: [String]) -> String {
        if commands.count == completed.count, completed.count == 1 { return "" }
        let words = commands.map { $0.isEmpty || $0.contains(" ") ? "\"\($0)\"" : $0 }.joined(separator: " ")
        return " -n \(Self.fishText("\(function)_at \(words)"))"
    }

    private func offer(_ completion: Completion) -> String {
        let files = completion.offersFiles ? " -F" : completion == .folders ? " -a '(__fish_complete_directories)'" : ""
        let source: String
        switch completion.source {
        case .nothing: return files
        case .words(let words): source = words.map(Self.fishText).joined(separator: " ")
        case .command(_, let line):
            // fish would report that it cannot find the tool.
            let tool = line.prefix { $0 != " " }
            source = "(command -q \(tool); and \(line))"
        }
        if completion.isList { return files + " -a \(Self.fishText("(\(function)_list \(source))"))" }
        return files + " -a \(Self.fishText(source))"
    }

    /// A word in single quotes, in which fish knows two escapes.
    private static func fishText(_ text: String) -> String {
        var result = "'"
        for character in text {
            if character == "\\" || character == "'" { result += "\\" }
            result.append(character.isNewline ? " " : character)
        }
        return result + "'"
    }
}
