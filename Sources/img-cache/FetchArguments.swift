import Cache
import Commands
import HTTP
import Records
import Support

/// How pictures are fetched: what `FetchOptions` has, or those of it that a command declares itself.
protocol FetchArguments: NetworkArguments {
    var header: [String] { get }
    var headerFor: [String] { get }
    var headerFile: String? { get }
    var bearerFile: String? { get }
    var bearerFor: [String] { get }
    var rate: String? { get }
    var jobsPerHost: String? { get }
    var allowInsecureRedirects: Bool { get }
    var maxBytes: String? { get }
    var offline: Bool { get }
    var refresh: Bool { get }
    var stale: Bool { get }
    var negativeTtl: String? { get }
    var respectCacheControl: Bool { get }
}

/// As if the option were not given.
extension FetchArguments {
    var header: [String] { [] }
    var headerFor: [String] { [] }
    var headerFile: String? { nil }
    var bearerFile: String? { nil }
    var bearerFor: [String] { [] }
    var rate: String? { nil }
    var jobsPerHost: String? { nil }
    var allowInsecureRedirects: Bool { false }
    var maxBytes: String? { nil }
    var offline: Bool { false }
    var refresh: Bool { false }
    var stale: Bool { true }
    var negativeTtl: String? { nil }
    var respectCacheControl: Bool { false }
}

extension FetchArguments {
    /// The cache's settings with what these options say about them. Touches no file.
    func cacheSettings(_ common: some CommonArguments, _ context: ToolContext) throws -> CacheSettings {
        if offline && refresh { throw UsageFailure("--offline and --refresh cannot be combined") }
        var settings = try common.cacheSettings(context)
        settings.isOffline = offline
        settings.refreshes = refresh
        settings.servesStale = stale
        let negativeTTL = try context.setting(
            "negative-ttl", option: negativeTtl, expected: "a time such as 10m", parse: TimeSpan.parse)
        settings.negativeTTL = negativeTTL.map { $0 > .zero ? .always($0) : .none } ?? .byClass
        settings.respectsCacheControl = try respectCacheControl
            || context.setting("respect-cache-control", option: nil, expected: "true or false", parse: Bool.init) == true
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

    /// What a command needs that fetches, and keeps local files too.
    func needs(_ arguments: [String]) -> Needs {
        var needs = networkNeeds
        needs.inputs = arguments
        return needs
    }

    /// What turns an address into a request. Reads the files with headers and passwords, if there are any.
    ///
    /// A header without an origin is for the one that all addresses among `arguments` have. Throws `UsageFailure` if
    /// they have several, and if there are records, which may name any.
    func request(
        _ context: ToolContext, arguments: [String]
    ) throws -> @Sendable (WebURL) -> HTTPRequest {
        let limit = try context.setting(
            "max-bytes", option: maxBytes, expected: "a size such as 256MB", parse: ByteCount.parse)
        let takesRecords = arguments.isEmpty || arguments.contains("-")
        // What is no address is said when its turn has come.
        let addresses = arguments.filter(\.hasScheme).compactMap { try? WebURL($0) }
        let given = try context.headers(
            .init(
                plain: header, addressed: headerFor, file: headerFile, bearerFile: bearerFile, bearers: bearerFor),
            for: takesRecords ? nil : addresses)
        let passwords = try passwords(context)
        return { url in
            HTTPRequest(
                url: url, headers: given.headers(for: url), netrc: passwords, cleartextOrigins: given.cleartextOrigins,
                byteLimit: limit ?? HTTPRequest.defaultByteLimit, acceptsCompression: false)
        }
    }
}
