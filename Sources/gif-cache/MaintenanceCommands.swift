import CacheTools
import Commands
import Fetch
import GIFs
import Options
import Records
import Store
import Support

extension Command {
    static let list = Command(
        "ls", summary: "List the GIFs of the scope: a table on a terminal, otherwise records.",
        details: """
            All conditions must be met. Listing a GIF does not count as use. To list other pictures in the cache, use \
            img-cache ls.
            """,
        examples: [
            "gif-cache ls --size +1MB", "gif-cache ls --resolution 360 --print id",
            "gif-cache ls --json | gif-cache poster --print poster.path",
        ],
        options: { [[.resolution, .table], .conditions, [.pinned, .sort, .json], .recordOutput, .common] },
        synonyms: ["dir", "entries"]
    ) { arguments in
        let context = try ToolContext(arguments)
        var listing = try context.confinedCaches(.looking).gifs(
            arguments.filter, resolution: arguments.namedResolution, order: arguments.order)
        let table = GIFTable(now: .now())
        var total = ListTotal(of: "GIF")
        return try context.list(heading: table.heading) { found in
            total.add(found.entry)
            return table.line(found)
        } record: { found in
            var record = gifJob(found.entry.key ?? "").record
            record.setListed(found.entry, state: found.state)
            record.setGIF(found.entry)
            return record
        } total: {
            total.line
        } next: {
            try listing.next()
        }
    }

    static let remove = Command(
        "rm", summary: "Remove GIFs and everything made from them.",
        details: """
            Removes the GIFs of the named exercises in all resolutions, or only in --resolution, or the GIFs of the \
            scope that meet all conditions. A pinned GIF is removed only if you name it, or with --all. An exercise \
            that is not in the cache is skipped, with status 1. Pictures of other tools are never removed.
            """,
        examples: [
            "gif-cache rm 0001", "gif-cache rm 0001 --resolution 1080",
            "gif-cache ls --print cache.key --expired | gif-cache rm -", "gif-cache rm --unused-for 30d --dry-run",
            "gif-cache rm --all --scope alice",
        ],
        operands: .exercises,
        options: { [[.all, .dryRun, .resolution, .recordFields], .conditions, [.json, .nullData], .common] },
        synonyms: ["remove", "delete", "del"]
    ) { arguments in
        let isDryRun = arguments[.dryRun]
        let filter = arguments.filter
        let takesAll = arguments[.all]
        let hasConditions = filter != EntryFilter()
        let isSelective = takesAll || hasConditions || arguments.operands.isEmpty && arguments.isGiven(.resolution)
        if isSelective, !arguments.operands.isEmpty {
            throw UsageFailure(
                "name exercises, or select GIFs with --all or conditions such as --expired, but not both")
        }
        if takesAll, hasConditions || arguments.isGiven(.resolution) {
            throw UsageFailure("--all cannot be combined with conditions such as --expired or --resolution")
        }
        let requirements = SandboxRequirements(changesCache: !isDryRun)
        if isSelective {
            let context = try ToolContext(arguments)
            let caches = try context.confinedCaches(requirements)
            return try context.reportRemoval(from: caches) {
                try caches.removeGIFs(
                    filter, resolution: arguments.namedResolution, sparesPinned: !takesAll, dryRun: isDryRun)
            }
        }
        let lookup = try CacheLookup(.gifs, arguments, requirements)
        let naming = try lookup.context.naming()
        let caches = lookup.caches
        return try lookup.remove(dryRun: isDryRun) { job in
            if job.argument.flatMap(caches.entryPath) == nil {
                return try caches.remove(naming.gifs(of: job), dryRun: isDryRun)
            }
            let found = try caches.find(job, naming, handingOut: false)
            return try found.cache.remove(found.entry, dryRun: isDryRun)
        }
    }

    static let verify = Command(
        "verify", summary: "Check every GIF of the scope against the index; status 1 if there are problems.",
        details: """
            The steps are index (is it intact?), mark (does each GIF have its file?) and check (does the file have its \
            SHA-256, is it a GIF that put would store, and of the recorded size?). img-cache verify checks the whole \
            cache.

            Without --repair, nothing is changed. With it, damaged GIFs are removed, so that they are fetched again, \
            and a lost index is recreated from the files (rebuild). The status is 1 in this case, too.
            """,
        examples: [
            "gif-cache verify", "gif-cache verify --repair", "gif-cache verify --json | jq -r '.problems[].key'",
        ],
        options: { [[.repair, .jobs, .json], .common] }, synonyms: ["fsck", "check"]
    ) { arguments in
        let context = try ToolContext(arguments)
        let repairs = arguments[.repair]
        let caches = try context.confinedCaches(.init(changesCache: repairs))
        return try context.verify(repairs: repairs, selection: .gifs) { try caches.all().map(\.settings) }
    }
}
