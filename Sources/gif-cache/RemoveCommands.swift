import ArgumentParser
import Cache
import Commands
import GIFs
import Support

struct RemoveCommand: ParsableCommand, GIFCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove GIFs and all that was made from them.",
        discussion: """
            Either exercises are named, whose GIFs of all resolutions go unless --resolution names one, or conditions \
            say which GIFs of the scope are meant. What is pinned goes only when it is named. An exercise that is not \
            there is passed over with status 1.

            EXAMPLES
              gif-cache rm 0001
              gif-cache rm 0001 --resolution 1080
              gif-cache rm --unused-for 30d --dry-run
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var selection: GIFFilterOptions
    @Flag(help: "Only say what would go.") var dryRun = false
    @Flag(help: .json) var json = false
    @Argument(help: "Ids of exercises.") var ids: [String] = []

    var resolution: String? { selection.resolution }

    var needs: Needs { dryRun ? .looking : Needs() }

    func run() throws {
        let filter = try selection.filter()
        let resolution = try Resolution(option: resolution)
        let output = try ReportOutput(json: json)
        if ids.isEmpty {
            guard filter != EntryFilter() || resolution != nil else {
                throw UsageFailure(
                    "name at least one exercise, or say by conditions such as --older-than which GIFs go; "
                        + "gif-cache clear removes all")
            }
            let lookup = try GIFLookup(common)
            try lookup.context.interruption.catchSignals()
            let report = try lookup.gifs.remove(filter, resolution: resolution, dryRun: dryRun)
            lookup.caches.close()
            return try output.write(report.json, report.text)
        }
        guard filter == EntryFilter() else {
            throw UsageFailure("name exercises, or say by conditions which GIFs are meant, not both")
        }
        var sum = Removal()
        let finish = {
            let report = RemovalReport(sum, isDryRun: dryRun)
            if sum.entries > 0 { try output.write(report.json, report.text) }
        }
        try forEachID(finish: finish) { id, _, lookup in
            sum.add(try lookup.gifs.remove(id, resolution, dryRun: dryRun))
        }
    }
}

struct ClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove all GIFs of the scope, pinned ones too, and nothing that another tool has kept.",
        discussion: """
            What was made from them goes too. It asks nothing, and says what went.

            EXAMPLES
              gif-cache clear --dry-run
              gif-cache clear --scope alice
            """)

    @OptionGroup var common: CommonOptions
    @Flag(help: "Only say what would go.") var dryRun = false
    @Flag(help: .json) var json = false

    func run() throws {
        let lookup = try GIFLookup(common)
        let output = try ReportOutput(json: json)
        try lookup.context.interruption.catchSignals()
        let report = try lookup.gifs.remove(EntryFilter(), sparesPinned: false, dryRun: dryRun)
        lookup.caches.close()
        try output.write(report.json, report.text)
    }
}
