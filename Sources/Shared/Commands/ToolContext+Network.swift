import HTTP
import Options
import Remote
import Support

extension ToolContext {
    /// Creates a client with the network options of the command line. Opens no connection and loads no library.
    ///
    /// - Parameters:
    ///   - rate: the limit on the total rate of all downloads in bytes per second, or nil.
    ///   - jobsPerHost: the maximum number of concurrent requests to a host, or nil.
    ///   - passwords: user names and passwords for all requests, from `passwords()`.
    ///   - wrap: returns the client's transport, which wraps the given libcurl transport.
    public func client(
        redirects: RedirectPolicy = RedirectPolicy(), rate: Int? = nil, jobsPerHost: Int? = nil,
        passwords: Netrc? = nil, over wrap: (any HTTPTransport) -> any HTTPTransport = { $0 }
    ) throws -> HTTPClient {
        let addressGuard = try value(.allowPrivate)
        let curl = CurlTransport(guard: addressGuard, environment: environment, certificateFile: try value(.cacert))
        return HTTPClient(
            transport: wrap(ObservedTransport.over(curl, metrics: metrics, progress: progress)),
            guard: addressGuard, retries: RetrySchedule(retries: try value(.retries)), redirects: redirects,
            looksUp: { [environment] in !ProxyChoice(for: $0, environment: environment).leavesNamesToProxy },
            timeouts: try timeouts(isSlowedDown: rate != nil), rate: rate.map(RateLimit.init),
            hosts: jobsPerHost.map(HostLimit.init), passwords: passwords, log: log, interruption: interruption)
    }

    /// Returns the requirements of a command that uses the network. Excludes files with secrets, which are read before
    /// the process drops its rights.
    public func networkRequirements() throws -> SandboxRequirements {
        var requirements = SandboxRequirements()
        requirements.usesNetwork = true
        requirements.certificates = try value(.cacert)
        return requirements
    }

    /// Returns the timeouts. With a rate limit, which slows down transfers, the default of the total timeout is a week.
    private func timeouts(isSlowedDown: Bool) throws -> HTTPRequest.Timeouts {
        var timeouts = HTTPRequest.Timeouts()
        let isExplicit = try text(.timeout) != nil
        timeouts.total = isSlowedDown && !isExplicit ? .seconds(7 * 86_400) : try value(.timeout)
        timeouts.connect = min(timeouts.connect, timeouts.total)
        timeouts.stall = min(timeouts.stall, timeouts.total)
        return timeouts
    }

    // MARK: Remote

    /// Returns the settings of the remote, or nil without a remote or with `--offline`. Reads the files that contain
    /// its headers and its key. Throws `UsageFailure` for an invalid header.
    public func remoteSettings() throws -> RemoteSettings? {
        guard let address = try value(.remote), !arguments[.offline] else { return nil }
        var settings = RemoteSettings(
            address, mode: try value(.remoteMode), scopes: try value(.remoteScopes), connect: try value(.remoteTimeout),
            wait: try value(.remoteWait))
        settings.byteLimit = try value(.maxBytes)
        settings.certificates = try value(.remoteCacert)
        settings.key = try value(.remoteKeyFile).map { path in
            let key = try secretFile(path, holding: "the key of the remote", byteLimit: 4096)
            guard key.count >= RemoteSettings.leastKey else {
                throw ConfigurationFailure(
                    "\(path) has \(key.count) bytes, but a remote key needs at least \(RemoteSettings.leastKey); "
                        + "create a key with head -c 32 /dev/urandom")
            }
            return key
        }
        if let path = try value(.remoteHeaderFile) { settings.headers = try remoteHeaders(path, for: address) }
        return settings
    }

    private func remoteHeaders(_ path: String, for address: RemoteAddress) throws -> [HTTPHeader] {
        guard case .http(let url) = address else {
            throw UsageFailure("remote_header_file requires an http or https remote")
        }
        var given = UserHeaders()
        try given.add(file: secretFile(path, holding: "the headers of the remote"), path: path)
        try given.assign(to: [url])
        return given.headers(for: url)
    }

    /// Creates the remote, or returns nil without settings. Opens no connection and loads no library.
    public func remote(_ settings: RemoteSettings?) -> Remote? {
        settings.map { Remote($0, environment: environment, log: log, metrics: metrics, interruption: interruption) }
    }
}
