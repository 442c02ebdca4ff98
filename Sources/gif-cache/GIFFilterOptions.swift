import ArgumentParser
import Commands

/// Which GIFs are meant, where they are not named: see `FilterArguments`.
struct GIFFilterOptions: ParsableArguments, FilterArguments {
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

    @Flag(help: "Only what has expired.")
    var expired = false

    @Flag(help: "Only what is pinned.")
    var pinned = false

    @Option(help: ArgumentHelp("Only this resolution: 180, 360, 720 or 1080.", valueName: "pixels"))
    var resolution: String?
}
