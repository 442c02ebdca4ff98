import HTTP
import Options
import Support

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

extension ToolContext {
    /// A client for the options about the network. Opens and loads nothing.
    ///
    /// - Parameters:
    ///   - pace: how much of the network is used at once.
    ///   - passwords: for all requests; see `passwords()`.
    ///   - wrap: what is to stand between the client and libcurl, if anything.
    public func client(
        redirects: RedirectPolicy = RedirectPolicy(), pace: NetworkPace = NetworkPace(), passwords: Netrc? = nil,
        over wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws -> HTTPClient {
        let addressGuard = try value(.allowPrivate) ?? .standard
        var schedule = RetrySchedule()
        if let count = try value(.retries) { schedule.retries = count }
        let environment = environment
        return HTTPClient(
            transport: wrap(
                ObservedTransport.over(
                    CurlTransport(
                        guard: addressGuard, environment: environment,
                        settings: CurlTransport.Settings(certificateFile: arguments[.cacert])),
                    metrics: metrics, progress: progress)),
            guard: addressGuard, retries: schedule, redirects: redirects,
            looksUp: { !ProxyChoice(for: $0, environment: environment).leavesNamesToProxy },
            timeouts: try timeouts(isSlowedDown: pace.bytesPerSecond != nil),
            rate: pace.bytesPerSecond.map(RateLimit.init), hosts: pace.jobsPerHost.map(HostLimit.init),
            passwords: passwords, log: log, interruption: interruption)
    }

    /// What a command needs beside its cache that uses the network. Files of secrets are none of it: they are read
    /// before.
    public var networkNeeds: Needs {
        var needs = Needs()
        needs.usesNetwork = true
        needs.certificates = arguments[.cacert]
        return needs
    }

    /// How long a request may take. What is slowed down on purpose takes as long as it takes, unless there is a limit
    /// by name.
    private func timeouts(isSlowedDown: Bool) throws -> HTTPRequest.Timeouts {
        var timeouts = HTTPRequest.Timeouts()
        if isSlowedDown { timeouts.total = .seconds(7 * 86_400) }
        if let total = try value(.timeout) {
            timeouts.total = total
            timeouts.connect = min(timeouts.connect, total)
            timeouts.stall = min(timeouts.stall, total)
        }
        return timeouts
    }
}
