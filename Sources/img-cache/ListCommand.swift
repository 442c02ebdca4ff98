import ArgumentParser
import Cache
import Commands
import Records
import Support

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List what is in the scope: a table at a terminal, else one record a picture.",
        discussion: """
            All conditions must be met. Listing counts as no use of what is listed.

            EXAMPLES
              img-cache ls --host .nasa.gov --larger-than 5MB
              img-cache ls --match '*.gif' --print cache.url
              img-cache ls --expired --json | jq -s length
              img-cache ls --variants --print path
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var selection: FilterOptions

    @Flag(help: "List shrunk variants too.")
    var variants = false

    @Flag(help: "List all scopes.")
    var allScopes = false

    @Flag(help: "Write records, also to a terminal.")
    var json = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        var filter = try selection.filter()
        if variants { filter.kinds.insert(.variant) }
        let cache = try common.open(context, .looking)
        let output = try ReportOutput(json: json || stream.print != nil || stream.pretty)
        if output.isForPeople { return try writeTable(cache, filter, context, output) }
        var listing = try cache.entries(filter, inAllScopes: allScopes)
        let options = try stream.runOptions(context, jobs: 1)
        let status = try context.run(PassingTool(name: "img-cache"), options: options) { _ in
            try listing.next().map { entry in
                var record = Record()
                record.setCached(entry, status: cache.status(of: entry))
                return .job(RecordJob(record))
            }
        }
        try end(with: status)
    }

    private func writeTable(
        _ cache: ImageCache, _ filter: EntryFilter, _ context: ToolContext, _ output: ReportOutput
    ) throws {
        let table = EntryTable(
            width: Terminal.width(of: 1), showsScope: allScopes, now: .now())
        var listing = try cache.entries(filter, inAllScopes: allScopes)
        var isEmpty = true
        while let entry = try listing.next() {
            if isEmpty { try output.write(.null, table.heading) }
            isEmpty = false
            try output.write(.null, table.line(entry, status: cache.status(of: entry)))
        }
    }
}
