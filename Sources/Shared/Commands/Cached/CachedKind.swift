import CacheTools
import Libc
import Options
import Records
import Store
import Support

/// The kind of entries of a tool: pictures of `img-cache` or GIFs of `gif-cache`. Both tools have the commands below,
/// which differ only in these properties.
public struct CachedKind: Sendable {
    /// The singular noun for the help, such as `picture`.
    let name: String
    /// The file name in the advice to redirect output from a terminal to a file.
    let file: String
    let operands: Command.Operands
    /// The options that determine how records and arguments name entries.
    let options: @Sendable () -> [AnyOption]
    let naming: @Sendable (ToolContext, CacheSettings) throws -> any EntryNaming
    let items: @Sendable (Arguments) -> InputItems

    public init(
        _ name: String, file: String, operands: Command.Operands, options: @escaping @Sendable () -> [AnyOption],
        naming: @escaping @Sendable (ToolContext, CacheSettings) throws -> any EntryNaming,
        items: @escaping @Sendable (Arguments) -> InputItems
    ) {
        self.name = name
        self.file = file
        self.operands = operands
        self.options = options
        self.naming = naming
        self.items = items
    }

    private var names: String { name + "s" }

    public func get(examples: [String]) -> Command {
        Command(
            "get", summary: "Return the paths of cached \(names), without the network.",
            details: "For a \(name) that is not in the cache, writes a record with an error, and exits with status 1.",
            examples: examples, operands: operands, options: { [[.noStale], options(), .copies, .stream, .common] },
            synonyms: ["show", "find", "lookup"]
        ) { arguments in
            var copies: OriginalCopies?
            let lookup = try CacheLookup(self, arguments, .looking) { copies = try $0.copies(&$1) }
            var tool = GetTool(caches: lookup.caches, naming: lookup.naming, takesExpired: !arguments[.noStale])
            tool.copies = copies
            return try lookup.run(tool)
        }
    }

    public func has(examples: [String]) -> Command {
        Command(
            "has", summary: "Check whether \(names) are in the cache: exit status 0 if all are, else 1.",
            examples: examples, operands: operands, options: { [[.noStale], options(), [.nullData], .common] },
            synonyms: ["exists", "test"]
        ) { arguments in
            try CacheLookup(self, arguments, .looking).areAllThere(takesExpired: !arguments[.noStale])
        }
    }

    public func path(examples: [String]) -> Command {
        Command(
            "path", summary: "Print the paths of cached \(names), one per line.",
            examples: examples, operands: operands,
            options: { [options(), [.nullData, .nullTerminated], .common] }, synonyms: ["where", "which"]
        ) { arguments in
            let lookup = try CacheLookup(self, arguments, .looking)
            let output = try TextOutput.standard()
            return try lookup.forEachItem {
                try output.write(line: lookup.find($0).entry.path.pathBytes, endedBy: arguments.terminator)
            }
        }
    }

    public func cat(examples: [String]) -> Command {
        Command(
            "cat", summary: "Write the bytes of \(names) to standard output.",
            details: "Refuses to write to a terminal.",
            examples: examples, operands: operands, options: { [options(), [.nullData], .common] }
        ) { arguments in
            let output = try File.pictureOutput(example: file)
            let lookup = try CacheLookup(self, arguments, .looking)
            return try lookup.forEachItem { try File.open(lookup.find($0).entry.path, O_RDONLY).copy(to: output) }
        }
    }

    public func pin(examples: [String]) -> Command {
        Command(
            "pin", summary: "Pin \(names), so that they are never evicted or cleaned.",
            details: """
                A pinned \(name) still expires, and is then requested again. For a \(name) that is not in the cache, \
                writes a record with an error, and exits with status 1.
                """,
            examples: examples, operands: operands, options: { [options(), .stream, .common] }
        ) { try setPinned(true, $0) }
    }

    public func unpin(examples: [String]) -> Command {
        Command(
            "unpin", summary: "Unpin \(names), so that they can be evicted or cleaned again.",
            examples: examples, operands: operands, options: { [options(), .stream, .common] }
        ) { try setPinned(false, $0) }
    }

    private func setPinned(_ isPinned: Bool, _ arguments: Arguments) throws -> Int32 {
        let lookup = try CacheLookup(self, arguments)
        return try lookup.run(GetTool(caches: lookup.caches, naming: lookup.naming, pins: isPinned))
    }
}
