import Support
import TestSupport
import Testing

@testable import Options

extension AnyOption {
    fileprivate static let quiet = Option.flag("quiet", short: "q", .messages, summary: "Print errors only.")
    fileprivate static let verbose = Option.flag("verbose", short: "v", .messages, summary: "Also print details.")
    fileprivate static let stale = Option.flag("stale", isNegatable: true, summary: "Use expired entries.")
    fileprivate static let strict = Option.flag("no-nonsense", means: false, field: "nonsense", summary: "Be strict.")
    fileprivate static let jobs = Option.number("jobs", short: "j", .records, in: 1...256, summary: "The jobs.")
    fileprivate static let output = Option.path("output", short: "o", summary: "The output file.")
    fileprivate static let scope = Option<String>(
        "scope", synonyms: ["part"], form: .value("NAME"), group: .cache, summary: "The scope."
    ) { $0 }
    fileprivate static let header = Option.text("header", "HEADER", repeats: true, summary: "A header.")
    fileprivate static let theme = Option.word("theme", "THEME", of: ["light", "dark"], summary: "Colours.")
    fileprivate static let limit = Option.size("limit", such: "1MB", summary: "The size limit.")
    fileprivate static let wait = Option.time("wait", such: "2s", summary: "The longest wait.")
    fileprivate static let date = Option<String>(
        "date", form: .optionalValue("DAY", implied: "today"), expected: "a day", group: .own, repeats: true,
        summary: "The day.", takesMore: { !$0.hasPrefix("-") }
    ) { $0 }
    fileprivate static let names = Option<String>(
        "names", form: .value("NAMES"), expected: "names", group: .own, repeats: true, summary: "Names.",
        takesMore: { $0.allSatisfy(\.isLetter) }
    ) { $0 }
    fileprivate static let unseen = Option<String>(
        "unseen", form: .none, expected: "a text", group: .own, field: "unseen", summary: "Only in the file."
    ) { $0 }
}

/// Parsing of command lines.
struct CommandLineTests {
    private static let common: [AnyOption] = [.quiet, .verbose, .scope]
    private static let tool = Command(
        "tool", summary: "Do things.",
        subcommands: [
            Command(
                "put", summary: "Put things.", operands: .init("THING", "things"),
                options: {
                    [
                        [.stale, .strict, .jobs, .output, .header, .theme, .limit, .wait, .date, .names],
                        [.unseen], common,
                    ]
                }, synonyms: ["add"]
            ) { _ in 0 },
            Command("list", summary: "List things.", options: { [common] }, synonyms: ["ls"]) { _ in 0 },
            Command(
                "scope", summary: "Manage scopes.",
                subcommands: [
                    Command(
                        "switch", summary: "Use a scope.", operands: .init("NAME", "a name", atLeast: 1, atMost: 1),
                        options: { [common] }
                    ) { _ in 0 }
                ]),
            Command("secret", summary: "Hidden command.", isHidden: true) { _ in 0 },
        ])

    private func arguments(_ words: String...) throws -> Arguments { try arguments(words) }

    private func arguments(_ words: [String]) throws -> Arguments {
        guard case .run(_, let arguments) = try Self.tool.request(words) else { throw UsageFailure("does not run") }
        return arguments
    }

    private func refusal(_ words: String...) -> String { message { _ = try Self.tool.request(words) } ?? "taken" }

    // MARK: Options

    @Test(arguments: [
        ["--jobs", "2"], ["--jobs=2"], ["-j", "2"], ["-j2"], ["-qj2"], ["-vj", "2"], ["--jobs", "9", "-j2"],
    ])
    func optionValueMayBeWrittenInSeveralForms(_ words: [String]) throws {
        let arguments = try arguments(["put"] + words + ["a"])
        #expect(arguments[.jobs] == 2)
        #expect(arguments.operands == ["a"])
        #expect(arguments.text(.jobs) == "2")
    }

    @Test func flagsAreCombined() throws {
        let arguments = try arguments("put", "-qv")
        #expect(arguments[.quiet] && arguments[.verbose])
        #expect(try !self.arguments("put")[.quiet])
    }

    @Test func valueMayBeAttachedToItsShortOption() throws {
        #expect(try arguments("put", "-osmall.jpg")[.output] == "small.jpg")
        #expect(try arguments("put", "-o", "-")[.output] == "-")
        #expect(try arguments("put", "-o-")[.output] == "-")
    }

