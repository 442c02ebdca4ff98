import Support

/// Fetches over any transport, with redirects, retries, limits and statuses turned into failures.
public struct HTTPClient: Sendable {
    let transport: any HTTPTransport
    let addressGuard: AddressGuard
    let retries: RetrySchedule
    let redirects: RedirectPolicy
    let looksUp: @Sendable (WebURL) -> Bool
    let timeouts: HTTPRequest.Timeouts?
    let rate: RateLimit?
    let hosts: HostLimit?
    /// For requests that have none of their own.
    public let passwords: Netrc?
    let log: Log
    let interruption: Interruption
    /// Dates that servers name are compared with it.
    let clock: Clock
    /// What time-outs are measured by.
    let uptime: @Sendable () -> Duration
    let sleep: Sleeper
    private let hasWarned = Monitor(false)
    /// See `watched(by:)`.
    var watch: (@Sendable () throws -> Void)?

    /// - Parameters:
    ///   - guard: judges hosts that are addresses before anything is opened; names are the transport's to judge.
    ///   - looksUp: whether this machine may look up the name of a URL's host; see `ProxyChoice.leavesNamesToProxy`.
    ///   - timeouts: for all requests; nil leaves each its own.
    ///   - rate: for all bodies together; nil is as fast as they come.
    ///   - hosts: how many exchanges go on at once with a host; nil is any number.
    ///   - passwords: the user names and passwords of every request that has no others.
    ///   - uptime: a time that goes on evenly from any beginning, whatever is done to the machine's clock.
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

    /// The same client under supervision: `watch` is called with everything that comes, and at least every
    /// `HTTPEvent.pauseLength` while nothing does, between two attempts too. What it throws ends the request.
    public func watched(by watch: @escaping @Sendable () throws -> Void) -> HTTPClient {
        var client = self
        client.watch = watch
        return client
    }

    /// Says once that the `.netrc` has an entry for a server that does not get it.
    func warnOfWithheldPassword(for url: WebURL) {
        if hasWarned.testAndSet() { return }
        log.warning(
            "\(url.origin): its user name and password in the netrc file are not sent unencrypted, for anyone on the "
                + "way to read; use https")
    }

    /// Whether to go on: throws what the supervision does, and `Cancelled`. For work beside a request.
    public func check() throws {
        try interruption.check()
        try watch?()
    }
}
