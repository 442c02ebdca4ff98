import CacheTools
import Commands
import Fetch
import Options
import Records
import Store
import Support

extension Command {
    static let scopes = Command(
        "scope", summary: "Manage scopes: parts of the cache that share nothing.",
        details: """
            The scope in use is the first of these that is set: --scope, APOD_TOOLS_SCOPE, the configuration file, the \
            one last switched to, default.
            """,
        examples: ["img-cache scope list", "img-cache scope switch alice", "img-cache scope purge bob --wait"],
        subcommands: [.scopeList, .scopeCurrent, .scopeSwitch, .scopePurge, .scopeFinish], synonyms: ["scopes"])

    private static let scopeList = Command(
        "list", summary: "List all scopes with what they hold; a star marks the current one.",
        examples: ["img-cache scope list", "img-cache scope list --json | jq -r 'select(.entries == 0).scope'"],
        options: { [[.json], .place, .messages] }, synonyms: ["ls"]
    ) { arguments in
        let context = try ToolContext(arguments)
        let caches = try context.confinedCaches(.looking)
        let scopes = try caches.scopes()
        // From within a named scope, that is the current one.
        let current = try caches.scope()
        let width = scopes.map { $0.name.shown.count }.max() ?? 0
        let output = try ReportOutput(json: arguments[.json])
        for scope in scopes {
            let (name, isCurrent) = (scope.name.shown, scope.name == current)
            try output.write(
                .object([
                    "scope": .string(scope.name.text), "entries": .integer(scope.contents.entries),
                    "bytes": .integer(scope.contents.bytes), "current": .bool(isCurrent),
                ]), "\(isCurrent ? "*" : " ") \(name.padded(to: width))  \(scope.contents.text)\n")
        }
        return 0
    }

    private static let scopeCurrent = Command(
        "current", summary: "Print the name of the current scope.",
        details: """
            With --json, also where the name comes from: option, environment, configuration, switched or default.
            """,
        examples: ["test \"$(img-cache scope current)\" = alice"],
        options: { [[.json], .place, .messages] }
    ) { arguments in
        let context = try ToolContext(arguments)
        let cache = try context.confinedCaches(.looking).cache()
        let source =
            try context.text(.scope)?.source.rawValue
            ?? (cache.scopeSwitchedTo() == nil ? "default" : "switched")
        let object = JSON.object(["scope": .string(cache.scope.text), "source": .string(source)])
        // The bare name also into a pipe: a script that asks for it wants nothing else.
        let output = try TextOutput.standard()
        if arguments[.json] {
            try output.write(object.bytes + [UInt8(ascii: "\n")], as: .json)
        } else {
            try output.write(cache.scope.text + "\n")
        }
        return 0
    }

    private static let scopeSwitch = Command(
        "switch", summary: "Make another scope the current one, and empty the one that was.",
        details: """
            Downloads for the old scope end in every process, with status 75. Its files are removed in the background, \
            in memory as on the disk, pinned ones too. --keep removes nothing.

            A new name one edit away from the name of another scope is refused as a typing error, unless --new \
            confirms it or the names differ only in digits.
            """,
        examples: [
            "img-cache scope switch alice", "img-cache scope switch bob --keep", "img-cache scope switch bobby --new",
        ],
        operands: Operands("NAME", "the scope to use from now on", completion: .scopes, atLeast: 1, atMost: 1),
        options: { [[.keep, .new, .json], .place, .messages] }, deletesUnnamed: true
    ) { arguments in
        let context = try ToolContext(arguments)
        let new = try scopeName(arguments.operands[0])
        let keeping = arguments[.keep]
        if !keeping { try finishLater(context) }
        let caches = try context.confinedCaches(Needs())
        if !arguments[.new], let unknown = try caches.unknownScope(new) {
            if let known = unknown.mistyped {
                throw UsageFailure(
                    "there is no scope \"\(new.shown)\"; did you mean \(TerminalText.escaped(known))?"
                        + " Add --new for a new scope")
            }
            if unknown.suggestion != nil { context.log.warning(unknown.message) }
        }
        if !keeping, let old = try caches.scopes().first(where: \.isCurrent), old.name != new, old.contents.entries > 0
        {
            context.log.notice("removing \(old.contents.text) of the scope \(old.name.shown)")
        }
        let cache = try caches.cache()
        let made = try caches.makeCurrent(new, keeping: keeping)
        let purged = made?.purged
        if let place = try context.scopePlace() {
            context.log.warning("\(place) says \"\(cache.scope)\", which beats the scope that is switched to")
        }
        let old = made?.old ?? new
        let words =
            made.map { made in
                "switched from \(old.shown) to \(new.shown); "
                    + (purged.map { "removed \($0.text) of \(old.shown)" } ?? "\(old.shown) is kept")
            } ?? "\(new.shown) is the current scope already"
        try context.report(
            .object([
                "scope": .string(new.text), "previous": .string(old.text), "switched": .bool(made != nil),
                "purged": purged.map {
                    .object(["scope": .string(old.text), "entries": .integer($0.entries), "bytes": .integer($0.bytes)])
                },
            ]), words + "\n")
        return 0
    }

