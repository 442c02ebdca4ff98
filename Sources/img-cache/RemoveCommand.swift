import CacheTools
import Commands
import Fetch
import Options
import Records
import Store
import Support

extension Command {
    static let remove = Command(
        "rm", summary: "Remove pictures and everything made from them.",
        details: """
            Name pictures, or select pictures of the scope by conditions. A pinned picture is removed only if you name \
            it. A named picture that is not in the cache is skipped, with status 1.
            """,
        examples: [
            "img-cache rm https://example.org/m31.jpg",
            "img-cache rm key:my-photo",
            "img-cache ls --expired --print cache.key | img-cache rm -",
            "img-cache rm --match 'https://example.org/*' --older-than 7d --dry-run",
        ],
        operands: .pictures,
        options: { [[.dryRun], .conditions, [.match, .kind], .keys, [.json, .nullData], .common] },
        synonyms: ["remove", "delete", "del"]
    ) { arguments in
        let filter = arguments.filter
        if filter != EntryFilter(), !arguments.pictures.isEmpty {
            throw UsageFailure("pictures and conditions cannot be combined")
        }
        let isDryRun = arguments[.dryRun]
        let requirements = SandboxRequirements(changesCache: !isDryRun)
        guard filter == EntryFilter() else {
            let context = try ToolContext(arguments)
            let caches = try context.confinedCaches(requirements)
            return try context.reportRemoval(from: caches) {
                let (removal, pinned) = try caches.standard().remove(filter, dryRun: isDryRun)
                return RemovalReport(removal, pinned: pinned, isDryRun: isDryRun)
            }
        }
        let lookup = try CacheLookup(.pictures, arguments, requirements)
        let caches = lookup.caches
        return try lookup.remove(dryRun: isDryRun) { job in
            if !isDryRun {
                // The index may contain failures and copies even of a picture that is not cached.
                for (key, address) in try lookup.naming.keys(of: job) {
                    try caches.storage(for: address).cache?.forget(key)
                }
            }
            let found = try caches.find(job, lookup.naming, handingOut: false)
            return try found.cache.remove(found.entry, dryRun: isDryRun)
        }
    }
}
