import CacheTools
import Commands
import Fetch
import HTTP
import Options
import Previews
import Store
import Support

extension ToolContext {
    /// The cache's settings with what the options say about fetching. Touches no file.
    func fetchSettings() throws -> CacheSettings {
        try arguments.exclude(.offline, .refresh)
        try arguments.exclude(.skipMade, .outputDir)
        var settings = try cacheSettings()
        settings.isOffline = arguments[.offline]
        settings.refreshes = arguments[.refresh]
        settings.servesStale = !arguments[.noStale]
        settings.negativeTTL = try value(.negativeTTL).map { $0 > .zero ? .always($0) : .none } ?? .byClass
        settings.respectsCacheControl = try isSet(.respectCacheControl)
        return settings
    }

    /// What puts pictures, and where, once all rights are given up that this does not need.
    func putTool() throws -> (tool: PutTool, caches: Caches) {
        let settings = try fetchSettings()
        let rules = try self.rules(settings)
        let request = try requests()
        let client = try downloadClient()
        var needs = try fetchNeeds()
        let copies = try copies(&needs)
        needs.remote = try remoteSettings()
        confine(settings, needs)
        let caches = caches(settings, remote: remote(needs.remote))
        var tool = PutTool(caches: caches, client: client, rules: rules, request: request)
        tool.copies = copies
        tool.made = arguments[.skipMade].map(MadeFiles.init)
        if arguments[.media] { tool.inspect = CacheStore.wholePictureOrMovie }
        tool.degrades = try value(.degrade) ?? true
        if let limit = try value(.maxBytes) { tool.byteLimit = limit }
        if let delay = try value(.delay) { tool.pacing = StartPacing(delay: delay, sleep: interruption.sleep) }
        if arguments[.incremental] {
            // Those of earlier runs whose leases have ended go first.
            try caches.removeOldPreviews()
            tool.previews = { [log, interruption] in PreviewMaker(log: log, interruption: interruption, ready: $0) }
        }
        return (tool, caches)
    }

    /// A client for downloads. Opens and loads nothing.
    func downloadClient() throws -> HTTPClient {
        try client(
            redirects: RedirectPolicy(allowsInsecure: isSet(.allowInsecureRedirects)), rate: value(.rate),
            jobsPerHost: value(.jobsPerHost) ?? 6)  // as browsers do
    }

    /// What a command needs that fetches, and keeps local files too.
    func fetchNeeds() throws -> Needs {
        var needs = try networkNeeds()
        needs.inputs = arguments.operands
        return needs
    }

    /// Returns what turns an address into a request. Reads the files with headers and passwords, if there are any.
    ///
    /// A header without an origin is for the one that all addresses of the command line have. Throws `UsageFailure` if
    /// they have several, and if there are records, which may name any.
    func requests() throws -> @Sendable (WebURL) -> HTTPRequest {
        let limit = try value(.maxBytes)
        // What is no address is said when its turn has come.
        let addresses = arguments.operands.filter(\.hasScheme).compactMap { try? WebURL($0) }
        let given = try headers(for: arguments.readsInput ? nil : addresses)
        let passwords = try passwords()
        return { url in
            HTTPRequest(
                url: url, headers: given.headers(for: url), netrc: passwords, cleartextOrigins: given.cleartextOrigins,
                byteLimit: limit ?? HTTPRequest.defaultByteLimit, acceptsCompression: false)
        }
    }
}
