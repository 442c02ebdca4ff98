import ArgumentParser
import Commands

/// Which entries are meant, where they are not named: see `FilterArguments`.
struct FilterOptions: ParsableArguments, FilterArguments {
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

    @Option(help: ArgumentHelp("Only pictures of this host; .example.org takes those below too.", valueName: "name"))
    var host: String?

    @Option(
        help: ArgumentHelp(
            "Only keys and addresses that contain this, or that a glob with * and ? matches.", valueName: "pattern"))
    var match: String?

    @Flag(help: "Only what has expired.")
    var expired = false

    @Flag(help: "Only what is pinned.")
    var pinned = false

    @Option(help: ArgumentHelp("original (usual), variant, or superseded: replaced while in use.", valueName: "kind"))
    var kind: String?
}
