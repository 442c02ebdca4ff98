import CacheTools
import Commands
import Fetch
import HTTP
import Options
import Previews
import Store
import Support

extension ToolContext {
    /// Returns the settings of the cache, including the options for fetching. Accesses no file.
    func fetchSettings() throws -> CacheSettings {
        try arguments.exclude(.offline, .refresh)
        try arguments.exclude(.skipMade, .outputDir)
        var settings = try cacheSettings()
        settings.isOffline = arguments[.offline]
        settings.refreshes = arguments[.refresh]
        settings.servesStale = !arguments[.noStale]
        settings.negativeTTL = try value(.negativeTTL).map { $0 > .zero ? .always($0) : .none } ?? .byClass
        settings.respectsCacheControl = try value(.respectCacheControl)
        return settings
    }

    /// Drops all rights that the command does not need, and returns the tool with its caches.
    func putTool() throws -> (tool: PutTool, caches: Caches) {
        var settings = try fetchSettings()
        let rules = try self.rules(settings)
        let request = try requests()
        let client = try downloadClient()
        var requirements = try fetchRequirements()
        let copies = try copies(&requirements, stores: true)
        requirements.remote = try remoteSettings()
        confine(&settings, requirements)
        let caches = caches(settings, remote: remote(requirements.remote))
        var tool = PutTool(caches: caches, client: client, rules: rules, request: request)
        tool.copies = copies
        tool.made = arguments[.skipMade].map(MadeFiles.init)
        if arguments[.media] { tool.inspect = CacheStore.wholePictureOrMovie }
        tool.degrades = try value(.degrade)
        tool.byteLimit = try value(.maxBytes)
        if let delay = try value(.delay) { tool.pacing = StartPacing(delay: delay, sleep: interruption.sleep) }
        if arguments[.incremental] {
            // Delete the previews of earlier runs whose leases have expired.
            try caches.removeOldPreviews()
            tool.previews = { [log, interruption] in PreviewMaker(log: log, interruption: interruption, ready: $0) }
        }
        return (tool, caches)
    }

    func downloadClient() throws -> HTTPClient {
        try client(
            redirects: RedirectPolicy(allowsInsecure: value(.allowInsecureRedirects)), rate: value(.rate),
            jobsPerHost: value(.jobsPerHost))
    }

    func fetchRequirements() throws -> SandboxRequirements {
        var requirements = try networkRequirements()
        requirements.inputs = arguments.operands
        return requirements
    }

    /// Returns a function that creates the request for an address. Reads the files that contain headers and passwords.
    ///
    /// A header without an origin is sent to the origin of the addresses on the command line. Throws `UsageFailure` for
    /// a header without an origin if the addresses have several origins, or if the addresses come from records.
    func requests() throws -> @Sendable (WebURL) -> HTTPRequest {
        let limit = try value(.maxBytes)
        // Ignore malformed addresses. They are reported later, in the order of the operands.
        let addresses = arguments.operands.filter(\.hasScheme).compactMap { try? WebURL($0) }
        let given = try headers(for: arguments.readsInput ? nil : addresses)
        let passwords = try passwords()
        return { url in
            HTTPRequest(
                url: url, headers: given.headers(for: url), netrc: passwords, cleartextOrigins: given.cleartextOrigins,
                byteLimit: limit, acceptsCompression: false)
        }
    }
}
