import ArgumentParser
import Cache
import Commands
import HTTP
import Support

struct PutCommand: ParsableCommand {
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
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var network: NetworkOptions

    @Option(help: ArgumentHelp("Refuse larger pictures (256MB).", valueName: "size"))
    var maxBytes: String?

    @Flag(help: "Never open a connection.")
    var offline = false

    @Flag(help: "Ask the server also for what has not expired.")
    var refresh = false

    @Flag(inversion: .prefixedNo, help: "Use an expired picture where its server cannot be reached.")
    var stale = true

    @Argument(help: "Addresses or files; - for records on standard input.")
    var pictures: [String] = []

    func run() throws {
        let context = try common.context(tool: "img-cache")
        if offline && refresh { throw UsageFailure("--offline and --refresh exclude each other") }
        var settings = try common.cacheSettings(context)
        settings.isOffline = offline
        settings.refreshes = refresh
        settings.servesStale = stale
        let options = try stream.runOptions(context, jobs: 6)
        let rules = try keys.rules(arguments: pictures)
        let limit = try context.setting(
            "max-bytes", option: maxBytes, expected: "a size such as 256MB", parse: ByteCount.parse)
        let client = try network.client(context)
        let cache = try ImageCache(settings: settings, log: context.log, interruption: context.interruption)
        let tool = PutTool(cache: cache, client: client, rules: rules) { url in
            HTTPRequest(url: url, byteLimit: limit ?? HTTPRequest.defaultByteLimit, acceptsCompression: false)
        }
        let status = try context.run(
            tool, options: options, arguments: pictures, expecting: "addresses or files",
            job: pictureJob)
        cache.close()
        try end(with: status)
    }
}
