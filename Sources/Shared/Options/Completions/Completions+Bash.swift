extension Command {
    /// A script that completes the tool's command lines in bash 3.2 and later.
    public var bashCompletion: String {
        bashFunctions + "\n\(shellName)() {\n" + bashLine + bashValues + bashWords
            + "}\n\ncomplete -F \(shellName) \(name)\n"
    }

    private var bashFunctions: String {
        #"""
        # bash completion for \#(name), written by \#(name) --generate complete-bash
        # shellcheck shell=bash

        # Splits the line up to the cursor, without quotes: words has what comes before the word at the cursor. quote is
        # the quote that is still open, and head the part of word that bash takes for a word of its own.
        \#(shellName)_split() {
            local line=${COMP_LINE:0:COMP_POINT} index char started=''
            for ((index = 0; index < ${#line}; index++)); do
                char=${line:index:1}
                if [[ -n $quote && $char == "$quote" ]]; then
                    quote=''
                    continue
                elif [[ $char == \\ && $quote != "'" ]]; then
                    index=$((index + 1))
                    word+=${line:index:1}
                elif [[ -n $quote ]]; then
                    word+=$char
                elif [[ $char == [[:space:]] ]]; then
                    if [[ -n $started ]]; then words+=("$word"); fi
                    word='' head='' started=''
                    continue
                elif [[ $char == "'" || $char == '"' ]]; then
                    quote=$char
                else
                    word+=$char
                    if [[ $char == [:=] && $COMP_WORDBREAKS == *"$char"* ]]; then head=$word; fi
                fi
                started=1
            done
        }

        # Offers those lines of standard input that the word can become, with what is before the value already.
        \#(shellName)_offer() {
            local line text
            while IFS= read -r line; do
                if [[ -z $line || $lead$line != "$word"* || ,$given == *",$line,"* ]]; then continue; fi
                text=$lead$line
                text=${text#"$head"}
                if [[ -z $quote && -z $quotes ]]; then
                    printf -v text %q "$text"
                    text=${text//\\,/,}
                fi
                COMPREPLY+=("$text")
            done
        }

        # The same for the last value of a list with commas.
        \#(shellName)_offer_list() {
            local given=${word#"$lead"}
            given=${given%"${given##*,}"}
            lead+=$given
            compopt -o nospace 2>/dev/null
            \#(shellName)_offer
        }

        # Offers files (-f) or folders (-d). If there are any, bash does the quoting.
        \#(shellName)_files() {
            local line
            while IFS= read -r line; do
                line=$lead$line
                COMPREPLY+=("${line#"$head"}")
                quotes=1
            done < <(compgen "$1" -- "${word#"$lead"}")
            if [[ -n $quotes ]]; then compopt -o filenames 2>/dev/null; fi
        }

        """#
    }

    /// The part that finds out which command, and which option's value, the word at the cursor belongs to.
    private var bashLine: String {
        let paths = completed.map(\.words).filter { !$0.isEmpty }.map { $0.contains(" ") ? "\"\($0)\"" : $0 }
        var script = #"""
                local words=() word='' head='' quote='' quotes='' lead='' given='' command='' option='' operands=''
                local index arg left=0
                COMPREPLY=()
                \#(shellName)_split
                # How many values of the option are still to come is in left.
                for ((index = 1; index < ${#words[@]}; index++)); do
                    arg=${words[index]}
                    if ((left > 0)); then
                        left=$((left - 1))
                        if ((left == 0)); then option=''; fi
                        continue
                    fi
                    option=''
                    if [[ -n $operands ]]; then continue; fi
                    case $arg in
                    --) operands=1 ;;

            """#
        for (count, pattern) in [(1, words { $0.valueCount == 1 }), (2, words(where: \.isPair))] where !pattern.isEmpty
        {
            script += "        \(pattern)) option=$arg left=\(count) ;;\n"
        }
        let optional = words { $0.takesValue && $0.valueCount == 0 }
        if !optional.isEmpty { script += "        \(optional)) option=$arg ;;\n" }
        script += "        -*) ;;\n"
        if !paths.isEmpty {
            script += #"""
                        *)
                            case ${command:+$command }$arg in
                            \#(paths.joined(separator: " | "))) command=${command:+$command }$arg ;;
                            esac
                            ;;

                """#
        }
        return script + #"""
                    esac
                done
                if [[ -z $operands && $left == 0 && $word == --*=* ]]; then
                    option=${word%%=*}
                    lead=$option=
                    left=1
                fi

            """#
    }

    private func words(where condition: (AnyOption) -> Bool) -> String {
        namesakes.map(\.[0]).filter(condition).flatMap(\.words).joined(separator: " | ")
    }

    /// The options of the tool, with those of other commands that are written the same: the script does not look at the
    /// command before it offers values.
    private var namesakes: [[AnyOption]] {
        var groups: [[AnyOption]] = []
        for option in uniqueOptions {
            if let place = groups.firstIndex(where: { $0[0].words == option.words }) {
                groups[place].append(option)
            } else {
                groups.append([option])
            }
        }
        return groups
    }

    /// What is offered for any of these options.
    private static func completion(of options: [AnyOption]) -> Completion {
        var all: [String] = []
        for case .words(let words) in options.map(\.completion) { all += words.filter { !all.contains($0) } }
        return options.count == 1 || all.isEmpty ? options[0].completion : .words(all)
    }

    /// The part that offers the values of the option before the word.
    private var bashValues: String {
        var script = "    case $option in\n"
        for options in namesakes where options[0].takesValue {
            let option = options[0]
            let offer = bashOffer(Self.completion(of: options), indent: "        ")
            if offer.isEmpty { continue }
            script += "    \(option.words.joined(separator: " | ")))\n"
            // The first value of two is an origin.
            script += option.isPair ? "        if ((left == 1)); then\n    \(offer)        fi\n" : offer
            script += "        ;;\n"
        }
        return script + "    esac\n    if ((left > 0)); then return; fi\n"
    }

    /// The part that offers options, commands and operands.
    private var bashWords: String {
        var script = "    case $command in\n"
        for (words, command) in completed.reversed() {
            script += "    \(words.isEmpty ? "*" : "\"\(words)\""))\n"
            let options =
                offeredOptions.filter { $0.commands.contains(words) }.flatMap(\.option.words)
                + ["-h", "--help"] + (words.isEmpty ? ["--version"] : [])
            script += "        if [[ $word == -* && -z $operands ]]; then\n"
            script += bashOffer(.words(options), indent: "            ")
            let names = command.visibleSubcommands.map(\.name) + (words.isEmpty && command.run == nil ? ["help"] : [])
            let offers = [
                command.visibleSubcommands.isEmpty ? "" : bashOffer(.words(names), indent: "            "),
                bashOffer(command.operands.completion, indent: "            "),
            ].joined()
            if !offers.isEmpty { script += "        else\n\(offers)" }
            script += "        fi\n        ;;\n"
        }
        return script + "    esac\n"
    }

    private func bashOffer(_ completion: Completion, indent: String) -> String {
        var lines = ""
        if completion.offersFiles { lines += "\(indent)\(shellName)_files -f\n" }
        if completion == .folders { lines += "\(indent)\(shellName)_files -d\n" }
        let offer = "\(indent)\(shellName)_offer\(completion.isList ? "_list" : "")"
        switch completion.source {
        case .nothing: break
        case .command(_, let line): lines += "\(offer) < <(\(line))\n"
        case .words(let words):
            lines += "\(offer) < <(printf '%s\\n' \(words.map(\.shellQuoted).joined(separator: " ")))\n"
        }
        return lines
    }
}
