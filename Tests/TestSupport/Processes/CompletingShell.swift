import Support

/// A shell for tests of completions.
public enum CompletingShell: String, CaseIterable, Sendable {
    case bash, zsh, fish

    /// Whether the shell is installed. If not, warns once per run that its tests are skipped.
    public var isPresent: Bool { Self.present.contains(self) }

    private static let present: Set<CompletingShell> = Set(
        allCases.filter { shell in
            if (try? run("/usr/bin/env", [shell.rawValue, "-c", "exit 0"]))?.status == 0 { return true }
            Log.standardError(
                "\n*** NO \(shell.rawValue.uppercased()): the tests of completions in \(shell) are SKIPPED.\n"
                    + "*** Install it (scripts/setup --with-tests) to run them.\n\n")
            return false
        })

    /// Whether tests can type into the shell, which needs a controlling terminal.
    public var canBeTypedIn: Bool { isPresent && Self.hasTerminals }

    private static let hasTerminals: Bool = {
        if (try? run("/usr/bin/env", ["setsid", "--version"]))?.status == 0 { return true }
        Log.standardError("\n*** NO SETSID: the tests that type completions on a terminal are SKIPPED.\n\n")
        return false
    }()

    /// An offered completion: a word, and its description (not in bash).
    public struct Offer: Sendable, Hashable {
        public let word: String
        public let description: String
    }

    /// Returns the completions that the shell offers at the end of each line, as whole words without quotes; the final
    /// slash of folders is omitted.
    ///
    /// - Parameter folder: the folder of the scripts `apod-tools.bash`, `_apod-tools` and `apod-tools.fish`.
    public func offers(_ lines: [String], scripts folder: String, in home: ToolHome) throws -> [[Offer]] {
        let words: [String]
        // The scripts are not in the working folder, whose files are offered.
        switch self {
        case .bash: words = ["bash", "--norc", "--noprofile", try home.folder.write("complete.bash", Self.bashScript)]
        case .zsh:
            words = ["zsh", "-f", try home.folder.write("complete.zsh", Self.zshScript), home.folder.path("zcompdump")]
        case .fish: words = ["fish", "--no-config", try home.folder.write("complete.fish", Self.fishScript)]
        }
        let output = try home.run("/usr/bin/env", words + [folder] + lines).expect(0)
        var offers: [[Offer]] = [[]]
        for line in output.stdout.split(separator: "\n") {
            if line == "--end--" {
                offers.append([])
                continue
            }
            let columns = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            var word = String(columns[0]).replacing(text: "\\", with: "")
            if word.hasSuffix("/"), !word.hasSuffix("//") { word.removeLast() }
            let offer = Offer(word: word, description: columns.count > 1 ? String(columns[1]) : "")
            if !offers[offers.count - 1].contains(offer) { offers[offers.count - 1].append(offer) }
        }
        return offers.dropLast()
    }

    /// Types each line and then Tab and Enter on a terminal, and returns the arguments that the shell passes to
    /// `img-cache`. Does not run the real `img-cache`.
    public func arguments(typing lines: [String], scripts folder: String, in home: ToolHome) throws -> [[String]] {
        let (file, setup) =
            switch self {
            case .bash: ("typing.bash", Self.bashSetup)
            case .zsh: (".zshrc", Self.zshSetup)
            case .fish: ("typing.fish", Self.fishSetup)
            }
        let path = try home.folder.write(file, setup)
        let options =
            switch self {
            case .bash: ["--noprofile", "--rcfile", path, "-i"]
            case .zsh: ["-d", "-i"]
            case .fish: ["--no-config", "--init-command", "source \(path)", "-i"]
            }
        let log = home.folder.path("arguments")
        let shell = try home.start(
            "/usr/bin/env", ["setsid", "--ctty", "--wait", rawValue] + options, stdin: .terminal,
            environment: ["SCRIPTS": folder, "LOG": log, "ZDOTDIR": home.folder.path(""), "TERM": "xterm"])
        for (count, line) in (lines.map { $0 + "\t\r" } + ["exit\r"]).enumerated() {
            guard shell.waitForErrors("ready \(count).") else { break }
            shell.write(line)
        }
        try shell.wait().expect(0)
        let words = try String(decoding: TestFile.bytes(log), as: UTF8.self).split(
            separator: "\0", omittingEmptySubsequences: false)
        return words.dropLast().split(separator: "--end--").map { $0.map(String.init) }
    }

