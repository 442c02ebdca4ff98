import ArgumentParser
import Cache
import Commands
import Records
import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

struct ScopeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scope",
        abstract: "Look after scopes: parts of the cache that share nothing.",
        discussion: """
            A run that names no scope uses the current one: --scope, APOD_TOOLS_SCOPE, the configuration file, the one \
            last switched to, default, in this order.

            EXAMPLES
              img-cache scope list
              img-cache scope switch alice
              img-cache scope purge bob --wait
            """,
        subcommands: [
            ScopeListCommand.self, ScopeCurrentCommand.self, ScopeSwitchCommand.self, ScopePurgeCommand.self,
            ScopeFinishCommand.self,
        ])
}

struct ScopeListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List all scopes with what they hold; a star marks the current one.",
        discussion: """
            EXAMPLES
              img-cache scope list
              img-cache scope list --json | jq -r 'select(.entries == 0).scope'
            """)

    @OptionGroup var common: CommonOptions

    @Flag(help: "Write NDJSON also to a terminal.")
    var json = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let caches = try common.caches(context)
        context.confine(caches.settings, .looking)
        let scopes = try caches.scopes()
        // Who looks from within a named scope takes that for the current one.
        let current = try caches.scope()
        let width = scopes.map { $0.name.shown.count }.max() ?? 0
        let output = try ReportOutput(json: json)
        for scope in scopes {
            let (name, isCurrent) = (scope.name.shown, scope.name == current)
            let line = "\(isCurrent ? "*" : " ") \(name)\(String(repeating: " ", count: width - name.count))"
                + "  \(scope.contents.words), generation \(scope.generation)"
            try output.write(
                .object([
                    "scope": .string(scope.name.text), "entries": .integer(scope.contents.entries),
                    "bytes": .integer(scope.contents.bytes), "generation": .integer(Int(scope.generation)),
                    "current": .bool(isCurrent), "purge_pending": .bool(scope.isPurgePending),
                ]), scope.isPurgePending ? line + ", purge pending\n" : line + "\n")
        }
    }
}

struct ScopeCurrentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "current",
        abstract: "Print the name of the current scope.",
        discussion: """
            With --json it says also where the name comes from: option, environment, configuration, switched or \
            default.

            EXAMPLES
              test "$(img-cache scope current)" = alice
            """)

    @OptionGroup var common: CommonOptions

    @Flag(help: "Write a JSON object that says also where the name comes from.")
    var json = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let caches = try common.caches(context)
        context.confine(caches.settings, .looking)
        let cache = try caches.cache()
        let source = try common.scopeSource(context) ?? (cache.scopeSwitchedTo() == nil ? .default : .switched)
        let object = JSON.object(["scope": .string(cache.scope.text), "source": .string(source.rawValue)])
        // The bare name also into a pipe: a script that asks for it wants nothing else.
        let name = Terminal.isTerminal(1) ? cache.scope.shown : cache.scope.text
        try File(descriptor: 1, path: "standard output", closes: false)
            .write((json ? object.bytes : Array(name.utf8)) + [UInt8(ascii: "\n")])
    }
}

