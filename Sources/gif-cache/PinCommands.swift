import ArgumentParser
import Commands
import GIFs

struct PinCommand: ParsableCommand, GIFCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep GIFs from being trimmed or cleaned away.",
        discussion: """
            They still expire, and are asked for anew then. A GIF that is not in the cache gives a record with an \
            error, and status 1.

            EXAMPLES
              gif-cache put < favourites.ndjson | gif-cache pin > pinned.ndjson
              gif-cache pin 0001
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @Option(help: .resolution) var resolution: String?
    @Option(help: .idField) var idField: String?

    @Argument(help: "Ids of exercises; - for records on standard input.")
    var ids: [String] = []

    var needs: Needs { Needs() }

    func run() throws { try runPinning(true, stream) }
}

struct UnpinCommand: ParsableCommand, GIFCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Let GIFs be trimmed and cleaned away again.",
        discussion: """
            EXAMPLES
              gif-cache unpin 0001
              gif-cache ls --pinned --json | gif-cache unpin
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @Option(help: .resolution) var resolution: String?
    @Option(help: .idField) var idField: String?

    @Argument(help: "Ids of exercises; - for records on standard input.")
    var ids: [String] = []

    var needs: Needs { Needs() }

    func run() throws { try runPinning(false, stream) }
}

extension GIFCommand {
    fileprivate func runPinning(_ isPinned: Bool, _ stream: some StreamArguments) throws {
        try run { try stream.runOptions($0, jobs: 1) } tool: { lookup, naming in
            GetGIFTool(gifs: lookup.gifs, naming: naming, pins: isPinned)
        }
    }
}
