import Support

/// Fetches over any transport: follows redirects, retries, keeps to limits, and turns statuses into failures.
public struct HTTPClient: Sendable {
    let transport: any HTTPTransport
    let addressGuard: AddressGuard
    private(set) var retries: RetrySchedule
    let redirects: RedirectPolicy
    let looksUp: @Sendable (WebURL) -> Bool
    let timeouts: HTTPRequest.Timeouts?
    let rate: RateLimit?
    let hosts: HostLimit?
    /// For requests that have none.
    public let passwords: Netrc?
    let log: Log
    let interruption: Interruption
    /// What the dates of servers are compared with.
    let clock: Clock
    /// What timeouts are measured by.
    let uptime: @Sendable () -> Duration
    let sleep: Sleeper
    private let hasWarned = Monitor(false)
    /// See `watched(by:)`.
    var watch: (@Sendable () throws -> Void)?

    /// - Parameters:
    ///   - guard: judges hosts that are addresses before anything is opened; the transport judges names.
    ///   - looksUp: whether this machine may look up the name of a URL's host; see `ProxyChoice.leavesNamesToProxy`.
    ///   - timeouts: for all requests; nil leaves each its own.
    ///   - rate: for all bodies together; nil for no limit.
    ///   - hosts: how many exchanges go on at once with a host; nil for no limit.
    ///   - passwords: the user names and passwords for requests that have none.
    ///   - uptime: a monotonic time that starts anywhere, whatever is done to the machine's clock.
    ///   - sleep: by default `interruption.sleep`.
    public init(
        transport: any HTTPTransport, guard addressGuard: AddressGuard = .standard,
        retries: RetrySchedule = RetrySchedule(), redirects: RedirectPolicy = RedirectPolicy(),
        looksUp: @escaping @Sendable (WebURL) -> Bool = { _ in true }, timeouts: HTTPRequest.Timeouts? = nil,
        rate: RateLimit? = nil, hosts: HostLimit? = nil,
        passwords: Netrc? = nil, log: Log = .silent, interruption: Interruption, clock: Clock = .system,
        uptime: @escaping @Sendable () -> Duration = SteadyTime.now, sleep: Sleeper? = nil
    ) {
        self.transport = transport
        self.addressGuard = addressGuard
        self.retries = retries
        self.redirects = redirects
        self.looksUp = looksUp
        self.timeouts = timeouts
        self.rate = rate
        self.hosts = hosts
        self.passwords = passwords
        self.log = log
        self.interruption = interruption
        self.clock = clock
        self.uptime = uptime
        self.sleep = sleep ?? { [interruption] in try interruption.sleep($0) }
    }

    /// Returns the same client with a watch, which is called with everything that arrives, and at least every
    /// `HTTPEvent.pauseLength` while nothing does, between attempts too. An error that it throws ends the request.
    public func watched(by watch: @escaping @Sendable () throws -> Void) -> HTTPClient {
        var client = self
        client.watch = watch
        return client
    }

    /// The same client, which repeats no attempt.
    public var askingOnce: HTTPClient {
        var client = self
        client.retries.retries = 0
        return client
    }

    /// Warns once that the `.netrc` has an entry for a server that does not get it.
    func warnOfWithheldPassword(for url: WebURL) {
        if hasWarned.testAndSet() { return }
        log.warning(
            "\(url.origin): its user name and password in the netrc file are not sent unencrypted, for anyone on the "
                + "way to read; use https")
    }

    /// Throws `Cancelled` once the run is stopped, and what the watch throws. For work beside a request.
    public func check() throws {
        try interruption.check()
        try watch?()
    }
}