struct ScopeSwitchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Make another scope the current one, and empty the one that was.",
        discussion: """
            Downloads for the old scope end in every process, with status 75. Its files are removed in the background, \
            in memory as on the disk.

            EXAMPLES
              img-cache scope switch alice
              img-cache scope switch bob --keep
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The scope to use from now on.")
    var name: String

    @Flag(help: "Leave what the old scope holds.")
    var keep = false

    @Flag(help: "Write NDJSON also to a terminal.")
    var json = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let new = try scopeName(name)
        let caches = try common.caches(context)
        context.confine(caches.settings, .finishingLater)
        let cache = try caches.cache()
        let made = try cache.makeCurrent(new, keeping: keep)
        var purged = made?.purged
        if let made, purged != nil {
            finishLater(cache, context)
            purged? += try caches.emptyMemory(of: made.old).contents
        }
        if let source = try common.scopeSource(context) {
            context.log.warning("\(source.words) says \"\(cache.scope)\", which beats the scope that is switched to")
        }
        let old = made?.old ?? new
        let words =
            made.map { made in
                "switched from \(old.shown) to \(new.shown); "
                    + (purged.map { "removing \($0.words) of \(old.shown)" } ?? "\(old.shown) is kept")
            } ?? "\(new.shown) is the current scope already"
        try ReportOutput(json: json).write(
            .object([
                "scope": .string(new.text), "previous": .string(old.text), "switched": .bool(made != nil),
                "entries": purged.map { .integer($0.entries) }, "bytes": purged.map { .integer($0.bytes) },
            ]), words + "\n")
    }
}

struct ScopePurgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Empty a scope: the current one where none is named.",
        discussion: """
            Nothing of it is found from then on, whatever leases and pins there are. Downloads for it end in every \
            process, with status 75. Its files, those in memory among them, are removed in the background, or before \
            the command ends with --wait.

            EXAMPLES
              img-cache scope purge
              img-cache scope purge alice --wait
            """)

    @OptionGroup var common: CommonOptions

    @Argument(help: "The scope to empty.")
    var name: String?

    @Flag(help: "End only when all files are gone.")
    var wait = false

    @Flag(help: "Write NDJSON also to a terminal.")
    var json = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let named = try name.map(scopeName)
        let caches = try common.caches(context)
        context.confine(caches.settings, wait ? Needs() : .finishingLater)
        let scope = try named ?? caches.scope()
        let disk = try caches.onDisk()
        if named != nil, try caches.inMemory(scope: scope).isEmpty {
            // Emptied all the same: the first download for it may be under way.
            let names = try disk?.scopes().map(\.name.text) ?? []
            if !names.contains(scope.text) {
                let advice = NearMatch.advice(for: scope.text, among: names)
                context.log.warning("nothing was kept under the scope \"\(scope)\" so far\(advice)")
            }
        }
        var purged = try disk?.purge(scope) ?? ScopeContents()
        purged += try caches.emptyMemory(of: scope).contents
        if wait {
            try context.untilInterrupted { _ = try disk?.finishPurges() }
        } else if let disk {
            finishLater(disk, context)
        }
        try ReportOutput(json: json).write(
            .object([
                "scope": .string(scope.text), "entries": .integer(purged.entries), "bytes": .integer(purged.bytes),
                "finished": .bool(wait),
            ]), "\(wait ? "removed" : "removing") \(purged.words) of \(scope.shown)\n")
    }
}

/// What `finishLater` starts.
struct ScopeFinishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish-purges", abstract: "Remove what purges have left.", shouldDisplay: false)

    @Argument(help: "The root of the cache.")
    var root: String

    @Flag(help: "As of the command that has purged.")
    var allowSharedRoot = false

    func run() throws {
        DetachedProcess.closeInheritedFiles()
        // A root that was removed meanwhile stays so.
        guard access("\(root)/index.sqlite", F_OK) == 0 else { return }
        var settings = CacheSettings(root: root, scope: .standard)
        settings.allowsSharedRoot = allowSharedRoot
        try ImageCache(settings: settings, interruption: Interruption()).finishPurgesInBackground()
    }
}

/// Has a process of its own remove what was purged. Where none can be started, later runs take it on.
private func finishLater(_ cache: ImageCache, _ context: ToolContext) {
    do {
        let shared = cache.settings.allowsSharedRoot ? ["--allow-shared-root"] : []
        try DetachedProcess.start(["scope", "finish-purges", cache.root] + shared)
    } catch {
        context.log.detail("the files are left to later runs: \(failure(of: error).message)")
    }
}

extension Needs {
    /// Those of a command that calls `finishLater`.
    fileprivate static var finishingLater: Needs {
        var needs = Needs()
        needs.startsAnew = true
        return needs
    }
}

/// A name from the command line.
private func scopeName(_ text: String) throws -> ScopeName {
    do {
        return try ScopeName(text)
    } catch {
        throw UsageFailure(failure(of: error).message)
    }
}

extension ScopeName {
    fileprivate var shown: String { TerminalText.escaped(text) }
}

extension ScopeContents {
    /// For a person.
    var words: String { "\(entries) \(entries == 1 ? "entry" : "entries"), \(ByteCount.description(bytes))" }
}

/// Where the scope in use is named.
private enum ScopeSource: String {
    case option, environment, configuration, switched, `default`

    var words: String {
        switch self {
        case .option: "--scope"
        case .environment: "APOD_TOOLS_SCOPE"
        case .configuration: "the configuration file"
        case .switched, .default: "the cache"
        }
    }
}

extension CommonOptions {
    /// The place outside the cache that names the scope; nil where none does.
    fileprivate func scopeSource(_ context: ToolContext) throws -> ScopeSource? {
        if scope != nil { return .option }
        if context.environment["APOD_TOOLS_SCOPE"] != nil { return .environment }
        return try cacheSettings(context).scope == nil ? nil : .configuration
    }
}
