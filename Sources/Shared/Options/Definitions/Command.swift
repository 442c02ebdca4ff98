/// A tool, or one of its commands: its options and operands, its help, and its action.
public struct Command: Sendable {
    /// The words of a command line that are neither options nor their values.
    public struct Operands: Sendable {
        /// The name of an operand in the help: `PICTURE`.
        public let name: String
        /// A description for the help.
        public let summary: String
        public let completion: Completion
        public let atLeast: Int
        public let atMost: Int

        public init(
            _ name: String, _ summary: String, completion: Completion = .none, atLeast: Int = 0, atMost: Int = .max
        ) {
            self.name = name
            self.summary = summary
            self.completion = completion
            self.atLeast = atLeast
            self.atMost = atMost
        }

        public static let none = Operands("", "", atMost: 0)
    }

    /// `put`; for a tool, its own name.
    public let name: String
    /// A sentence.
    public let summary: String
    /// Paragraphs, separated by empty lines. Lines that begin with a blank are kept as they are.
    public let details: String
    /// Whole command lines.
    public let examples: [String]
    public let operands: Operands
    private let optionLists: @Sendable () -> [[AnyOption]]
    public let subcommands: [Command]
    /// Names of the command in other programs, for suggestions.
    public let synonyms: [String]
    /// Whether it deletes things that its arguments do not name. Such a command is never suggested.
    public let deletesUnnamed: Bool
    /// Commands of another tool for words that this tool does not know: `img-cache clean` for `clean`.
    public let pointers: [String]
    /// Former subcommands, each with a description of its replacement.
    public let successors: [String: String]
    /// Whether help and completions omit it.
    public let isHidden: Bool
    /// Runs the command and returns the exit status; nil for a command that only has subcommands.
    public let run: (@Sendable (Arguments) throws -> Int32)?

    public init(
        _ name: String, summary: String, details: String = "", examples: [String] = [], operands: Operands = .none,
        options: @escaping @Sendable () -> [[AnyOption]] = { [] }, subcommands: [Command] = [], synonyms: [String] = [],
        deletesUnnamed: Bool = false, pointers: [String] = [], successors: [String: String] = [:],
        isHidden: Bool = false,
        run: (@Sendable (Arguments) throws -> Int32)? = nil
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.examples = examples
        self.operands = operands
        optionLists = options
        self.subcommands = subcommands
        self.synonyms = synonyms
        self.deletesUnnamed = deletesUnnamed
        self.pointers = pointers
        self.successors = successors
        self.isHidden = isHidden
        self.run = run
    }

    /// All options that the command accepts. Made each time, since only the command that runs needs its own.
    public var options: [AnyOption] { optionLists().flatMap(\.self) }

    /// The options that can be typed.
    var typedOptions: [AnyOption] { options.filter(\.isTyped) }

    var visibleSubcommands: [Command] { subcommands.filter { !$0.isHidden } }

    /// The command and all commands below it that can be run, each with the commands that lead to it.
    public var tree: [(path: [Command], command: Command)] { tree([]) }

    private func tree(_ above: [Command]) -> [(path: [Command], command: Command)] {
        let path = above + [self]
        return (run == nil ? [] : [(path, self)]) + subcommands.flatMap { $0.tree(path) }
    }

    /// All options of the tool that can be typed, each once, in the order of their first command.
    var uniqueOptions: [AnyOption] {
        var seen: Set<ObjectIdentifier> = []
        return tree.filter { !$0.command.isHidden }.flatMap(\.command.typedOptions)
            .filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The blocks of `details`: paragraphs, each joined to one line, and blocks that are kept as they are.
    static func blocks(of details: String) -> [String] {
        var blocks: [String] = []
        var current: [Substring] = []
        let lines = details.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines + [Substring()] {
            if !line.isEmpty {
                current.append(line)
            } else if let first = current.first {
                blocks.append(current.joined(separator: first.hasPrefix(" ") ? "\n" : " "))
                current = []
            }
        }
        return blocks
    }
}

extension [Command] {
    /// The words that a user types for the command: `img-cache scope switch`.
    public var line: String { map(\.name).joined(separator: " ") }
}
