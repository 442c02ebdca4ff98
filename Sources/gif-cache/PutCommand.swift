import ArgumentParser
import Commands
import GIFs

struct PutCommand: ParsableCommand, GIFCommand, ServiceArguments {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Fetch GIFs that are not there yet, three at a time, and say where they lie.",
        discussion: """
            A record whose GIF cannot be had bears the error and goes on with a placeholder, a small animation, as its \
            path; gif.placeholder tells it. When the plan's requests are used up, nothing more is asked.

            EXAMPLES
              gif-cache put 0001 --resolution 360 --print path
              gif-cache put --placeholder ./soon.gif < workouts.ndjson
              gif-cache put --id-field exercise.id < workouts.ndjson
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var network: NetworkOptions

    @Option(help: .wantedResolution) var resolution: String?
    @Option(help: .idField) var idField: String?
    @Option(help: .apiKeyFile) var apiKeyFile: String?
    @Option(help: .placeholder) var placeholder: String?
    @Flag(name: .customLong("no-placeholder"), help: .noPlaceholder) var noPlaceholder = false
    @Flag(help: "Fetch also what is there and fresh, and ask although the quota was used up.") var refresh = false
    @Flag(help: .offline) var offline = false

    @Argument(help: "Ids of exercises; - for records on standard input.")
    var ids: [String] = []

    func run() throws { try put(stream, network, self) }
}

/// What it does, whichever of its options were declared.
extension GIFCommand {
    func put(
        _ stream: some StreamArguments, _ network: some NetworkArguments, _ service: some ServiceArguments
    ) throws {
        let work = try ServiceWork(service, common, network, refreshesGIFs: service.refresh)
        let context = work.context
        let status = try context.run(
            work.tool(naming(context)), options: try stream.runOptions(context, jobs: 3), arguments: ids,
            expecting: "ids of exercises", job: gifJob)
        work.caches.close()
        try end(with: status)
    }
}