    private static let bashSetup = #"""
        . "$SCRIPTS/apod-tools.bash"
        img-cache() { printf '%s\0' "$@" --end-- >>"$LOG"; count=$((count + 1)); }
        count=0 PROMPT_COMMAND='echo "ready $count." >&2'
        bind 'set enable-bracketed-paste off'
        """#

    private static let zshSetup = #"""
        fpath=($SCRIPTS $fpath)
        autoload -U compinit
        compinit -u -d $LOG.zcompdump
        img-cache() { printf '%s\0' "$@" --end-- >>$LOG; count=$((count + 1)) }
        count=0
        precmd() { print -u2 "ready $count." }
        unsetopt beep
        """#

    private static let fishSetup = #"""
        source $SCRIPTS/apod-tools.fish
        set -g count 0
        function img-cache
            printf '%s\0' $argv --end-- >>$LOG
            set -g count (math $count + 1)
        end
        function fish_prompt
            echo "ready $count." >&2
        end
        """#

    /// Calls the completion function of the tool, like bash.
    private static let bashScript = #"""
        folder=$1
        shift
        COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
        for line in "$@"; do
            tool=${line%% *}
            source "$folder/apod-tools.bash" || exit
            COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9 COMP_KEY=9 COMPREPLY=()
            read -ra COMP_WORDS <<<"$line"
            if [[ $line == *' ' ]]; then COMP_WORDS+=(''); fi
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            function=$(complete -p "$tool")
            function=${function##*-F }
            "${function%% *}" "$tool" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            # bash replaces only the text after the last of these characters.
            word=${line##* }
            for reply in "${COMPREPLY[@]}"; do printf '%s\n' "${word%"${word##*[:=]}"}$reply"; done
            echo --end--
        done
        """#

    /// Presses Tab in a shell on a new terminal, and records the words that its completion functions pass to `compadd`.
    private static let zshScript = #"""
        zmodload zsh/zpty
        dump=$1 folder=$2
        shift 2
        cat > $dump.setup <<END
        PROMPT= RPROMPT= OUT=$dump.out
        # A narrow terminal would truncate descriptions.
        stty columns 1000
        fpath=($folder \$fpath)
        autoload -U compinit
        compinit -u -d $dump
        END
        cat >> $dump.setup <<'END'
        setopt zle
        unsetopt beep
        compadd() {
            # Some functions call compadd only to find out which words match.
            if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
                builtin compadd "$@"
                return
            fi
            local -a words texts
            local place=${@[(i)-*d]} index
            if (( place < $# )) && [[ $@[place] != --* ]]; then texts=("${(@P)@[place+1]}"); fi
            builtin compadd -A words -D texts "$@"
            for (( index = 1; index <= $#words; index++ )); do
                print -r -- "$IPREFIX$words[index]"$'\t'"$texts[index]" >> $OUT
            done
            builtin compadd "$@"
        }
        finish() { exit }
        comppostfuncs=(finish)
        bindkey '^I' complete-word
        print rea''dy
        END
        for line in "$@"; do
            : > $dump.out
            zpty shell zsh -f -i
            zpty -w shell "source $dump.setup"
            while zpty -r shell text; do [[ $text == *ready* ]] && break; done
            zpty -w -n shell "$line"$'\t'
            while zpty -r shell text; do :; done
            zpty -d shell
            cat $dump.out
            print -- --end--
        done
        """#

    private static let fishScript = #"""
        source $argv[1]/apod-tools.fish; or exit
        for line in $argv[2..-1]
            complete -C $line
            echo --end--
        end
        """#
}
