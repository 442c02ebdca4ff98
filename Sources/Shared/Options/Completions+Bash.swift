extension Command {
    /// A script that completes the tool's command lines in bash 3.2 and later.
    public var bashCompletion: String {
        let function = "_" + name.map { $0 == "-" ? "_" : $0 }
        var script = """
            # bash completion for \(name), written by \(name) --generate complete-bash

            \(function)_offer() {
                # Keeps those lines of standard input that begin with the word, less what bash has put before a colon.
                local line prefix=${word%"${word##*:}"}
                [[ $COMP_WORDBREAKS == *:* ]] || prefix=
                while IFS= read -r line; do
                    if [[ $line == "$word"* ]]; then COMPREPLY+=("${line#"$prefix"}"); fi
                done
            }

            \(function)_files() {
                compopt -o filenames 2>/dev/null
                local line
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$word")
            }

            \(function)() {
                local line=${COMP_LINE:0:COMP_POINT} word before command= index
                word=${line##*[[:space:]]}
                COMPREPLY=()
                # A word before the one at hand; --name=value counts as two.
                before=${line%"$word"}
                before=${before%"${before##*[![:space:]]}"}
                before=${before##*[[:space:]]}
                if [[ $word == --*=* ]]; then
                    before=${word%%=*}
                    word=${word#*=}
                fi
                local words=() skip=
                for ((index = 1; index < COMP_CWORD; index++)); do
                    if [[ -n $skip ]]; then
                        skip=
                    else
                        case ${COMP_WORDS[index]} in
                        \(valueWords.joined(separator: " | "))) skip=1 ;;
                        -* | = | :) ;;
                        *) words+=("${COMP_WORDS[index]}") ;;
                        esac
                    fi
                done
                command="${words[*]}"
                case $before in

            """
        for option in uniqueOptions where option.isTyped && option.takesValue {
            script += "    \(option.words.joined(separator: " | ")))\n"
            script += Self.bashOffer(option.completion, function, isValue: true)
            if case .optionalValue = option.form { script += "        ;;\n" } else { script += "        return\n        ;;\n" }
        }
        script += "    esac\n    case $command in\n"
        for (words, command) in completed.reversed() {
            let pattern = words.isEmpty ? "*" : "\"\(words.joined(separator: " "))\"*"
            let options = (command.typedOptions.flatMap(\.words) + ["-h", "--help"]).joined(separator: " ")
            script += "    \(pattern))\n        if [[ $word == -* ]]; then\n"
            script += "            \(function)_offer < <(printf '%s\\n' \(options))\n        else\n"
            let names = command.visibleSubcommands.map(\.name) + (words.isEmpty ? ["help"] : [])
            if !command.visibleSubcommands.isEmpty {
                script += "            \(function)_offer < <(printf '%s\\n' \(names.joined(separator: " ")))\n"
            }
            let offer = Self.bashOffer(command.operands.completion, function, isValue: false)
            script += offer.isEmpty && command.visibleSubcommands.isEmpty ? "            :\n" : offer
            script += "        fi\n        ;;\n"
        }
        return script + "    esac\n}\n\ncomplete -F \(function) \(name)\n"
    }

    private var valueWords: [String] {
        uniqueOptions.filter { option in
            if case .value = option.form { return true }
            return false
        }.flatMap(\.words)
    }

    private static func bashOffer(_ completion: Completion, _ function: String, isValue: Bool) -> String {
        let indent = isValue ? "        " : "            "
        var lines = ""
        if let command = completion.shellCommand { lines += "\(indent)\(function)_offer < <(\(command))\n" }
        if completion.offersFiles { lines += "\(indent)\(function)_files -f\n" }
        if completion == .folders { lines += "\(indent)\(function)_files -d\n" }
        return lines
    }
}
