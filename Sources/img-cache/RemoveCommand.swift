import Commands
import Fetch
import Options
import Records
import Store
import Support
import Tools

extension Command {
    static let remove = Command(
        "rm", summary: "Remove pictures and all that was made from them.",
        details: """
            Name pictures, or select them in the scope by conditions. A pinned picture is removed only if you name it. \
            A named picture that is not in the cache is skipped, with status 1.
            """,
        examples: [
            "img-cache rm https://example.org/m31.jpg",
            "img-cache rm key:my-photo",
            "img-cache ls --expired --print cache.key | img-cache rm -",
            "img-cache rm --host example.org --older-than 7d --dry-run",
        ],
        operands: .pictures,
        options: { [[.dryRun], .conditions, [.host, .match, .kind], .keys, [.json, .nullData], .common] },
        synonyms: ["remove", "delete", "del"]
    ) { arguments in
        let filter = arguments.filter
        guard filter != EntryFilter() else { return try removeNamed(arguments) }
        if !arguments.pictures.isEmpty {
            throw UsageFailure("name pictures, or say by conditions which ones go, not both")
        }
        let isDryRun = arguments[.dryRun]
        let output = try ReportOutput(json: arguments[.json])
        return try lookup(arguments, needs: isDryRun ? .looking : Needs()) { context, caches, _ in
            let cache = try caches.standard()
            try context.interruption.catchSignals()
            let (removal, pinned) = try cache.remove(filter, dryRun: isDryRun)
            cache.close()
            let report = RemovalReport(removal, pinned: pinned, isDryRun: isDryRun)
            try output.write(report.json, report.text)
            return 0
        }
    }

    private static func removeNamed(_ arguments: Arguments) throws -> Int32 {
        let isDryRun = arguments[.dryRun]
        let output = try ReportOutput(json: arguments[.json])
        return try lookup(arguments, needs: isDryRun ? .looking : Needs()) { context, caches, rules in
            var sum = Removal()
            // What is remembered of a picture that could not be had goes too.
            func forget(_ job: RecordJob) throws {
                if isDryRun { return }
                for (key, address) in try rules.keys(of: job) {
                    if case .cache(let cache) = try caches.place(for: address) { try cache.forgetFailures(of: key) }
                }
            }
            let finish = {
                let report = RemovalReport(sum, isDryRun: isDryRun)
                if sum.entries > 0 { try output.write(report.json, report.text) }
            }
            return try context.forEach(arguments.things, finish: finish) { job in
                try forget(job)
                let (entry, cache) = try caches.find(job, rules, handingOut: false)
                sum.add(try cache.remove(entry, dryRun: isDryRun))
            }
        }
    }
}