    private static let scopePurge = Command(
        "purge", summary: "Empty a scope: the current one if none is named.",
        details: """
            Nothing of it is found from then on, whatever leases and pins there are. Downloads for it end in every \
            process, with status 75. Its files, those in memory among them, are removed in the background, or before \
            the command ends with --wait.
            """,
        examples: ["img-cache scope purge", "img-cache scope purge alice --wait"],
        operands: Operands("NAME", "the scope to empty", completion: .scopes, atMost: 1),
        options: { [[.wait, .json], .place, .messages] }, deletesUnnamed: true
    ) { arguments in
        let context = try ToolContext(arguments)
        let named = try arguments.operands.first.map(scopeName)
        let wait = arguments[.wait]
        if !wait { try finishLater(context) }
        let caches = try context.confinedCaches(Needs())
        let scope = try named ?? caches.scope()
        let disk = try caches.onDisk()
        // Emptied all the same: the first download for it may be under way.
        if named != nil, let unknown = try caches.unknownScope(scope) { context.log.warning(unknown.message) }
        var purged = try disk?.purge(scope) ?? ScopeContents()
        purged += try caches.emptyMemory(of: scope).contents
        if wait { try context.untilInterrupted { _ = try disk?.finishPurges() } }
        try context.report(
            .object([
                "scope": .string(scope.text), "entries": .integer(purged.entries), "bytes": .integer(purged.bytes),
                "finished": .bool(wait),
            ]), "\(wait ? "removed" : "removing") \(purged.text) of \(scope.shown)\n")
        return 0
    }

    /// What `finishLater` starts.
    private static let scopeFinish = Command(
        "finish-purges", summary: "Remove what purges have left.",
        operands: Operands("ROOT", "the root of the cache", atLeast: 1, atMost: 1), options: { [[.shared]] },
        isHidden: true
    ) { arguments in
        DetachedProcess.begin()
        let root = arguments.operands[0]
        // A root that was removed meanwhile stays so.
        guard try File.exists("\(root)/index.sqlite") else { return 0 }
        var settings = CacheSettings(root: root, scope: .standard)
        settings.allowsSharedRoot = arguments[.shared]
        Confinement(Needs(), cache: [root], environment: [:]).enforce()
        try CacheStore(settings: settings, interruption: Interruption()).finishPurgesInBackground()
        return 0
    }

    /// Starts a process that removes purged files after the end of this process. If that fails, later runs remove them.
    /// Throws `ConfigurationFailure` for a bad setting.
    private static func finishLater(_ context: ToolContext) throws {
        let settings = try context.cacheSettings()
        guard let root = settings.root else { return }
        do {
            let shared = settings.allowsSharedRoot ? ["--shared"] : []
            try DetachedProcess.start(["scope", "finish-purges", Folder.resolve(root)] + shared)
        } catch {
            context.log.detail("the files are left to later runs: \(failure(of: error).message)")
        }
    }

    /// A name from the command line.
    private static func scopeName(_ text: String) throws -> ScopeName {
        do {
            return try ScopeName(text)
        } catch {
            throw UsageFailure(failure(of: error).message)
        }
    }
}

extension ScopeName {
    fileprivate var shown: String { TerminalText.escaped(text) }
}

extension ToolContext {
    /// The place outside the cache that names the scope; nil if none does.
    fileprivate func scopePlace() throws -> String? {
        switch try text(.scope)?.source {
        case .option: "--scope"
        case .environment: "APOD_TOOLS_SCOPE"
        case .configuration: "the configuration file"
        case nil: nil
        }
    }
}
