/// A tool, or one of its commands: what it accepts, what is said about it, and what it does.
public struct Command: Sendable {
    /// The words of a line that are neither options nor their values.
    public struct Operands: Sendable {
        /// How help calls one: `PICTURE`.
        public let name: String
        /// What they are, for the help.
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

    /// `put`; for a tool its own name.
    public let name: String
    /// One sentence.
    public let summary: String
    /// Paragraphs with empty lines between them. Lines that begin with a blank stand as they are.
    public let details: String
    /// Whole command lines.
    public let examples: [String]
    public let operands: Operands
    private let optionLists: @Sendable () -> [[AnyOption]]
    public let subcommands: [Command]
    /// Names under which other programs have it, for suggestions.
    public let synonyms: [String]
    /// Whether help and completions leave it out.
    public let isHidden: Bool
    /// Returns the exit status; nil for a command that only has others below it.
    public let run: (@Sendable (Arguments) throws -> Int32)?

    public init(
        _ name: String, summary: String, details: String = "", examples: [String] = [], operands: Operands = .none,
        options: @escaping @Sendable () -> [[AnyOption]] = { [] }, subcommands: [Command] = [], synonyms: [String] = [],
        isHidden: Bool = false, run: (@Sendable (Arguments) throws -> Int32)? = nil
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.examples = examples
        self.operands = operands
        optionLists = options
        self.subcommands = subcommands
        self.synonyms = synonyms
        self.isHidden = isHidden
        self.run = run
    }

    /// All options that the command accepts. Made anew each time: only the command that runs needs its own.
    public var options: [AnyOption] { optionLists().flatMap(\.self) }

    /// Those that can be typed.
    var typedOptions: [AnyOption] { options.filter(\.isTyped) }

    var visibleSubcommands: [Command] { subcommands.filter { !$0.isHidden } }

    /// The command and all below it, each with the names that lead to it; those that do something.
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

    /// The pieces of `details`, which empty lines part: paragraphs, each on one line, and lines that stand as they are.
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
