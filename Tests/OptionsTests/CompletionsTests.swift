import Support
import Testing

@testable import Options

extension AnyOption {
    fileprivate static let colour = Option.word("colour", "NAME", of: ["red", "green", "grey"], summary: "The colour.")
    fileprivate static let sizes = Option.text(
        "sizes", "LIST", completion: .list(["small", "medium", "large"]), summary: "The sizes.")
    fileprivate static let scope = Option.text("scope", "NAME", completion: .scopes, summary: "The scope.")
    fileprivate static let input = Option.path("input", short: "i", summary: "The input file.")
    fileprivate static let folder = Option.path("folder", isFolder: true, summary: "The output folder.")
    fileprivate static let quiet = Option.flag("quiet", short: "q", isNegatable: true, summary: "Print\nnothing.")
    fileprivate static let tag = Option.text("tag", "TEXT", repeats: true, summary: "Any text.")
}

/// The output of `TOOL --complete`.
struct CompletionsTests {
    private static let tool = Command(
        "tool", summary: "Do things.",
        subcommands: [
            Command(
                "put", summary: "Put.", operands: .init("PICTURE", "Pictures.", completion: .pictures),
                options: { [[.colour, .sizes, .input, .folder, .tag], [.scope, .quiet]] }
            ) { _ in 0 },
            Command(
                "play", summary: "Play.", operands: .init("GIF", "GIFs.", completion: .filesEnding(["gif", "apng"])),
                options: { [[.scope, .quiet]] }
            ) { _ in 0 },
            Command(
                "scope", summary: "Scopes.",
                subcommands: [
                    Command("list", summary: "List scopes.", options: { [[.scope, .quiet]] }) { _ in 0 },
                    Command(
                        "switch", summary: "Use a scope.",
                        operands: .init("NAME", "A scope.", completion: .scopes, atMost: 1),
                        options: { [[.scope, .quiet]] }
                    ) { _ in 0 },
                ]),
            Command("secret", summary: "Hidden command.", isHidden: true) { _ in 0 },
        ])

    /// Returns the candidates of a kind. Each key ends with the value of `--scope`.
    private static func values(_ kind: Completion, _ line: Arguments, _ beginning: String) -> [String] {
        switch kind {
        case .scopes: ["work & play", "default"]
        case .keys: ["key:b", "key:a one", "https://example.org/"].map { $0 + (line[.scope] ?? "") }
        default: []
        }
    }

    private func answer(_ words: [String]) -> (directive: String, words: [String]) {
        let lines = Self.tool.completions(of: words, values: Self.values).text.split(separator: "\n").map(String.init)
        return (lines[0], lines.dropFirst().map { String($0.prefix { $0 != "\t" }) })
    }

    private static let keys = ["https://example.org/", "key:a one", "key:b"]
    private static let table: [(line: [String], directive: String, words: [String])] = [
        // Commands.
        ([], ":", ["put", "play", "scope", "help"]),
        ([""], ":", ["put", "play", "scope", "help"]),
        (["p"], ":", ["put", "play"]),
        (["scope", ""], ":", ["list", "switch"]),
        (["--scope", "x", "pl"], ":", ["play"]),
        (["--scope=x", "pl"], ":", ["play"]),
        (["help", "pl"], ":", ["play"]),
        (["help", "put", ""], ":", []),
        (["unknown", ""], ":", []),
        (["secret", "--"], ":", ["--help"]),
        // Options of the command, or common to all commands. Only a repeatable option is offered again.
        (["--"], ":", ["--scope", "--quiet", "--no-quiet", "--help", "--version"]),
        (["-"], ":", ["--scope", "-q", "--quiet", "--no-quiet", "-h", "--help", "--version"]),
        (["play", "--s"], ":", ["--scope"]),
        (["play", "--scope", "x", "--s"], ":", []),
        (["put", "--tag", "x", "--t"], ":", ["--tag"]),
        (["put", "--unknown", "--col"], ":", ["--colour"]),
        (["put", "-i"], ":", ["-i"]),
        // Values.
        (["put", "--colour", ""], ":", ["red", "green", "grey"]),
        (["put", "--colour", "gr"], ":", ["green", "grey"]),
        (["put", "--colour=gr"], ":", ["--colour=green", "--colour=grey"]),
        (["put", "--colour=blue"], ":", []),
        (["put", "--sizes", ""], ":nospace", ["small", "medium", "large"]),
        (["put", "--sizes", "small,"], ":nospace", ["small,medium", "small,large"]),
        (["put", "--sizes=large,small,m"], ":nospace", ["--sizes=large,small,medium"]),
        (["put", "--tag", ""], ":", []),
        (["put", "--quiet=t"], ":", []),
        (["put", "--unknown=t"], ":", []),
        (["--scope", ""], ":", ["default", "work & play"]),
        (["--scope", "W"], ":", []),
        (["put", "--scope=w"], ":", ["--scope=work & play"]),
        // Files.
        (["put", "--input", ""], ":files", []),
        (["put", "-i", ""], ":files", []),
        (["put", "-qi", ""], ":files", []),
        (["put", "--input=a"], ":files", []),
        (["put", "--folder", ""], ":folders", []),
        (["play", "a"], ":files gif apng", []),
        // Arguments.
        (["put", ""], ":files", keys),
        (["put", "one", ""], ":files", keys),
        (["put", "key:"], ":", ["key:a one", "key:b"]),
        (["put", "12:30.png"], ":files", []),
        (["put", "--scope", "x", "key:b"], ":", ["key:bx"]),
        (["put", "--scope", "x", "--scope", "y", "key:b"], ":", ["key:by"]),
        (["put", "--", "--col"], ":files", []),
        (["put", "--", "key:a"], ":", ["key:a one"]),
        (["scope", "switch", "d"], ":", ["default"]),
        (["scope", "switch", "default", ""], ":", []),
        (["scope", "list", ""], ":", []),
    ]

    @Test(arguments: table.indices) func wordAtTheCursorIsCompleted(row: Int) {
        let row = Self.table[row]
        let answer = answer(row.line)
        #expect(answer.directive == row.directive && answer.words == row.words, "\(row.line)")
    }

    @Test func descriptionFollowsTheWordAfterATab() {
        let text = Self.tool.completions(of: ["play", "--q"], values: Self.values).text
        #expect(text == ":\n--quiet\tPrint nothing.\n")
    }

    @Test func namesWithInvisibleCharactersAreOmitted() {
        let names = ["line\nfeed", "tab\t", "escape\u{1B}[2J", "\u{7F}", "c1\u{9B}", "mars\u{202E}", "plain é 🌌"]
        let text = Self.tool.completions(of: ["--scope", ""]) { _, _, _ in names }.text
        #expect(text == ":\nplain é 🌌\n")
    }

    @Test func candidatesAreComparedByBytes() {
        let text = Self.tool.completions(of: ["--scope", "e\u{301}"]) { _, _, _ in ["\u{E9}a", "e\u{301}b"] }.text
        #expect(text == ":\ne\u{301}b\n")
    }

    @Test func limitedListKeepsTheCommonPrefixOfAllCandidates() {
        let names = (0..<3000).map { "key:a\($0)" } + ["key:b"]
        let words = Self.tool.completions(of: ["put", "key:"]) { _, _, _ in names }.words.map(\.text)
        #expect(words.count == Candidates.limit && words.last == "key:b")
    }
}
