import CacheTools
import Commands
import Fetch
import Options
import Records
import Store
import Support

extension Command {
    static let list = Command(
        "ls", summary: "List the pictures of the scope: a table on a terminal, otherwise records.",
        details: "All conditions must be met. Listing a picture does not count as use.",
        examples: [
            "img-cache ls --match '*.nasa.gov/*' --size +5MB",
            "img-cache ls --match '*.gif' --print cache.url",
            "img-cache ls --expired --json | jq -s length",
            "img-cache ls --kind original,variant --print path",
            "img-cache ls --sort size --table | less -S",
        ],
        options: {
            [[.allScopes, .sort, .table], .conditions, [.pinned, .match, .kind], [.json], .recordOutput, .common]
        },
        synonyms: ["list", "dir", "entries"]
    ) { arguments in
        let context = try ToolContext(arguments)
        let cache = try context.confinedCaches(.looking).standard()
        var listing = try cache.entries(arguments.filter, inAllScopes: arguments[.allScopes], order: arguments.order)
        let isNarrow = Terminal.isTerminal(1)
        let table = EntryTable(
            width: isNarrow ? Terminal.width(of: 1) : nil, showsScope: arguments[.allScopes], now: .now())
        var total = ListTotal(of: "picture")
        return try context.list(heading: table.heading) { entry in
            total.add(entry)
            return table.line(entry, cache.state(of: entry))
        } record: { entry in
            var record = Record()
            record.setListed(entry, state: cache.state(of: entry))
            return record
        } total: {
            total.line
        } next: {
            try listing.next()
        }
    }
}
