import ArgumentParser
import Cache
import Commands
import Support

/// Which entries are meant, where they are not named.
struct FilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only what was fetched longer ago, such as 7d.", valueName: "time"))
    var olderThan: String?

    @Option(help: ArgumentHelp("Only what was fetched since then, such as 1h.", valueName: "time"))
    var newerThan: String?

    @Option(help: ArgumentHelp("Only what was not used for so long, such as 30d.", valueName: "time"))
    var unusedFor: String?

    @Option(help: ArgumentHelp("Only larger files, such as 1MB.", valueName: "size"))
    var largerThan: String?

    @Option(help: ArgumentHelp("Only smaller files.", valueName: "size"))
    var smallerThan: String?

    @Option(help: ArgumentHelp("Only pictures of this host; .example.org means those below it, too.", valueName: "host"))
    var host: String?

    @Option(
        help: ArgumentHelp(
            "Only keys and addresses that contain this, or that a glob with * and ? matches.", valueName: "pattern"))
    var match: String?

    @Flag(help: "Only what has expired.")
    var expired = false

    @Flag(help: "Only what is pinned.")
    var pinned = false

    @Option(help: ArgumentHelp("original (as a rule), variant, or superseded: replaced and still leased.", valueName: "kind"))
    var kind: String?

    /// Throws `UsageFailure`.
    func filter() throws -> EntryFilter {
        var filter = EntryFilter()
        filter.olderThan = try value("older-than", olderThan, "a time such as 7d", TimeSpan.parse)
        filter.newerThan = try value("newer-than", newerThan, "a time such as 1h", TimeSpan.parse)
        filter.unusedFor = try value("unused-for", unusedFor, "a time such as 30d", TimeSpan.parse)
        filter.largerThan = try value("larger-than", largerThan, "a size such as 1MB", ByteCount.parse)
        filter.smallerThan = try value("smaller-than", smallerThan, "a size such as 1MB", ByteCount.parse)
        filter.host = try value("host", host, "a host such as example.org", HostPattern.init)
        filter.pattern = try value("match", match, "a part of an address or a glob", AddressPattern.init)
        filter.isExpired = expired
        filter.isPinned = pinned
        if let kind = try value("kind", kind, "original, variant or superseded", Entry.Kind.init(name:)) {
            filter.kinds = [kind]
        }
        return filter
    }

    private func value<Value>(
        _ name: String, _ text: String?, _ expected: String, _ parse: (String) -> Value?
    ) throws -> Value? {
        guard let text else { return nil }
        guard let value = parse(text) else { throw UsageFailure("--\(name) takes \(expected), not \"\(text)\"") }
        return value
    }
}
