import ArgumentParser
import Commands
import GIFs
import Records
import Support

struct InfoCommand: ParsableCommand, GIFCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Say what the bytes of GIFs tell: frames, delays, disposal, palettes, and more.",
        discussion: """
            Of exercises in the cache, and of files: what has a slash or ends in .gif is a file. On a terminal it is \
            written for eyes, elsewhere as records with the field `info`. Asking counts as no use of the GIF.

            EXAMPLES
              gif-cache info 0001
              gif-cache info ./curl.gif --print info.frames
              gif-cache ls --json | gif-cache info --print info.duration_ms
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @Option(help: .resolution) var resolution: String?
    @Option(help: .idField) var idField: String?
    @Flag(help: .json) var json = false

    @Argument(help: ArgumentHelp("Ids of exercises, or files; - for records on standard input.", valueName: "gifs"))
    var ids: [String] = []

    var needs: Needs {
        var needs = Needs.looking
        needs.inputs = ids.filter(GIFInfoTool.isFile)
        return needs
    }

    func run() throws {
        var writesText = false
        try run(
            { context in
                var options = try stream.runOptions(context, jobs: 1)
                writesText = options.layout == .lines && !json && Terminal.isTerminal(1)
                // Its words end their last line themselves: this is an empty line behind each.
                if writesText { options.layout = .field(GIFInfoTool.textField, terminator: UInt8(ascii: "\n")) }
                return options
            }, expecting: "ids of exercises or files",
            job: { GIFInfoTool.isFile($0) ? RecordJob(Record(), argument: $0) : gifJob($0) }
        ) { lookup, naming in
            GIFInfoTool(gifs: lookup.gifs, naming: naming, writesText: writesText)
        }
    }
}
