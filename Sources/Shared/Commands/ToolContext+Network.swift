import HTTP
import Options
import Support

extension ToolContext {
    /// A client that follows the options about the network. Opens and loads nothing. Throws `ConfigurationFailure` for
    /// a bad setting.
    ///
    /// - Parameters:
    ///   - rate: the most bytes per second of all downloads together; nil for no limit.
    ///   - jobsPerHost: the most concurrent exchanges with a host; nil for no limit.
    ///   - passwords: for all requests; see `passwords()`.
    ///   - wrap: may put a transport between the client and libcurl.
    public func client(
        redirects: RedirectPolicy = RedirectPolicy(), rate: Int? = nil, jobsPerHost: Int? = nil,
        passwords: Netrc? = nil,
        over wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws -> HTTPClient {
        let addressGuard = try value(.allowPrivate)
        let environment = environment
        return HTTPClient(
            transport: wrap(
                ObservedTransport.over(
                    CurlTransport(
                        guard: addressGuard, environment: environment, certificateFile: try value(.cacert)),
                    metrics: metrics, progress: progress)),
            guard: addressGuard, retries: RetrySchedule(retries: try value(.retries)), redirects: redirects,
            looksUp: { !ProxyChoice(for: $0, environment: environment).leavesNamesToProxy },
            timeouts: try timeouts(isSlowedDown: rate != nil),
            rate: rate.map(RateLimit.init), hosts: jobsPerHost.map(HostLimit.init),
            passwords: passwords, log: log, interruption: interruption)
    }

    /// The needs of a command that uses the network. Files with secrets are not included, as they have been read
    /// before. Throws `ConfigurationFailure` for a bad setting.
    public func networkRequirements() throws -> SandboxRequirements {
        var requirements = SandboxRequirements()
        requirements.usesNetwork = true
        requirements.certificates = try value(.cacert)
        return requirements
    }

    /// How long a request may take. Transfers that are slowed down on purpose may take as long as they need, unless
    /// there is an explicit limit.
    private func timeouts(isSlowedDown: Bool) throws -> HTTPRequest.Timeouts {
        var timeouts = HTTPRequest.Timeouts()
        let isExplicit = try text(.timeout) != nil
        timeouts.total = isSlowedDown && !isExplicit ? .seconds(7 * 86_400) : try value(.timeout)
        timeouts.connect = min(timeouts.connect, timeouts.total)
        timeouts.stall = min(timeouts.stall, timeouts.total)
        return timeouts
    }
}
