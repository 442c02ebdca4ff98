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
            The current scope is the first of these that is set: --scope, APOD_TOOLS_SCOPE, the configuration file, \
            the scope last switched to, default.
            """,
        examples: ["img-cache scope list", "img-cache scope switch alice", "img-cache scope purge bob"],
        subcommands: [.scopeList, .scopeCurrent, .scopeSwitch, .scopePurge, .scopeFinish], synonyms: ["scopes"])

    private static let scopeList = Command(
        "list", summary: "List all scopes with the number and size of their entries. A star marks the current scope.",
        examples: ["img-cache scope list", "img-cache scope list --json | jq -r 'select(.entries == 0).scope'"],
        options: { [[.json], .place, .messages] }, synonyms: ["ls"]
    ) { arguments in
        let context = try ToolContext(arguments)
        let caches = try context.confinedCaches(.looking)
        let scopes = try caches.scopes()
        // If --scope is set, it is the current scope of this command.
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
            With --json, also prints the source of the name: option, environment, configuration, switched or default.
            """,
        examples: ["test \"$(img-cache scope current)\" = alice"],
        options: { [[.json], .place, .messages] }
    ) { arguments in
        let context = try ToolContext(arguments)
        let cache = try context.confinedCaches(.looking).cache()
        let source =
            try context.text(.scope)?.source.rawValue
            ?? (cache.scopes.current() == nil ? "default" : "switched")
        let object = JSON.object(["scope": .string(cache.scope.text), "source": .string(source)])
        // Print only the name, even to a pipe, so that scripts can use it.
        let output = try TextOutput.standard()
        if arguments[.json] {
            try output.write(object.bytes + [UInt8(ascii: "\n")], as: .json)
        } else {
            try output.write(cache.scope.text + "\n")
        }
        return 0
    }

    private static let scopeSwitch = Command(
        "switch", summary: "Make another scope the current scope.",
        details: """
            Downloads for the old scope fail in every process, with status 75. With --purge, all entries of the old \
            scope are gone immediately, regardless of leases and pins, and their files are removed in the background.

            A new name that differs by one edit from the name of another scope is refused as a typing error, unless \
            --new is given or the names differ only in digits.
            """,
        examples: [
            "img-cache scope switch alice", "img-cache scope switch bob --purge", "img-cache scope switch bobby --new",
        ],
        operands: Operands("NAME", "the scope to use from now on", completion: .scopes, atLeast: 1, atMost: 1),
        options: { [[.purge, .new, .json], .place, .messages] }
    ) { arguments in
        let context = try ToolContext(arguments)
        let new = try scopeName(arguments.operands[0])
        let keeping = !arguments[.purge]
        if !keeping { try finishLater(context) }
        let caches = try context.confinedCaches(SandboxRequirements())
        if !arguments[.new], let unknown = try caches.unknownScope(new) {
            if let known = unknown.mistyped {
                throw UsageFailure(
                    "there is no scope \"\(new.shown)\"; did you mean \(TerminalText.escaped(known))?"
                        + " Use --new to create \(new.shown)")
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
        let place: String? =
            switch try context.text(.scope)?.source {
            case .option: "--scope"
            case .environment: "APOD_TOOLS_SCOPE"
            case .configuration: "the configuration file"
            case nil: nil
            }
        if let place {
            context.log.warning("\(place) sets the scope \"\(cache.scope)\", which overrides the current scope")
        }
        let old = made?.old ?? new
        let words =
            made.map { made in
                "switched from \(old.shown) to \(new.shown); "
                    + (purged.map { "removed \($0.text) of \(old.shown)" } ?? "\(old.shown) is kept")
            } ?? "\(new.shown) is already the current scope"
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
        "purge", summary: "Empty scopes, on disk and in memory, with their counters and metadata.",
        details: """
            All entries of the scope are gone immediately, regardless of leases and pins. Downloads for it fail in \
            every process, with status 75. --all-scopes empties the whole cache.
            """,
        examples: [
            "img-cache scope purge alice", "img-cache scope purge alice --dry-run",
            "img-cache scope purge --all-scopes",
        ],
        operands: Operands("NAME", "The scope to empty.", completion: .scopes, atMost: 1),
        options: { [[.allScopes, .dryRun, .json], .place, .messages] }, deletesUnnamed: true
    ) { arguments in
        let named = try arguments.operands.first.map(scopeName)
        guard (named == nil) == arguments[.allScopes] else {
            throw UsageFailure("name one scope to empty, or use --all-scopes")
        }
        let context = try ToolContext(arguments)
        let isDryRun = arguments[.dryRun]
        let caches = try context.confinedCaches(.init(changesCache: !isDryRun))
        // Purge even an unknown scope, because its first download may be in progress.
        if let named, let unknown = try caches.unknownScope(named) { context.log.warning(unknown.message) }
        var report = ResetReport()
        try context.untilInterrupted {
            if let disk = try caches.onDisk() { report += try disk.scopes.reset(named, dryRun: isDryRun) }
            report += try caches.emptyMemory(of: named, dryRun: isDryRun)
        }
        try context.report(
            .object([
                "scope": named.map { .string($0.text) }, "scopes": .integer(report.scopes),
                "entries": .integer(report.contents.entries), "bytes": .integer(report.contents.bytes),
                "counters": .integer(report.counters), "metadata": .integer(report.metadata),
                "dry_run": .bool(isDryRun),
            ]),
            "\(isDryRun ? "would remove" : "removed") \(report.contents.text) of"
                + " \(named?.shown ?? counted(report.scopes, "scope")), \(counted(report.counters, "counter"))"
                + (report.metadata > 0 ? ", \(counted(report.metadata, "record")) of metadata\n" : "\n"))
        return 0
    }

    /// The hidden command that `finishLater` runs in another process.
    private static let scopeFinish = Command(
        "finish-purges", summary: "Remove the files of purged scopes.",
        operands: Operands("ROOT", "the root of the cache", atLeast: 1, atMost: 1), options: { [[.shared]] },
        isHidden: true
    ) { arguments in
        DetachedProcess.begin()
        let root = arguments.operands[0]
        // Opening the cache would recreate a root that was removed.
        guard try File.exists("\(root)/index.sqlite") else { return 0 }
        var settings = CacheSettings(root: root, scope: .standard)
        settings.allowsSharedRoot = arguments[.shared]
        Confinement(SandboxRequirements(), cache: [root], environment: [:]).enforce()
        try CacheStore(settings: settings, interruption: Interruption(), inspect: CacheStore.wholePicture)
            .scopes.finishPurgesInBackground()
        return 0
    }

    /// Starts another process, which deletes the purged files after this process has ended. If the process cannot be
    /// started, later runs delete the files.
    private static func finishLater(_ context: ToolContext) throws {
        let settings = try context.cacheSettings()
        guard let root = settings.root else { return }
        do {
            let shared = settings.allowsSharedRoot ? ["--shared"] : []
            try DetachedProcess.start(["scope", "finish-purges", Folder.resolve(root)] + shared)
        } catch {
            context.log.detail(
                "cannot start a process that removes the purged files: \(failure(of: error).message); later runs will"
                    + " remove them")
        }
    }

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
