import ArgumentParser
import Cache
import Commands
import Support

struct CleanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clean",
        abstract: "Remove what has expired, what is over the capacity, and what killed runs have left.",
        discussion: """
            All scopes are cleaned; with --scope, that scope alone, of what has expired and of failures, whatever \
            APOD_TOOLS_SCOPE and the configuration file say. What is pinned, or was handed out lately (--lease), stays, and so does what other \
            runs are just fetching. Metadata goes 30 days after it has expired. Each step says how much went.

            EXAMPLES
              img-cache clean
              img-cache clean --dry-run
              img-cache clean --capacity 50MB
              img-cache clean --scope alice
            """)

    @OptionGroup var common: CommonOptions

    @Flag(help: "Change nothing; say what would go.")
    var dryRun = false

    @Flag(help: "Write records, also to a terminal.")
    var json = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let output = try ReportOutput(json: json, progress: context.progress)
        let cache = try common.open(context, dryRun ? .looking : Needs())
        try context.interruption.catchSignals()
        // Nobody knows how much there is: it is shown how long it takes.
        context.progress.expect(records: 1)
        context.progress.beginWork()
        defer { context.progress.end() }
        var isEmpty = true
        try context.interruption.during {
            try cache.clean(common.scope.map(ScopeName.init), dryRun: dryRun) { step in
                if output.isForPeople, step.count == 0 { return }
                isEmpty = false
                try output.write(step.json(dryRun: dryRun), step.text(dryRun: dryRun))
            }
        }
        cache.close()
        if output.isForPeople, isEmpty { try output.write(.null, "there is nothing to remove\n") }
    }
}
