import ArgumentParser
import Commands
import GIFs
import Support

struct PosterCommand: ParsableCommand, GIFCommand {
    static let configuration = CommandConfiguration(
        commandName: "poster",
        abstract: "Draw the first frame of GIFs as PNGs, and say where they lie.",
        discussion: """
            The frame is drawn as a viewer shows it, on the whole canvas. It is kept beside the GIF, and goes with it; \
            records get the field `poster`. With --output it is written there instead, for a single exercise.

            EXAMPLES
              gif-cache poster 0001 --print poster.path
              gif-cache put < exercises.ndjson | gif-cache poster > posters.ndjson
              gif-cache poster 0001 --output curl.png
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @Option(help: .resolution) var resolution: String?
    @Option(help: .idField) var idField: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the PNG to this file, or - for standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "End only when the file of --output is on the disk, safe from a power cut.")
    var sync = false

    @Argument(help: "Ids of exercises; - for records on standard input.")
    var ids: [String] = []

    var needs: Needs {
        var needs = Needs()
        needs.outputs = output.map { [$0] } ?? []
        return needs
    }

    func run() throws {
        if let output { return try write(to: output) }
        if sync { throw UsageFailure("--sync goes with --output; the cache always waits for the disk") }
        try run { try stream.runOptions($0, jobs: Thread.processors) } tool: { lookup, naming in
            PosterTool(gifs: lookup.gifs, naming: naming, interruption: lookup.context.interruption)
        }
    }

    private func write(to path: String) throws {
        guard ids.count == 1, ids != ["-"] else {
            throw UsageFailure("--output goes with exactly one id; without it the posters of many lie in the cache")
        }
        // Refused before anything is drawn.
        let standardOutput = path == "-" ? try PictureOutput(example: "poster.png") : nil
        try forEachID { id, naming, lookup in
            let interruption = lookup.context.interruption
            try interruption.catchSignals()
            let kept = try lookup.gifs.find(id, naming.resolution)
            let png = try interruption.during { try kept.poster(interruption: interruption).png }
            if let standardOutput { return try standardOutput.write(png) }
            let file = try OutputFile(path: path)
            try png.withUnsafeBytes { try file.write($0) }
            try file.commit(synchronized: lookup.context.synchronizes(option: sync))
        }
    }
}
