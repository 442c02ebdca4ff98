/// A tool or one of its commands, with its options, operands, help and action.
public struct Command: Sendable {
    /// The operands of a command: the words that are neither options nor their values.
    public struct Operands: Sendable {
        /// The name of an operand in the help: `PICTURE`.
        public let name: String
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

    public let name: String
    /// A sentence for the help and the manual.
    public let summary: String
    /// Paragraphs, separated by empty lines. A paragraph that begins with a space is not wrapped.
    public let details: String
    /// Complete command lines, for the help and the manual.
    public let examples: [String]
    public let operands: Operands
    private let optionLists: @Sendable () -> [[AnyOption]]
    public let subcommands: [Command]
    /// Names of this command in other programs. The error for such a name suggests this command.
    public let synonyms: [String]
    /// Whether the command deletes entries that its arguments do not name. Error messages never suggest such a command.
    public let deletesUnnamed: Bool
    /// Commands of another tool. For example, the error for the unknown command `clean` suggests `img-cache clean`.
    public let pointers: [String]
    /// Names of removed subcommands, each with a description of its replacement.
    public let successors: [String: String]
    /// Whether help, manuals and completions omit the command.
    public let isHidden: Bool
    /// Runs the command and returns the exit status; nil for a command that only has subcommands.
    public let run: (@Sendable (Arguments) throws -> Int32)?

    public init(
        _ name: String, summary: String, details: String = "", examples: [String] = [], operands: Operands = .none,
        options: @escaping @Sendable () -> [[AnyOption]] = { [] }, subcommands: [Command] = [], synonyms: [String] = [],
        deletesUnnamed: Bool = false, pointers: [String] = [], successors: [String: String] = [:],
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
        self.deletesUnnamed = deletesUnnamed
        self.pointers = pointers
        self.successors = successors
        self.isHidden = isHidden
        self.run = run
    }

    /// All options that the command accepts. Computed on each use, so that a tool creates only the options of the
    /// command that runs.
    public var options: [AnyOption] { optionLists().flatMap(\.self) }

    /// The options that a user can type; `options` also contains settings.
    var typedOptions: [AnyOption] { options.filter(\.isTyped) }

    var visibleSubcommands: [Command] { subcommands.filter { !$0.isHidden } }

    /// This command and its subcommands at all levels, if they have an action. Each has its path from this command.
    public var tree: [(path: [Command], command: Command)] { tree([]) }

    private func tree(_ above: [Command]) -> [(path: [Command], command: Command)] {
        let path = above + [self]
        return (run == nil ? [] : [(path, self)]) + subcommands.flatMap { $0.tree(path) }
    }

    /// The options that a user can type in any command, without duplicates, in the order of the commands.
    var uniqueOptions: [AnyOption] {
        var seen: Set<ObjectIdentifier> = []
        return tree.filter { !$0.command.isHidden }.flatMap(\.command.typedOptions)
            .filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Splits `details` at empty lines. Joins the lines of each paragraph, unless it begins with a space.
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
    /// The command as a user types it: `img-cache scope switch`.
    public var line: String { map(\.name).joined(separator: " ") }
}
