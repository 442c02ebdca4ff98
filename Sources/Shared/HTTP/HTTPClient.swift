import Support

/// Fetches over any transport: follows redirects, retries, enforces limits, and turns statuses into failures.
public struct HTTPClient: Sendable {
    let transport: any HTTPTransport
    let addressGuard: AddressGuard
    private(set) var retries: RetrySchedule
    let redirects: RedirectPolicy
    let looksUp: @Sendable (WebURL) -> Bool
    let timeouts: HTTPRequest.Timeouts?
    let rate: RateLimit?
    let hosts: HostLimit?
    /// Used for requests without a `.netrc`.
    public let passwords: Netrc?
    let log: Log
    let interruption: Interruption
    /// Used to evaluate dates in responses.
    let clock: Clock
    let uptime: @Sendable () -> Duration
    let sleep: Sleeper
    private let hasWarned = Monitor(false)
    var watch: (@Sendable () throws -> Void)?

    /// - Parameters:
    ///   - guard: judges hosts that are IP addresses. The transport judges the addresses of host names.
    ///   - looksUp: whether this machine may look up the name of a URL's host; see `ProxyChoice.leavesNamesToProxy`.
    ///   - timeouts: replace the timeouts of every request, if given.
    ///   - rate: limits the rate of all bodies together.
    ///   - hosts: limits parallel exchanges with a host.
    ///   - uptime: a monotonic clock with any origin.
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

    /// Returns a client that calls `watch` for every event, at least every `HTTPEvent.pauseLength`, and between
    /// attempts. An error of `watch` ends the request.
    public func watched(by watch: @escaping @Sendable () throws -> Void) -> HTTPClient {
        var client = self
        client.watch = watch
        return client
    }

    /// A client that does not retry.
    public var askingOnce: HTTPClient {
        var client = self
        client.retries.retries = 0
        return client
    }

    /// Warns once about an entry of the `.netrc` that is not sent.
    func warnOfWithheldPassword(for url: WebURL) {
        if hasWarned.testAndSet() { return }
        log.warning("\(url.origin): the user name and password of the netrc file are not sent unencrypted; use https")
    }

    /// Throws `Cancelled` if the run is stopped, and errors of `watch`. Called during long work between requests.
    public func check() throws {
        try interruption.check()
        try watch?()
    }

    /// Sends a HEAD request (RFC 9110 §9.3.2). Throws like `get(_:accepting:receive:)`.
    public func head(
        _ request: HTTPRequest, accepting statuses: Set<Int> = HTTPResponse.fullRepresentationStatuses
    ) throws -> HTTPResponse {
        var request = request
        request.method = .head
        return try get(request, accepting: statuses) { _ in }
    }

    /// Uploads a body to the request's URL (RFC 9110 §9.3.4). Retries like GET, since PUT is idempotent. Ignores the
    /// body of the response. Throws like `get(_:accepting:receive:)`, and errors of reading the body.
    public func put(
        _ body: any ByteSource, at request: HTTPRequest, accepting statuses: Set<Int> = [200, 201, 204]
    ) throws -> HTTPResponse {
        var request = request
        request.method = .put(body)
        return try get(request, accepting: statuses) { _ in }
    }

    /// Returns the addresses that a fetch of `url` would dial now, with the guard's verdicts: an empty array if the
    /// name is not found within `limit`, nil if only a proxy may look up the name. Queries the name service unless the
    /// host is an address; opens no connection. Throws `Cancelled`, and `SystemFailure` if no thread can be started.
    public func judgedAddresses(of url: WebURL, limit: Duration = .seconds(5)) throws -> [JudgedAddress]? {
        guard url.address != nil || looksUp(url) else { return nil }
        let addresses =
            try url.address.map { [$0] }
            ?? NameLookup.addresses(of: url.hostWithoutDot, limit: limit, interruption: interruption)
        return addresses.map { JudgedAddress(address: $0, verdict: addressGuard.verdict(on: $0)) }
    }
}

/// See `HTTPClient.judgedAddresses`.
public struct JudgedAddress: Sendable, Hashable {
    public let address: IPAddress
    public let verdict: AddressGuard.Verdict
}
