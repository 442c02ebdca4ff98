import HTTP
import Options
import Support

extension ToolContext {
    /// Creates a client with the network options of the command line. Opens no connection and loads no library. Throws
    /// `ConfigurationFailure` for an invalid setting.
    ///
    /// - Parameters:
    ///   - rate: the limit of all downloads together in bytes per second, or nil.
    ///   - jobsPerHost: the maximum number of concurrent exchanges with a host, or nil.
    ///   - passwords: user names and passwords for all requests, from `passwords()`.
    ///   - wrap: returns the transport for the client, given libcurl's transport.
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

    /// Returns the requirements of a command that uses the network. Excludes files with secrets, which are read before
    /// the process drops its rights. Throws `ConfigurationFailure` for an invalid setting.
    public func networkRequirements() throws -> SandboxRequirements {
        var requirements = SandboxRequirements()
        requirements.usesNetwork = true
        requirements.certificates = try value(.cacert)
        return requirements
    }

    /// Returns the timeouts of a request. With a rate limit, the total is a week unless `timeout` is set, because the
    /// limit makes transfers slow.
    private func timeouts(isSlowedDown: Bool) throws -> HTTPRequest.Timeouts {
        var timeouts = HTTPRequest.Timeouts()
        let isExplicit = try text(.timeout) != nil
        timeouts.total = isSlowedDown && !isExplicit ? .seconds(7 * 86_400) : try value(.timeout)
        timeouts.connect = min(timeouts.connect, timeouts.total)
        timeouts.stall = min(timeouts.stall, timeouts.total)
        return timeouts
    }
}
