import ArgumentParser
import Cache
import Commands
import GIFs
import HTTP
import Records
import Support

@main
struct GIFCacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gif-cache",
        abstract: "Keep ExerciseDB's GIFs on the disk.",
        discussion: """
            GIFs are found by the exercise's id and the resolution, and kept in the cache that img-cache uses. The \
            service is named by EXERCISEDB_API_URL, the key by EXERCISEDB_API_KEY or --api-key-file.

            EXAMPLES
              gif-cache put 0001 0002
              gif-cache put < exercises.ndjson | img-downsample --width 96 --format png
              gif-cache get 0001 --print path

            EXIT STATUS
              0 all done, 1 not in the cache, 64 usage, 65 not a GIF,
              69 no such exercise, 75 may work later (also a quota that is used up),
              77 not allowed (a key is missing or wrong), 78 configuration.
            """,
        version: toolsVersion,
        subcommands: [PutCommand.self, GetCommand.self])

    static func main() { runTool(Self.self) }
}

struct GIFOptions: ParsableArguments {
    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var network: NetworkOptions

    @Option(help: ArgumentHelp("Pixels of a side: 180, 360, 720 or 1080, as far as the plan goes (180).", valueName: "pixels"))
    var resolution: String?

    @Option(help: ArgumentHelp("Field that holds the id; else id or exerciseId.", valueName: "field"))
    var idField: String?

    @Option(help: ArgumentHelp("File that holds the key (else EXERCISEDB_API_KEY).", valueName: "file"))
    var apiKeyFile: String?

    @Argument(help: "Ids of exercises; - for records on standard input.")
    var ids: [String] = []

    func run(_ mode: GIFTool.Mode) throws {
        let context = try common.context(tool: "gif-cache")
        let wanted = try context.setting(
            "resolution", option: resolution, expected: "180, 360, 720 or 1080", parse: { Resolution($0) })
        let field = try idField.map { text in
            guard let path = FieldPath(text) else {
                throw UsageFailure("--id-field takes a field or a dotted path, not \"\(text)\"")
            }
            return path
        }
        let caches = try common.caches(context)
        let key = try context.secret(file: apiKeyFile, variable: "EXERCISEDB_API_KEY")
        let address = try context.setting(
            "exercisedb-url", option: nil, variable: "EXERCISEDB_API_URL", expected: "an http or https address"
        ) { $0 }
        let gifs = GIFCache(
            caches: caches, service: try ExerciseService(address: address ?? ExerciseService.standardAddress, key: key),
            client: try network.client(context, passwords: try network.passwords(context)) {
                ExerciseTransport(over: $0)
            })
        let tool = GIFTool(cache: gifs, mode: mode, resolution: wanted ?? .standard, idField: field)
        let status = try context.run(
            tool, options: try stream.runOptions(context, jobs: mode == .put ? 3 : 1), arguments: ids,
            expecting: "ids of exercises"
        ) { id in
            var record = Record()
            record.set("id", .string(id))
            return RecordJob(record, argument: id)
        }
        caches.close()
        try end(with: status)
    }
}

struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Fetch GIFs that are not there yet, three at a time, and say where they lie.",
        discussion: """
            EXAMPLES
              gif-cache put 0001 --resolution 360 --print path
              gif-cache put --id-field exercise.id < workouts.ndjson
            """)

    @OptionGroup var options: GIFOptions

    func run() throws { try options.run(.put) }
}

struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Say where GIFs lie, without the network.",
        discussion: """
            EXAMPLES
              gif-cache get 0001 --print path || echo "not there yet"
            """)

    @OptionGroup var options: GIFOptions

    func run() throws { try options.run(.get) }
}
