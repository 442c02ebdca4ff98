import ArgumentParser
import Cache
import Commands
import HTTP
import Support

/// How pictures are fetched: what all commands that may open a connection have in common.
///
/// It has the network's options itself rather than a group of them, which would cost each cold start one more.
struct FetchOptions: NetworkArguments {
    @Option(help: .timeout) var timeout: String?
    @Option(help: .retries) var retries: String?
    @Option(help: .allowPrivate) var allowPrivate: String?
    @Option(help: .cacert) var cacert: String?

    @Option(help: ArgumentHelp("Refuse larger pictures (256MB).", valueName: "size"))
    var maxBytes: String?

    @Flag(help: "Never open a connection.")
    var offline = false

    @Flag(help: "Ask the server also for what has not expired.")
    var refresh = false

    @Flag(inversion: .prefixedNo, help: "Use an expired picture where its server cannot be reached.")
    var stale = true

    /// The cache's settings with what these options say about them. Touches no file.
    func cacheSettings(_ common: CommonOptions, _ context: ToolContext) throws -> CacheSettings {
        if offline && refresh { throw UsageFailure("--offline and --refresh exclude each other") }
        var settings = try common.cacheSettings(context)
        settings.isOffline = offline
        settings.refreshes = refresh
        settings.servesStale = stale
        return settings
    }

    /// What turns an address into a request.
    func request(_ context: ToolContext) throws -> @Sendable (WebURL) -> HTTPRequest {
        let limit = try context.setting(
            "max-bytes", option: maxBytes, expected: "a size such as 256MB", parse: ByteCount.parse)
        return { url in
            HTTPRequest(url: url, byteLimit: limit ?? HTTPRequest.defaultByteLimit, acceptsCompression: false)
        }
    }
}