    @Test func lastValueIsUsedUnlessTheOptionIsRepeatable() throws {
        #expect(try arguments("put", "--scope", "a", "--scope=b")[.scope] == "b")
        #expect(try arguments("put", "--no-stale", "--stale")[.stale])
        #expect(try !arguments("put", "--stale", "--no-stale")[.stale])
        #expect(try arguments("put", "--header", "a", "--header", "b").all(.header) == ["a", "b"])
    }

    @Test func synonymOfAnOptionIsAnsweredWithASuggestion() throws {
        #expect(refusal("put", "--part", "a") == "64 unknown option --part; did you mean --scope? See tool put --help")
        #expect(try !arguments("put", "--no-nonsense")[.strict])
    }

    @Test func optionsMayPrecedeOrFollowCommandsAndOperands() throws {
        for words in [
            ["put", "--scope", "a", "x", "-q"], ["--scope", "a", "-q", "put", "x"], ["--scope=a", "put", "-q", "x"],
            ["-q", "--scope", "a", "put", "x"], ["--scope", "put", "put", "x", "-q", "--scope", "a"],
        ] {
            let arguments = try arguments(words)
            #expect(arguments[.scope] == "a" && arguments[.quiet] && arguments.operands == ["x"], "\(words)")
        }
        #expect(try arguments("scope", "-q", "switch", "b").path.line == "tool scope switch")
    }

    @Test func wordsAfterTwoDashesAreOperands() throws {
        let arguments = try arguments("put", "-q", "--", "-v", "--scope", "help", "--")
        #expect(arguments.operands == ["-v", "--scope", "help", "--"])
        #expect(!arguments[.verbose])
    }

    @Test func singleDashIsAnOperand() throws {
        #expect(try arguments("put", "-", "a").operands == ["-", "a"])
    }

    @Test func valueThatLooksLikeAnOptionNeedsAnEqualsSign() throws {
        #expect(refusal("put", "--scope", "--quiet").contains("--scope=--quiet"))
        #expect(try arguments("put", "--scope=--quiet")[.scope] == "--quiet")
        #expect(try arguments("put", "--header", "-90")[.header] == "-90")
    }

    @Test func nextWordIsTheOptionalValueIfItIsValid() throws {
        #expect(try arguments("put", "--date").all(.date) == ["today"])
        #expect(try arguments("put", "--date", "-q").all(.date) == ["today"])
        #expect(try arguments("put", "--date", "2024", "--date").all(.date) == ["2024", "today"])
        #expect(try arguments("put", "--date=2024", "x").operands == ["x"])
    }

    @Test func listOptionTakesFurtherValidWords() throws {
        let arguments = try arguments("put", "--names", "a,b", "c", "https://x", "d")
        #expect(arguments.all(.names) == ["a,b", "c"])
        #expect(arguments.operands == ["https://x", "d"])
    }

    // MARK: Errors

    @Test func unknownOptionIsRefusedWithASuggestion() {
        #expect(refusal("put", "--job", "2") == "64 unknown option --job; did you mean --jobs? See tool put --help")
        #expect(refusal("put", "--hepl").contains("did you mean --help?"))
        #expect(refusal("put", "--versio").contains("did you mean --version?"))
        #expect(refusal("put", "--zzzzzz") == "64 unknown option --zzzzzz; see tool put --help")
        #expect(refusal("put", "-jobs").contains("--jobs takes") || refusal("put", "-jobs").contains("-j takes"))
        #expect(refusal("put", "-x").hasPrefix("64 unknown option -x"))
    }

