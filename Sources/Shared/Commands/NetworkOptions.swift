import ArgumentParser
import HTTP
import Support

/// How the network is used.
public struct NetworkOptions: ParsableArguments, NetworkArguments {
    @Option(help: .timeout) public var timeout: String?
    @Option(help: .retries) public var retries: String?
    @Option(help: .allowPrivate) public var allowPrivate: String?
    @Option(help: .cacert) public var cacert: String?
    @Flag(help: .netrc) public var netrc = false
    @Option(help: .netrcFile) public var netrcFile: String?

    public init() {}
}

/// Options that say how the network is used. A protocol rather than a group alone, so that a command with more of them
/// has one group for all: see `CommonOptions`.
public protocol NetworkArguments {
    var timeout: String? { get }
    var retries: String? { get }
    var allowPrivate: String? { get }
    var cacert: String? { get }
    var netrc: Bool { get }
    var netrcFile: String? { get }
}

/// As if the option were not given.
extension NetworkArguments {
    public var timeout: String? { nil }
    public var retries: String? { nil }
    public var allowPrivate: String? { nil }
    public var cacert: String? { nil }
    public var netrc: Bool { false }
    public var netrcFile: String? { nil }
}

extension ArgumentHelp {
    public static var timeout: ArgumentHelp {
        ArgumentHelp("How long one request may take in all, retries included (120s).", valueName: "time")
    }

    public static var retries: ArgumentHelp {
        ArgumentHelp("How often to retry a request that failed temporarily (3).", valueName: "n")
    }

    public static var allowPrivate: ArgumentHelp {
        ArgumentHelp(
            """
            Allow private, loopback and reserved addresses: all of them, or a list of CIDRs (APOD_TOOLS_ALLOW_PRIVATE).
            """,
            valueName: "cidrs")
    }

    public static var netrc: ArgumentHelp { "Take user names and passwords from ~/.netrc." }

    public static var netrcFile: ArgumentHelp {
        ArgumentHelp("Take user names and passwords from this file.", valueName: "file")
    }

    public static var cacert: ArgumentHelp {
        ArgumentHelp("Trust the certificates in this PEM file instead of the system's.", valueName: "file")
    }
}

/// How much of the network a run uses at once; nil is without limit.
public struct NetworkPace: Sendable, Hashable {
    /// Of all downloads together.
    public var bytesPerSecond: Int?
    /// How many exchanges go on with one host.
    public var jobsPerHost: Int?

    public init(bytesPerSecond: Int? = nil, jobsPerHost: Int? = nil) {
        self.bytesPerSecond = bytesPerSecond
        self.jobsPerHost = jobsPerHost
    }
}

extension NetworkArguments {
    /// A client for these options. Opens and loads nothing.
    ///
    /// - Parameters:
    ///   - pace: how much of the network is used at once.
    ///   - passwords: for all requests; see `passwords(_:)`.
    ///   - wrap: what is to stand between the client and libcurl, if anything.
    public func client(
        _ context: ToolContext, redirects: RedirectPolicy = RedirectPolicy(), pace: NetworkPace = NetworkPace(),
        passwords: Netrc? = nil, over wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws -> HTTPClient {
        let addressGuard = try addressGuard(context)
        var schedule = RetrySchedule()
        if let count = try context.setting(
            "retries", option: retries, expected: "a number from 0 to 100",
            parse: { Int($0).flatMap { (0...100).contains($0) ? $0 : nil } })
        {
            schedule.retries = count
        }
        let environment = context.environment
        return HTTPClient(
            transport: wrap(
                ObservedTransport.over(
                    CurlTransport(
                        guard: addressGuard, environment: context.environment,
                        settings: CurlTransport.Settings(certificateFile: cacert)),
                    metrics: context.metrics, progress: context.progress)),
            guard: addressGuard, retries: schedule, redirects: redirects,
            looksUp: { !ProxyChoice(for: $0, environment: environment).leavesNamesToProxy },
            timeouts: try timeouts(context, isSlowedDown: pace.bytesPerSecond != nil),
            rate: pace.bytesPerSecond.map(RateLimit.init), hosts: pace.jobsPerHost.map(HostLimit.init), passwords: passwords,
            log: context.log, interruption: context.interruption)
    }

    /// What a command with these options needs beside its cache. Files of secrets are none of it: they are read before.
    public var networkNeeds: Needs {
        var needs = Needs()
        needs.usesNetwork = true
        needs.certificates = cacert
        return needs
    }

    /// The user names and passwords of the `.netrc` file that the options or the configuration name; nil where they name
    /// none. Throws as `ToolContext.passwords` does.
    public func passwords(_ context: ToolContext) throws -> Netrc? {
        try context.passwords(usesHome: netrc, file: netrcFile)
    }

    /// How long a request may take. What is slowed down on purpose takes as long as it takes, unless there is a limit
    /// by name.
    private func timeouts(_ context: ToolContext, isSlowedDown: Bool) throws -> HTTPRequest.Timeouts {
        var timeouts = HTTPRequest.Timeouts()
        if isSlowedDown { timeouts.total = .seconds(7 * 86_400) }
        if let total = try context.setting(
            "timeout", option: timeout, expected: "a time such as 120s",
            parse: { text in TimeSpan.parse(text).flatMap { $0 > .zero ? $0 : nil } })
        {
            timeouts.total = total
            timeouts.connect = min(timeouts.connect, total)
            timeouts.stall = min(timeouts.stall, total)
        }
        return timeouts
    }

    private func addressGuard(_ context: ToolContext) throws -> AddressGuard {
        try context.setting(
            "allow-private", option: allowPrivate, variable: "APOD_TOOLS_ALLOW_PRIVATE", expected: "CIDRs",
            parse: AddressGuard.init(allowPrivate:)) ?? .standard
    }
}
