import ArgumentParser
import Cache
import Commands
import Records
import Support

struct ResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Empty the whole cache, on the disk and in memory: all scopes, counters, and the scope switched to.",
        discussion: """
            With --scope, empty that scope alone, and forget its counters. APOD_TOOLS_SCOPE and the configuration file \
            make no difference here. Safe while other tools use the cache: what they have under way ends with status 75.

            EXAMPLES
              img-cache reset --dry-run
              img-cache reset
              img-cache reset --scope alice
            """)

    @OptionGroup var common: CommonOptions

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @Flag(help: "Write NDJSON also to a terminal.")
    var json = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let caches = try common.caches(context)
        context.confine(caches.settings, dryRun ? .looking : Needs())
        let scope = try common.scope.map(ScopeName.init)
        var report = ResetReport()
        try context.untilInterrupted {
            if let disk = try caches.onDisk() {
                report += try dryRun ? disk.resetReport(of: scope) : scope.map(disk.reset) ?? disk.reset()
            }
            report += try dryRun ? caches.memoryReport(of: scope) : caches.emptyMemory(of: scope)
        }
        try ReportOutput(json: json).write(
            .object([
                "scopes": .integer(report.scopes), "entries": .integer(report.contents.entries),
                "bytes": .integer(report.contents.bytes), "counters": .integer(report.counters),
                "metadata": .integer(report.metadata), "dry_run": .bool(dryRun),
            ]),
            "\(dryRun ? "would remove" : "removed") \(report.contents.words) of \(report.scopes)"
                + " \(report.scopes == 1 ? "scope" : "scopes"), \(report.counters) counters"
                + (report.metadata > 0 ? ", \(report.metadata) records of metadata\n" : "\n"))
    }
}

extension ToolContext {
    /// Runs `body`, which a signal stops between two of its steps.
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
