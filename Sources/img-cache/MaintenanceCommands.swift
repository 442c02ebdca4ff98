import CacheTools
import Commands
import Fetch
import Options
import Records
import Store
import Support

extension Command {
    static let clean = Command(
        "clean", summary: "Remove expired entries, entries over the capacity, and files left by killed runs.",
        details: """
            Cleans all scopes. With --scope, removes only expired entries, failures and metadata of that scope; \
            APOD_TOOLS_SCOPE and the configuration file do not restrict it. Keeps pinned entries, recently returned \
            entries (lease), and files that another run is downloading. Removes metadata 30 days after it expired. \
            Each step reports how much it removed.
            """,
        examples: [
            "img-cache clean", "img-cache clean --dry-run", "img-cache clean --capacity 50MB",
            "img-cache clean --scope alice",
        ],
        options: { [[.dryRun, .json], .common] }, deletesUnnamed: true
    ) { arguments in
        let context = try ToolContext(arguments)
        let isDryRun = arguments[.dryRun]
        let output = try ReportOutput(json: arguments[.json], progress: context.progress)
        let cache = try context.confinedCaches(.init(changesCache: !isDryRun)).standard()
        try context.interruption.catchSignals()
        // The number of steps is unknown, so show the elapsed time as progress.
        context.progress.expect(records: 1)
        context.progress.beginWork()
        defer { context.progress.end() }
        var isEmpty = true
        try context.interruption.during {
            try cache.maintenance.clean(arguments[.scope], dryRun: isDryRun) { step in
                if output.isForPeople, step.count == 0 { return }
                isEmpty = false
                try output.write(step.json(dryRun: isDryRun), step.text(dryRun: isDryRun))
            }
        }
        cache.close()
        if output.isForPeople, isEmpty { try output.write(.null, "there is nothing to remove\n") }
        return 0
    }

    static let verify = Command(
        "verify", summary: "Check the index and the files against each other; status 1 if there are problems.",
        details: """
            The steps are index (is it intact?), mark (does each row have its file?), check (does each file have its \
            SHA-256?) and sweep (files left by killed runs, which are not problems). With --repair, the step rebuild \
            adds rows for files whose index was lost. Checks all scopes, while other processes use the cache.

            Without --repair, nothing is changed. With it, damaged files are removed, so that they are fetched again. \
            The status is 1 in this case, too.
            """,
        examples: [
            "img-cache verify", "img-cache verify --repair --jobs 4",
            "img-cache verify --json | jq -r '.problems[].path'",
        ],
        options: { [[.repair, .jobs, .json], .common] }, synonyms: ["fsck", "check"]
    ) { arguments in
        let context = try ToolContext(arguments)
        let repairs = arguments[.repair]
        let caches = try context.confinedCaches(.init(changesCache: repairs))
        return try context.verify(repairs: repairs) { [try caches.standardSettings()] }
    }

    static let stats = Command(
        "stats", summary: "Show the contents and the counters of the cache.",
        details: "Covers all scopes, or only the scope of --scope. img-cache(1) explains each counter.",
        examples: [
            "img-cache stats", "img-cache stats --json | jq .scopes", "img-cache stats --scope alice --zero",
            "img-cache stats --format prometheus --output /srv/metrics/cache.prom",
        ],
        options: { [[.statsFormat, .json, .zero, .output, .sync], .common] }, synonyms: ["status", "du", "size"]
    ) { arguments in
        let context = try ToolContext(arguments)
        var format = arguments[.statsFormat]
        if arguments[.json] {
            if arguments.isGiven(.statsFormat), format != .json {
                throw UsageFailure("--json and --format \(format.rawValue) cannot be combined")
            }
            format = .json
        }
        let target = arguments[.output]
        if arguments[.sync], target == nil { throw UsageFailure("--sync requires --output") }
        var requirements = SandboxRequirements(changesCache: arguments[.zero])
        if let target { try context.prepareOutput(target, &requirements) }
        let cache = try context.confinedCaches(requirements).standard()
        func write(_ statistics: Statistics) throws {
            try context.write(statistics.bytes(format), to: target, as: format == .json ? .json : .plain)
        }
        if arguments[.zero] {
            try cache.zeroStatistics(scope: arguments[.scope], after: write)
        } else {
            try write(cache.statistics(scope: arguments[.scope]))
        }
        return 0
    }
}

extension ToolContext {
    /// Runs `body`. If a signal stops `body`, ends the process with that signal.
    func untilInterrupted<Result>(_ body: () throws -> Result) throws -> Result {
        try interruption.catchSignals()
        do {
            return try interruption.during { try body() }
        } catch is Cancelled {
            interruption.endIfSignalled()
            throw Cancelled()
        }
    }
}
