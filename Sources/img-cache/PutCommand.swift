import ArgumentParser
import Cache
import Commands
import Previews
import Support

struct PutCommand: ParsableCommand, LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Download pictures that are not there yet, and say where they lie.",
        discussion: """
            A record's picture is the first of hdurl, url, thumbnail_url, image_url, image.image_url, image and gifUrl \
            that can be had; if one is gone for good, the next is tried.

            EXAMPLES
              img-cache put https://example.org/m31.jpg
              img-cache put photo.png --key my-photo
              apod-fetch --start-date 2024-02-01 --end-date 2024-02-07 | img-cache put --jobs 4 > week.ndjson
              img-cache put --retry-errors < week.ndjson > week2.ndjson
              img-cache put --incremental https://example.org/m31.jpg | img-downsample --variant overlay
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var fetch: FetchOptions

    @Flag(help: "Let a record leave for each scan or pass of a picture that is on its way, with a preview.")
    var incremental = false

    @Argument(help: "Addresses or files; - for records on standard input.")
    var pictures: [String] = []

    func run() throws { try put(stream, fetch, incremental: incremental) }
}

/// What it does, whichever of its options were declared.
extension LookupCommand {
    func put(
        _ stream: some StreamArguments, _ fetch: some FetchArguments, incremental: Bool
    ) throws {
        let context = try common.context(tool: "img-cache")
        let settings = try fetch.cacheSettings(common, context)
        let options = try stream.runOptions(context, jobs: 6)
        let rules = try keys.rules(arguments: pictures)
        let request = try fetch.request(context, arguments: pictures)
        let client = try fetch.client(context)
        context.confine(settings, fetch.needs(pictures))
        let caches = Caches(
            settings: settings, log: context.log, metrics: context.metrics, interruption: context.interruption)
        let tool = PutTool(
            caches: caches, client: client, rules: rules, previews: incremental ? try previews(context, caches) : nil,
            request: request)
        let status = try context.run(
            tool, options: options, arguments: pictures, expecting: "addresses or files",
            job: pictureJob)
        caches.close()
        try end(with: status)
    }

    /// What makes previews. Those of earlier runs that nobody has a lease on any more go first.
    private func previews(_ context: ToolContext, _ caches: Caches) throws -> PutTool.Previews {
        try caches.removeOldPreviews()
        return { PreviewMaker(log: context.log, interruption: context.interruption, ready: $0) }
    }
}
