import Commands
import Fetch
import Options
import Records
import Store
import Support
import Tools

extension Command {
    static let list = Command(
        "ls", summary: "List what is in the scope: a table on a terminal, else a record for each picture.",
        details: "All conditions must be met. Listing does not count as use of what is listed.",
        examples: [
            "img-cache ls --host .nasa.gov --larger-than 5MB",
            "img-cache ls --match '*.gif' --print cache.url",
            "img-cache ls --expired --json | jq -s length",
            "img-cache ls --variants --print path",
            "img-cache ls --sort size --table --no-trunc",
        ],
        options: {
            [
                [.variants, .allScopes, .sort, .reverse, .table, .noTrunc], .conditions,
                [.pinned, .host, .match, .kind],
                [.json], .recordOutput, .common,
            ]
        },
        synonyms: ["list", "dir", "entries"]
    ) { arguments in
        let context = try ToolContext(arguments)
        var filter = arguments.filter
        if arguments[.variants] { filter.kinds.insert(.variant) }
        let options = try context.runOptions(jobs: 1)
        let cache = try context.openCache(.looking)
        if arguments[.table], arguments[.json] || options.layout != .lines {
            throw UsageFailure("--table cannot be combined with --json, --print or --pretty")
        }
        let output = try ReportOutput(
            json: arguments[.json] || options.layout != .lines, isForced: arguments[.table])
        var listing = try cache.entries(filter, inAllScopes: arguments[.allScopes], order: arguments.order)
        if output.isForPeople {
            let isNarrow = Terminal.isTerminal(1) && !arguments[.noTrunc]
            let table = EntryTable(
                width: isNarrow ? Terminal.width(of: 1) : nil, showsScope: arguments[.allScopes], now: .now())
            var isEmpty = true
            while let entry = try listing.next() {
                if isEmpty { try output.write(.null, table.heading) }
                isEmpty = false
                try output.write(.null, table.line(entry, status: cache.status(of: entry)))
            }
            return 0
        }
        return try context.run(PassingTool(name: "img-cache"), options: options) { _ in
            try listing.next().map { entry in
                var record = Record()
                record.setCached(entry, status: cache.status(of: entry))
                return .job(RecordJob(record))
            }
        }
    }
}
