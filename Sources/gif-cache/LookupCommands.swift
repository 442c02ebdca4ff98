import ArgumentParser
import Commands
import GIFs
import Support

struct GetCommand: ParsableCommand, GIFCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Say where GIFs lie, without the network.",
        discussion: """
            A GIF that is not in the cache gives a record with an error, and status 1.

            EXAMPLES
              gif-cache get 0001 --print path || echo "not there yet"
              gif-cache get --id-field exercise.id < workouts.ndjson
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @Option(help: .resolution) var resolution: String?
    @Option(help: .idField) var idField: String?

    @Argument(help: "Ids of exercises; - for records on standard input.")
    var ids: [String] = []

    func run() throws { try get(stream) }
}

struct HasCommand: ParsableCommand, GIFCommand {
    static let configuration = CommandConfiguration(
        commandName: "has",
        abstract: "Tell by the exit status whether GIFs are there: 0 all, 1 not all.",
        discussion: """
            EXAMPLES
              gif-cache has 0001 && echo "no need to fetch"
              gif-cache has 0001 --resolution 360
            """)

    @OptionGroup var common: CommonOptions
    @Option(help: .resolution) var resolution: String?
    @Argument(help: "Ids of exercises.") var ids: [String] = []

    func run() throws { try has() }
}

struct PathCommand: ParsableCommand, GIFCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print where GIFs lie, one path a line.",
        discussion: """
            EXAMPLES
              cp "$(gif-cache path 0001)" curl.gif
            """)

    @OptionGroup var common: CommonOptions
    @Option(help: .resolution) var resolution: String?
    @Argument(help: "Ids of exercises.") var ids: [String] = []

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each path by NUL instead of a line feed.")
    var nullTerminated = false

    func run() throws { try printPaths(nullTerminated: nullTerminated) }
}

struct CatCommand: ParsableCommand, GIFCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat",
        abstract: "Write the bytes of GIFs to standard output, unless that is a terminal.",
        discussion: """
            EXAMPLES
              gif-cache cat 0001 > curl.gif
              gif-cache cat 0001 | img-downsample - --width 90 -o small.gif
            """)

    @OptionGroup var common: CommonOptions
    @Option(help: .resolution) var resolution: String?
    @Argument(help: "Ids of exercises.") var ids: [String] = []

    func run() throws { try cat() }
}

/// What the commands above do, whichever of their options were declared.
extension GIFCommand {
    func get(_ stream: some StreamArguments) throws {
        try run { try stream.runOptions($0, jobs: 1) } tool: { lookup, naming in
            GetGIFTool(gifs: lookup.gifs, naming: naming)
        }
    }

    func has() throws {
        guard !ids.isEmpty else { throw UsageFailure("name at least one exercise by its id, such as 0001") }
        let lookup = try GIFLookup(common, .looking)
        let naming = try naming(lookup.context)
        for id in ids {
            do {
                _ = try lookup.gifs.find(ExerciseID(id), naming.resolution)
            } catch let failure as any Failure where failure.exitCode == .absent {
                lookup.context.log.detail(failure.message)
                lookup.caches.close()
                try end(with: Support.ExitCode.absent.rawValue)
            }
        }
        lookup.caches.close()
    }

    func printPaths(nullTerminated: Bool) throws {
        let output = try File(descriptor: 1, path: "standard output", closes: false)
        try forEachID { id, naming, lookup in
            let path = try lookup.gifs.find(id, naming.resolution).entry.path
            try output.write(Array(path.utf8) + [nullTerminated ? 0 : UInt8(ascii: "\n")])
        }
    }

    func cat() throws {
        let output = try PictureOutput(example: "exercise.gif")
        try forEachID { id, naming, lookup in
            try output.copy(lookup.gifs.find(id, naming.resolution).entry.path)
        }
    }
}
