import ArgumentParser
import Cache
import Commands
import Records
import Support

struct RemoveCommand: ParsableCommand, LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove pictures and all that was made from them.",
        discussion: """
            Either pictures are named, or conditions say which of the scope are meant. What is pinned goes only when \
            it is named. A named picture that is not there is passed over with status 1.

            EXAMPLES
              img-cache rm https://example.org/m31.jpg
              img-cache rm --key my-photo
              img-cache rm --host example.org --older-than 7d --dry-run
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var selection: FilterOptions

    @Argument(help: ArgumentHelp("Addresses, or files that were put.", valueName: "pictures"))
    var pictures: [String] = []

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @Flag(help: "Write JSON, also to a terminal.")
    var json = false

    var needs: Needs { dryRun ? .looking : Needs() }

    func run() throws {
        try keys.requireNoRecords()
        let filter = try selection.filter()
        let isSelective = filter != EntryFilter()
        if isSelective, !named.isEmpty {
            throw UsageFailure("name pictures, or say by conditions which are meant, not both")
        }
        guard isSelective || !named.isEmpty else {
            throw UsageFailure("name at least one address or file, or say by conditions such as --older-than which go")
        }
        let output = try ReportOutput(json: json)
        if isSelective {
            let (context, caches, _) = try open()
            let cache = try caches.standard()
            try context.interruption.catchSignals()
            let (removal, pinned) = try cache.remove(filter, dryRun: dryRun)
            cache.close()
            let report = RemovalReport(removal, pinned: pinned, isDryRun: dryRun)
            try output.write(report.json, report.text)
            return
        }
        var sum = Removal()
        // What is remembered of a picture that could not be had goes too.
        func forget(_ picture: String, caches: Caches, rules: CacheItem.Rules) throws {
            if dryRun { return }
            for (key, address) in try CacheItem.keys(of: picture, Record(), rules) {
                if case .cache(let cache) = try caches.place(for: address) { try cache.forgetFailures(of: key) }
            }
        }
        let finish = {
            let report = RemovalReport(sum, isDryRun: dryRun)
            if sum.entries > 0 { try output.write(report.json, report.text) }
        }
        try forEachEntry(handingOut: false, before: forget, finish: finish) { entry, cache in
            sum.add(try cache.remove(entry, dryRun: dryRun))
        }
    }
}
