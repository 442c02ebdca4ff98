import CCurl
import Support

/// Carries out exchanges with libcurl, which is loaded on the first request.
public final class CurlTransport: HTTPTransport {
    /// Names and versions of libcurl and the libraries that it uses. Loads libcurl.
    public static var libraryVersion: String {
        if let reason = ccurl_load() { return "libcurl cannot be used: \(String(cString: reason))" }
        return String(cString: ccurl_version())
    }

    private let addressGuard: AddressGuard
    private let proxiedHosts: ProxiedHosts
    private let environment: Environment
    private let certificateFile: String?
    private let pool = Monitor(CurlConnectionPool())

    /// Neither loads libcurl nor opens a connection.
    ///
    /// - Parameters:
    ///   - guard: judges every address before it is dialled.
    ///   - environment: contains `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, with the same meaning as for
    ///     curl.
    ///   - certificateFile: a PEM file with the certificates to trust instead of the system's.
    public convenience init(
        guard addressGuard: AddressGuard = .standard, environment: Environment, certificateFile: String? = nil
    ) {
        self.init(
            guard: addressGuard, environment: environment, certificateFile: certificateFile,
            resolve: { try NameLookup.addresses(of: $0, limit: $1, interruption: $2) })
    }

    init(
        guard addressGuard: AddressGuard, environment: Environment, certificateFile: String? = nil,
        resolve: @escaping ProxiedHosts.Resolver
    ) {
        self.addressGuard = addressGuard
        proxiedHosts = ProxiedHosts(addressGuard: addressGuard, resolve: resolve)
        self.environment = environment
        self.certificateFile = certificateFile
    }

    public func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        let proxy = ProxyChoice(for: request.url, environment: environment)
        var request = request
        request.usesProxy = proxy != .direct
        if let exposure = request.cleartextFailure { throw exposure }
        let target = try proxiedHosts.judge(
            request.url, over: proxy, connectLimit: request.timeouts.connect, interruption: interruption)
        let connection = try pool.withLock { $0.take(for: request.url.origin) } ?? CurlConnection()
        connection.origin = request.url.origin
        defer {
            ccurl_reset(connection.handle)
            pool.withLock { $0.giveBack(connection) }
        }
        try apply(request, proxy: proxy, target: target, to: connection.handle)
        // The compiler embeds the length of this file's path for a run-time check. A fixed name makes the binary
        // independent of the build folder.
        #sourceLocation(file:"CurlTransport+Exchange.swift",line:1)
        return try withoutActuallyEscaping(receive) { receive in
            try CurlExchange(request, on: connection, guard: addressGuard, proxy: proxy, receive: receive)
                .run(interruption: interruption)
        }
    }
    #sourceLocation()

    /// Sets all options of a new or reset handle.
    ///
    /// - Parameter target: the address of the URL's host, for a proxy that must not look up the name.
    private func apply(
        _ request: HTTPRequest, proxy: ProxyChoice, target: IPAddress?, to handle: OpaquePointer
    ) throws {
        func fault(_ detail: String) -> FetchFailure { .transportFault(url: request.url, detail: detail) }
        func set(_ option: Int, _ value: Int) { ccurl_set_long(handle, Int32(option), value) }
        func set(_ option: Int, _ value: UnsafePointer<CChar>) throws {
            guard ccurl_set_string(handle, Int32(option), value) == CCURL_OK else {
                throw fault("it rejected option \(option)")
            }
        }
        // Signals are unsafe in a process with several threads.
        set(CCURL_NOSIGNAL, 1)
        set(CCURL_BUFFERSIZE, CurlExchange.bufferSize)
        // A cancelled or overdue exchange must end even if its name lookup hangs.
        set(CCURL_QUICK_EXIT, 1)
        set(CCURL_PROTOCOLS, CCURL_PROTOCOLS_HTTP_AND_HTTPS)
        set(CCURL_HTTP_VERSION, CCURL_HTTP_VERSION_2TLS)
        set(CCURL_HTTP09_ALLOWED, 0)
        set(CCURL_FOLLOWLOCATION, 0)
        set(CCURL_PATH_AS_IS, 1)
        set(CCURL_SUPPRESS_CONNECT_HEADERS, 1)
        set(CCURL_TCP_KEEPALIVE, 1)
        set(CCURL_CONNECTTIMEOUT_MS, Self.milliseconds(request.timeouts.connect))
        set(CCURL_TIMEOUT_MS, Self.milliseconds(request.timeouts.total))
        set(CCURL_LOW_SPEED_LIMIT, 1)
        set(CCURL_LOW_SPEED_TIME, (Self.milliseconds(request.timeouts.stall) + 999) / 1000)
        try set(CCURL_URL, request.url.requestText)
        try set(CCURL_USERAGENT, "apod-tools/\(toolsVersion)")
        // Set the proxy and its exceptions even if they are empty, so that libcurl ignores the environment.
        if case .proxy(let address) = proxy { try set(CCURL_PROXY, address) } else { try set(CCURL_PROXY, "") }
        try set(CCURL_NOPROXY, "")
        if let target, !ccurl_connect_to(handle, target.isIPv4 ? "::\(target):" : "::[\(target)]:") {
            throw fault("out of memory")
        }
        switch request.method {
        case .get: set(CCURL_HTTPGET, 1)
        case .head: set(CCURL_NOBODY, 1)
        case .put(let body):
            guard ccurl_upload(handle, Int64(body.count)) else { throw fault("it cannot send a request body") }
        }
        if let start = request.rangeStart { try set(CCURL_RANGE, "\(start)-") }
        // An empty list means every coding that libcurl can decode.
        if request.decompresses { try set(CCURL_ACCEPT_ENCODING, "") }
        if let credentials = request.credentials {
            try set(CCURL_USERNAME, credentials.user)
            try set(CCURL_PASSWORD, credentials.password)
        }
        try certificateFile?.withPathPointer { try set(CCURL_CAINFO, $0) }
        // Without this field, the server might use any coding (RFC 9110 §12.5.3).
        let identity =
            request.decompresses ? [] : [HTTPHeader("Accept-Encoding", "identity", survivesCrossOriginRedirect: true)]
        for header in identity + request.headers {
            guard header.isValid else { throw FetchFailure.badHeader(name: header.name) }
            // Given a name and a colon without a value, libcurl removes its own field of that name. A semicolon sends
            // an empty field.
            let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
            guard ccurl_add_header(handle, line) else { throw fault("out of memory") }
        }
    }

    /// Returns at least 1, since libcurl treats 0 as no limit.
    private static func milliseconds(_ span: Duration) -> Int { Int(min(max(span.milliseconds, 1), Int64(Int32.max))) }
}