    @Test func optionOfAnotherCommandIsUnknown() {
        #expect(refusal("list", "--jobs", "2").hasPrefix("64 unknown option --jobs"))
        #expect(refusal("--jobs", "2", "list").hasPrefix("64 unknown option --jobs"))
        #expect(
            refusal("put", "--unseen", "x")
                == "64 unknown option --unseen; the setting unseen has no option: set APOD_TOOLS_UNSEEN, or unseen in the "
                + "configuration file")
    }

    @Test func invalidValueIsReportedWithTheValidValues() {
        #expect(refusal("put", "--jobs", "0") == "64 --jobs takes a number from 1 to 256, not \"0\"")
        #expect(refusal("put", "-jx") == "64 -j takes a number from 1 to 256, not \"x\"")
        #expect(refusal("put", "--theme", "drak") == "64 --theme takes light or dark, not \"drak\"; did you mean dark?")
        #expect(refusal("put", "--limit", "many").contains("a size such as 1MB"))
        #expect(refusal("put", "--wait=x").contains("a duration such as 2s"))
        #expect(refusal("put", "-o", "") == "64 -o takes a file, not \"\"")
        #expect(refusal("put", "--jobs") == "64 --jobs needs a value: N; see tool put --help")
        #expect(refusal("put", "--quiet=yes") == "64 --quiet takes no value; see tool put --help")
    }

    @Test func wrongNumberOfOperandsIsRefused() {
        #expect(refusal("list", "x") == "64 unexpected argument \"x\"; see tool list --help")
        #expect(refusal("scope", "switch") == "64 missing argument NAME, a name; see tool scope switch --help")
        #expect(refusal("scope", "switch", "a", "b").hasPrefix("64 unexpected argument \"b\""))
    }

    @Test func unknownCommandIsRefusedWithASuggestion() {
        #expect(refusal("pt") == "64 unknown command \"pt\"; did you mean put?")
        #expect(refusal("nonsense") == "64 unknown command \"nonsense\"; commands: put, list, scope")
        #expect(refusal("--nonsense", "3", "put").hasPrefix("64 unknown option --nonsense"))
        #expect(refusal("ls").hasSuffix("did you mean list?"))
        #expect(refusal("add").hasSuffix("did you mean put?"))
        #expect(refusal("scope", "swich").contains("\"scope swich\""))
        #expect(refusal() == "64 no command; use put, list, scope; see tool --help")
        #expect(refusal("scope") == "64 no command; use switch; see tool scope --help")
        #expect(refusal("help", "nope").hasPrefix("64 unknown command \"nope\""))
        #expect(refusal("help", "scope", "nope").hasPrefix("64 unknown command \"scope nope\""))
    }

    // MARK: Help

    private func help(_ words: String...) throws -> String? {
        guard case .help(let path, let isShort) = try Self.tool.request(words) else { return nil }
        return path.line + (isShort ? " short" : "")
    }

    @Test func helpDescribesTheNamedCommand() throws {
        #expect(try help("--help") == "tool")
        #expect(try help("-h") == "tool short")
        #expect(try help("help") == "tool")
        #expect(try help("help", "put") == "tool put")
        #expect(try help("help", "scope", "switch") == "tool scope switch")
        #expect(try help("put", "x", "--help") == "tool put")
        #expect(try help("put", "-qh") == "tool put short")
        #expect(try help("--help", "put") == "tool put")
        #expect(try help("scope", "--help") == "tool scope")
    }

    @Test func helpTakesPrecedenceOverErrors() throws {
        #expect(try help("put", "--nonsense", "--help") == "tool put")
        #expect(try help("put", "--jobs", "x", "-h") == "tool put short")
        #expect(try help("nonsense", "--help") == "tool")
        #expect(try help("put", "--", "--help") == nil)
    }

    @Test func versionIsRecognisedAnywhereOnTheLine() throws {
        for words in [["--version"], ["put", "--version"], ["put", "x", "--version"]] {
            guard case .version = try Self.tool.request(words) else {
                Issue.record("\(words) is not a request for the version")
                continue
            }
        }
    }

    // MARK: Pages

    @Test func helpListsEveryOptionWithin78Columns() {
        for (path, command) in Self.tool.tree where !command.isHidden {
            let full = Command.fullHelp(path, exitStatus: "0 done")
            let short = Command.shortHelp(path)
            #expect((full + short).split(separator: "\n").allSatisfy { $0.count <= 78 })
            for option in command.options where option.isTyped {
                #expect(full.contains("--\(option.name)"), "\(path.line) --\(option.name)")
                #expect(short.contains("--\(option.name)") || short.contains("-\(option.short ?? " ")"))
            }
            #expect(!full.contains("unseen") && !full.contains("Hidden command"))
        }
        #expect(Command.fullHelp([Self.tool], exitStatus: "0 done").contains("EXIT STATUS\n  0 done"))
    }
}
