import Support
import Testing

@testable import HTTP

/// The address guard at the socket, with a server that counts connections.
@Suite(.timeLimit(.minutes(2))) struct GuardedTransportTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request, peer in
            request.target.hasPrefix("/to?")
                ? peer.redirect(String(request.target.dropFirst(4))) : peer.respond(200, [], "in")
        }
    }

    /// Returns the failure of a request that skips the client's check of the URL.
    private func failure(
        _ url: String, guard guarding: AddressGuard, environment: [String: String] = [:]
    ) -> (any Failure)? {
        do {
            _ = try CurlTransport(guard: guarding, environment: Environment(environment)).exchange(
                HTTPRequest(url: WebURL(url)), interruption: Interruption()
            ) { _ in }
            return nil
        } catch {
            return Support.failure(of: error)
        }
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "0x7f000001", "2130706433", "0177.1", "127.1", "[::ffff:127.0.0.1]", "0.0.0.0",
    ])
    func loopbackIsRefusedWithoutAConnection(host: String) throws {
        let failure = failure(server.url(host: host), guard: .standard)
        #expect(failure?.code == "blocked-address")
        #expect(failure?.exitCode == .notAllowed)
        #expect(failure?.isTransient == false)
        #expect(failure?.message.contains("--allow-private") == true)
        #expect(server.accepted == 0)
    }

    @Test func messageNamesHostAndClass() {
        let failure = failure(server.url(host: "localhost"), guard: .standard)
        #expect(failure?.message.contains("localhost") == true)
        #expect(failure?.message.contains("a loopback address") == true)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "0x7f000001", "[::ffff:127.0.0.1]"])
    func addressInAnAllowedBlockIsReached(host: String) throws {
        let guarding = try AddressGuard(allowPrivate: "127.0.0.1/32,::1/128")
        #expect(failure(server.url(host: host), guard: guarding) == nil)
        #expect(server.accepted == 1)
    }

    @Test(arguments: [("1", AddressGuard.allowingAll), ("true", .allowingAll), ("0", .standard), ("false", .standard)])
    func allAddressesAreAllowedByATrueValue(text: String, expected: AddressGuard) throws {
        #expect(try AddressGuard(allowPrivate: text) == expected)
    }

    /// The IPv6 address of `localhost` is refused; the IPv4 address must still be tried.
    @Test func nameIsReachedByItsAllowedAddress() throws {
        let guarding = try AddressGuard(allowPrivate: "127.0.0.1/32")
        #expect(failure(server.url(host: "localhost"), guard: guarding) == nil)
    }

    @Test func addressOutsideTheAllowedBlockIsRefused() throws {
        let guarding = try AddressGuard(allowPrivate: "10.0.0.0/8")
        #expect(failure(server.url(), guard: guarding)?.code == "blocked-address")
        #expect(server.accepted == 0)
    }

    @Test(arguments: ["127.0.0.2", "127.0.0.3", "169.254.169.254", "[::1]", "[fd00:ec2::254]"])
    func redirectToABlockedAddressOpensNoConnection(host: String) throws {
        let guarding = try AddressGuard(allowPrivate: "127.0.0.1/32")
        let client = HTTPClient(
            transport: CurlTransport(guard: guarding, environment: [:]), guard: guarding,
            retries: RetrySchedule(retries: 0),
            interruption: Interruption())
        let target = "http://\(host)/"
        let failure = #expect(throws: FetchFailure.self) {
            try client.data(HTTPRequest(url: WebURL(server.url("/to?\(target)"))))
        }
        #expect(failure?.code == "blocked-address")
        #expect(server.requests.count == 1)
    }

    @Test func proxyMayBePrivateButNotItsTarget() throws {
        let environment = ["http_proxy": "http://127.0.0.1:\(server.port)"]
        #expect(failure("http://8.8.8.8/x", guard: .standard, environment: environment) == nil)
        #expect(server.requests.map(\.target) == ["http://8.8.8.8/x"])
        for target in ["http://10.0.0.1/", "http://localhost/", "http://169.254.169.254/", "http://[::1]/"] {
            #expect(failure(target, guard: .standard, environment: environment)?.code == "blocked-address")
        }
        #expect(server.requests.count == 1)
    }

    /// Through a proxy, even a request to this machine crosses the network unencrypted.
    @Test func secretForThisMachineIsNotSentThroughAProxy() throws {
        let environment: Environment = ["http_proxy": server.url("")]
        let transport = CurlTransport(guard: .allowingAll, environment: environment)
        func ask(_ change: (inout HTTPRequest) throws -> Void) throws {
            var request = HTTPRequest(url: try WebURL(server.url("/x")))
            try change(&request)
            _ = try transport.exchange(request, interruption: Interruption()) { _ in }
        }
        let failure = #expect(throws: FetchFailure.self) { try ask { $0.headers = [HTTPHeader("X-Key", "1")] } }
        #expect(failure?.code == "exposed-secret")
        try ask { $0.netrc = Netrc(Array("machine 127.0.0.1 login u password p".utf8)) }
        try ask {
            $0.headers = [HTTPHeader("X-Key", "1")]
            $0.cleartextOrigins = [$0.url.origin]
        }
        #expect(server.requests.map { $0.headers["authorization"] } == [nil, nil])
        #expect(server.requests.map { $0.headers["x-key"] } == [nil, "1"])
    }

    @Test func proxyThatRequiresALoginIsReported() throws {
        let proxy = try LoopbackServer { _, peer in
            peer.send("HTTP/1.1 407 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            peer.close()
        }
        let environment = ["https_proxy": "127.0.0.1:\(proxy.port)"]
        #expect(failure("https://8.8.8.8/", guard: .standard, environment: environment)?.code == "proxy-unauthorized")
    }

    @Test func refusalOfAProxyIsReported() throws {
        let proxy = try LoopbackServer { _, peer in
            peer.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            peer.close()
        }
        let environment = ["https_proxy": "127.0.0.1:\(proxy.port)"]
        let failure = failure("https://8.8.8.8/", guard: .standard, environment: environment)
        #expect(failure?.message.hasPrefix("the proxy could not fetch https://8.8.8.8/: it answered 503; ") == true)
    }

    @Test(arguments: [
        ("ftp://user:secret@127.0.0.1:1", "the URL of the proxy is invalid"),
        ("http://user:secret@127.0.0.1:1", "127.0.0.1"), ("http://user:secret@[x:1", "the URL of the proxy is invalid"),
    ])
    func messagesHideTheProxyPassword(proxy: String, words: String) {
        let failure = failure("http://8.8.8.8/", guard: .standard, environment: ["http_proxy": proxy])
        #expect(failure?.message.contains(words) == true, "\(String(describing: failure))")
        #expect(failure?.message.contains("secret") == false)
    }

    @Test func missingCertificateFileIsAConfigurationFault() throws {
        let transport = CurlTransport(
            guard: .allowingAll, environment: [:], certificateFile: "/does/not/exist.pem")
        let failure = #expect(throws: FetchFailure.self) {
            try transport.exchange(
                HTTPRequest(url: WebURL("https://127.0.0.1:\(server.port)/")), interruption: Interruption()
            ) { _ in }
        }
        #expect(failure?.exitCode == .configuration)
        #expect(failure?.message.contains("/does/not/exist.pem") == true)
    }

    @Test func hostInNoProxyIsReachedDirectly() {
        let environment = ["http_proxy": "http://127.0.0.1:1", "no_proxy": "127.0.0.1"]
        #expect(failure(server.url(), guard: .allowingAll, environment: environment) == nil)
        #expect(failure(server.url(), guard: .standard, environment: environment)?.code == "blocked-address")
    }
}
