import ArgumentParser
import Commands
import GIFs

struct PutCommand: ParsableCommand, GIFCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Fetch GIFs that are not there yet, three at a time, and say where they lie.",
        discussion: """
            EXAMPLES
              gif-cache put 0001 --resolution 360 --print path
              gif-cache put --id-field exercise.id < workouts.ndjson
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var network: NetworkOptions

    @Option(
        help: ArgumentHelp(
            "Pixels of a side: 180, 360, 720 or 1080, as far as the plan goes (180).", valueName: "pixels"))
    var resolution: String?

    @Option(help: .idField) var idField: String?

    @Option(help: ArgumentHelp("File that holds the key (else EXERCISEDB_API_KEY).", valueName: "file"))
    var apiKeyFile: String?

    @Argument(help: "Ids of exercises; - for records on standard input.")
    var ids: [String] = []

    func run() throws { try put(stream, network, apiKeyFile: apiKeyFile) }
}

/// What it does, whichever of its options were declared.
extension GIFCommand {
    func put(_ stream: some StreamArguments, _ network: some NetworkArguments, apiKeyFile: String?) throws {
        let context = try common.context(tool: "gif-cache")
        let caches = try common.caches(context)
        let key = try context.secret(file: apiKeyFile, variable: "EXERCISEDB_API_KEY")
        let gifs = GIFCache(
            caches: caches, service: try context.exerciseService(key: key),
            client: try network.client(context, passwords: try network.passwords(context)) {
                ExerciseTransport(over: $0)
            })
        let status = try context.run(
            GIFTool(cache: gifs, naming: try naming(context)), options: try stream.runOptions(context, jobs: 3),
            arguments: ids, expecting: "ids of exercises", job: gifJob)
        caches.close()
        try end(with: status)
    }
}
