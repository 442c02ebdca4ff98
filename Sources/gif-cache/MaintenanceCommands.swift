import Commands
import Fetch
import GIFs
import Options
import Records
import Store
import Support
import Tools

extension Command {
    static let list = Command(
        "ls", summary: "List the GIFs of the scope: a table on a terminal, else a record for each GIF.",
        details: """
            All conditions must be met. Listing does not count as use of what is listed. Other pictures in the cache \
            are not listed: img-cache ls lists all.
            """,
        examples: [
            "gif-cache ls --larger-than 1MB", "gif-cache ls --resolution 360 --print id",
            "gif-cache ls --json | gif-cache poster --print poster.path",
        ],
        options: { [[.resolution, .table], .conditions, [.pinned, .sort, .reverse, .json], .recordOutput, .common] },
        synonyms: ["dir", "entries"]
    ) { arguments in
        let lookup = try GIFLookup(arguments, .looking)
        let options = try lookup.context.runOptions(jobs: 1)
        if arguments[.table], arguments[.json] || options.layout != .lines {
            throw UsageFailure("--table cannot be combined with --json, --print or --pretty")
        }
        let output = try ReportOutput(
            json: arguments[.json] || options.layout != .lines, isForced: arguments[.table])
        var listing = try lookup.gifs.list(
            arguments.filter, resolution: arguments.namedResolution, order: arguments.order)
        if output.isForPeople {
            let table = GIFTable(now: .now())
            var isEmpty = true
            while let kept = try listing.next() {
                if isEmpty { try output.write(.null, table.heading) }
                isEmpty = false
                try output.write(.null, table.line(kept))
            }
            return 0
        }
        return try lookup.context.run(PassingTool(name: "gif-cache"), options: options) { _ in
            try listing.next().map { kept in
                var record = gifJob(kept.gif.id.text).record
                record.setGIF(kept)
                return .job(RecordJob(record))
            }
        }
    }

    static let size = Command(
        "size", summary: "Say how many GIFs the scope has, and how many bytes they take.",
        details: "Posters and other variants that were made from them are counted apart.",
        examples: ["gif-cache size", "gif-cache size --json | jq .bytes"],
        options: { [[.json], .common] }, synonyms: ["du", "stats"]
    ) { arguments in
        let lookup = try GIFLookup(arguments, .looking)
        let output = try ReportOutput(json: arguments[.json])
        let size = try lookup.gifs.size()
        try output.write(size.json, size.text)
        return 0
    }

    static let remove = Command(
        "rm", summary: "Remove GIFs and all that was made from them.",
        details: """
            Name exercises, whose GIFs of all resolutions go unless --resolution names one, or select GIFs of the \
            scope by conditions. A pinned GIF is removed only if you name it. An exercise that is not in the cache is \
            skipped, with status 1.
            """,
        examples: [
            "gif-cache rm 0001", "gif-cache rm 0001 --resolution 1080",
            "gif-cache ls --print cache.key --expired | gif-cache rm -", "gif-cache rm --unused-for 30d --dry-run",
        ],
        operands: .exercises,
        options: { [[.dryRun, .resolution, .idField], .conditions, [.json, .nullData], .common] },
        synonyms: ["remove", "delete", "del"]
    ) { arguments in
        let isDryRun = arguments[.dryRun]
        let filter = arguments.filter
        let isSelective = filter != EntryFilter() || arguments.operands.isEmpty && arguments.isGiven(.resolution)
        if isSelective, !arguments.operands.isEmpty {
            throw UsageFailure("name exercises, or say by conditions which GIFs go, not both")
        }
        let output = try ReportOutput(json: arguments[.json])
        let lookup = try GIFLookup(arguments, isDryRun ? .looking : Needs())
        if isSelective {
            try lookup.context.interruption.catchSignals()
            let report = try lookup.gifs.remove(filter, resolution: arguments.namedResolution, dryRun: isDryRun)
            lookup.caches.close()
            try output.write(report.json, report.text)
            return 0
        }
        var sum = Removal()
        let finish = {
            let report = RemovalReport(sum, isDryRun: isDryRun)
            if sum.entries > 0 { try output.write(report.json, report.text) }
        }
        return try lookup.run(finish: finish) { id, resolution in
            // All resolutions go unless one is named.
            var only: Resolution?
            if case .exactly(let named) = resolution { only = named }
            sum.add(try lookup.gifs.remove(id, only, dryRun: isDryRun))
        }
    }

    static let clear = Command(
        "clear", summary: "Remove all GIFs of the scope, pinned ones too, and nothing that another tool has kept.",
        details: "What was made from them goes too. It asks nothing, and says what went.",
        examples: ["gif-cache clear --dry-run", "gif-cache clear --scope alice"],
        options: { [[.dryRun, .json], .common] }, synonyms: ["reset", "purge"]
    ) { arguments in
        let isDryRun = arguments[.dryRun]
        let lookup = try GIFLookup(arguments, isDryRun ? .looking : Needs())
        let output = try ReportOutput(json: arguments[.json])
        try lookup.context.interruption.catchSignals()
        let report = try lookup.gifs.remove(EntryFilter(), sparesPinned: false, dryRun: isDryRun)
        lookup.caches.close()
        try output.write(report.json, report.text)
        return 0
    }

    static let verify = Command(
        "verify", summary: "Check every GIF of the scope: is it whole, and as the index says? Status 1 if not.",
        details: """
            The steps are mark (has each GIF its file?) and check (has the file its SHA-256, is it a GIF that put \
            would keep, and of the size that records tell?). img-cache verify checks the whole cache and its index.

            Without --repair nothing is changed. With it, what is damaged goes, so that it is fetched again; the \
            status is 1 all the same.
            """,
        examples: [
            "gif-cache verify", "gif-cache verify --repair", "gif-cache verify --json | jq -r 'select(.code) | .key'",
        ],
        options: { [[.repair, .jobs, .json], .common] }, synonyms: ["fsck", "check"]
    ) { arguments in
        let lookup = try GIFLookup(arguments, arguments[.repair] ? Needs() : .looking)
        let context = lookup.context
        let jobs = try context.value(.jobs) ?? Thread.processors
        let output = try ReportOutput(json: arguments[.json], progress: context.progress)
        try context.interruption.catchSignals()
        defer { context.progress.end() }
        let problems = try context.interruption.during {
            try lookup.gifs.verify(
                jobs: jobs, repairs: arguments[.repair], log: context.log, progress: context.progress,
                interruption: context.interruption
            ) { event in try output.write(event.json, event.text) }
        }
        return problems == 0 ? 0 : ExitCode.absent.rawValue
    }
}
