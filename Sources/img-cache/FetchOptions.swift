import ArgumentParser
import Cache
import Commands
import HTTP
import Records
import Support

/// How pictures are fetched: what all commands that may open a connection have in common.
///
/// It has the network's options itself rather than a group of them, which would cost each cold start one more.
struct FetchOptions: NetworkArguments {
    @Option(help: .timeout) var timeout: String?
    @Option(help: .retries) var retries: String?
    @Option(help: .allowPrivate) var allowPrivate: String?
    @Option(help: .cacert) var cacert: String?

    @Option(help: ArgumentHelp("Send 'Name: value' to the one server that is asked.", valueName: "header"))
    var header: [String] = []

    @Option(help: ArgumentHelp("Send 'Name: value' to this server alone.", valueName: "origin header"))
    var headerFor: [String] = []

    @Option(help: ArgumentHelp("Send this file's headers: one a line, perhaps behind an origin.", valueName: "file"))
    var headerFile: String?

    @Option(help: ArgumentHelp("Send this file's token to the one server that is asked.", valueName: "file"))
    var bearerFile: String?

    @Flag(help: "Take user names and passwords from ~/.netrc.")
    var netrc = false

    @Option(help: ArgumentHelp("Take user names and passwords from this file.", valueName: "file"))
    var netrcFile: String?

    @Option(help: ArgumentHelp("Download no more than this in a second, such as 500KB.", valueName: "size"))
    var rate: String?

    @Option(help: ArgumentHelp("How many downloads to run at once from one host (6).", valueName: "n"))
    var jobsPerHost: String?

    @Flag(help: "Follow redirects from https to http.")
    var allowInsecureRedirects = false

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

    /// A client for these options. Opens and loads nothing.
    func client(_ context: ToolContext) throws -> HTTPClient {
        var pace = NetworkPace(jobsPerHost: 6)  // as browsers do
        pace.bytesPerSecond = try context.setting(
            "rate", option: rate, expected: "a size such as 500KB, at least 1 KB",
            parse: { ByteCount.parse($0).flatMap { $0 >= 1000 ? $0 : nil } })
        if let count = try context.setting(
            "jobs-per-host", option: jobsPerHost, expected: "a number from 1 to 256",
            parse: { Int($0).flatMap { (1...256).contains($0) ? $0 : nil } })
        {
            pace.jobsPerHost = count
        }
        return try client(context, redirects: RedirectPolicy(allowsInsecure: allowInsecureRedirects), pace: pace)
    }

    /// What turns an address into a request. Reads the files with headers and passwords, if there are any.
    ///
    /// Where a header names no origin, all addresses must have the same one: another one is a `UsageFailure` here for
    /// one of `arguments`, and ends the run for one of a record.
    func request(
        _ context: ToolContext, arguments: [String]
    ) throws -> @Sendable (WebURL) throws -> HTTPRequest {
        let limit = try context.setting(
            "max-bytes", option: maxBytes, expected: "a size such as 256MB", parse: ByteCount.parse)
        let given = try context.headers(
            header, addressed: headerFor, file: headerFile, bearerFile: bearerFile)
        let passwords = try context.passwords(usesHome: netrc, file: netrcFile)
        let origin = given.needOneOrigin ? SoleOrigin() : nil
        for argument in arguments where argument.hasScheme {
            // What is no address is said when its turn has come.
            if let url = try? WebURL(argument) { try origin?.admit(url) }
        }
        return { url in
            do { try origin?.admit(url) } catch let failure as UsageFailure { throw EndOfRun(failure) }
            return HTTPRequest(
                url: url, headers: given.headers(for: url), netrc: passwords,
                byteLimit: limit ?? HTTPRequest.defaultByteLimit, acceptsCompression: false)
        }
    }
}
