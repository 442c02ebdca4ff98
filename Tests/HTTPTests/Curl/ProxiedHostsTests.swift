import Libc
import Support
import TestSupport
import Testing

@testable import HTTP

/// The address guard for hosts that a proxy connects to.
@Suite(.timeLimit(.minutes(2))) struct ProxiedHostsTests {
    private struct Question: Equatable {
        let host: String
        let limit: Duration
    }

    private let asked = Monitor<[Question]>([])
    private let interruption = Interruption()

    private func hosts(_ addresses: [String] = [], guard guarding: AddressGuard = .standard) -> ProxiedHosts {
        let found = addresses.compactMap { IPAddress($0) }
        return ProxiedHosts(addressGuard: guarding) { [asked] host, limit, _ in
            asked.update { $0.append(Question(host: host, limit: limit)) }
            return found
        }
    }

    @discardableResult
    private func judge(
        _ hosts: ProxiedHosts, _ url: String, over proxy: String = "http://p:1", connect: Duration = .seconds(30)
    ) throws -> IPAddress? {
        try hosts.judge(WebURL(url), over: .proxy(proxy), connectLimit: connect, interruption: interruption)
    }

    /// An earlier version repeated the lookup for each exchange, for up to half a minute if the name service was
    /// silent.
    @Test func nameIsLookedUpOnceWithAShortLimit() throws {
        let hosts = hosts()
        for url in ["http://a.example/1", "http://A.example./2", "https://a.example/3"] { try judge(hosts, url) }
        try judge(hosts, "http://b.example/", connect: .seconds(1))
        #expect(
            asked.withLock { $0 } == [
                Question(host: "a.example", limit: .seconds(2)), Question(host: "b.example", limit: .seconds(1)),
            ])
    }

    @Test func verdictOfTheFirstLookupIsReused() throws {
        let hosts = hosts(["10.0.0.1"])
        for _ in 0..<3 { #expect(throws: FetchFailure.self) { try judge(hosts, "http://a.example/") } }
        #expect(asked.withLock { $0.count } == 1)
    }

    @Test(arguments: ["socks5h://p:1", "SOCKS4A://p:1"])
    func nameIsNotResolvedIfOnlyTheProxyResolves(proxy: String) throws {
        let hosts = hosts(["8.8.8.8"])
        #expect(try judge(hosts, "http://a.example/", over: proxy) == nil)
        for url in ["http://10.0.0.1/", "http://printer/", "http://localhost/"] {
            #expect(throws: FetchFailure.self) { try judge(hosts, url, over: proxy) }
        }
        #expect(asked.withLock { $0 } == [])
    }

    @Test func nameIsNotResolvedIfTheGuardAllowsAllAddresses() throws {
        try judge(hosts(guard: .allowingAll), "http://a.example/")
        #expect(asked.withLock { $0 } == [])
    }

    /// libcurl would resolve the name itself, possibly to another address.
    @Test(arguments: ["socks5://p:1", "socks4://p:1", "socks://p:1"])
    func proxyThatAcceptsOnlyAddressesGetsTheJudgedAddress(proxy: String) throws {
        #expect(
            try judge(hosts(["2001:4860::8888", "8.8.8.8"]), "http://a.example/", over: proxy) == IPAddress(8, 8, 8, 8))
        #expect(try judge(hosts(["2001:4860::8888"]), "http://a.example/", over: proxy) == IPAddress("2001:4860::8888"))
        #expect(try judge(hosts(["8.8.8.8"]), "http://a.example/", over: "http://p:1") == nil)
        let failure = #expect(throws: FetchFailure.self) { try judge(hosts(), "http://a.example/", over: proxy) }
        #expect(failure?.code == "name-not-resolved")
    }

    @Test func concurrentRequestsShareALookup() throws {
        let begun = Monitor(false)
        let ends = Monitor(false)
        let count = Monitor(0)
        let hosts = ProxiedHosts(addressGuard: .standard) { _, _, _ in
            count.update { $0 += 1 }
            begun.update { $0 = true }
            ends.wait { $0 ? () : nil }
            return [IPAddress(8, 8, 8, 8)]
        }
        let url = try WebURL("http://a.example/")
        let threads = try (0..<8).map { _ in
            try Thread.start {
                _ = try? hosts.judge(
                    url, over: .proxy("p:1"), connectLimit: .seconds(9), interruption: Interruption())
            }
        }
        begun.wait { $0 ? () : nil }
        // A cancelled request does not wait for the lookup.
        let stopped = Interruption()
        stopped.cancel(.outputClosed)
        #expect(throws: Cancelled.self) {
            try hosts.judge(url, over: .proxy("p:1"), connectLimit: .seconds(9), interruption: stopped)
        }
        ends.update { $0 = true }
        for thread in threads { thread.join() }
        #expect(count.withLock { $0 } == 1)
    }

    /// With DNS rebinding, a name resolves to a public address first and to a private address next. An earlier version
    /// looked up the name for the guard, and libcurl then looked it up again.
    @Test func socksProxyReceivesTheJudgedAddress() throws {
        let proxy = try SocksProxy()
        let transport = CurlTransport(
            guard: .standard, environment: ["all_proxy": "socks5://127.0.0.1:\(proxy.port)"],
            resolve: { _, _, _ in [IPAddress(8, 8, 8, 8)] })
        var body: [UInt8] = []
        _ = try transport.exchange(
            HTTPRequest(
                url: WebURL("http://rebind.example:8080/"), timeouts: HTTPRequest.Timeouts(total: .seconds(20))),
            interruption: interruption
        ) { if case .body(let bytes) = $0 { body += bytes } }
        #expect(String(decoding: body, as: UTF8.self) == "hello")
        // Version 5, CONNECT, IPv4, address, port (RFC 1928 §4).
        #expect(proxy.request == [5, 1, 0, 1, 8, 8, 8, 8, 0x1F, 0x90])
    }
}

/// A SOCKS 5 proxy that answers instead of the server.
private final class SocksProxy: Sendable {
    private let server: TestSupport.LoopbackServer
    private let seen = Monitor<[UInt8]>([])

    var port: UInt16 { server.port }
    /// The bytes of the connection request.
    var request: [UInt8] { seen.withLock { $0 } }

    init() throws {
        server = try TestSupport.LoopbackServer(serve: { [seen] connection in
            _ = try connection.receive(atMost: 4096)
            try connection.send([5, 0])
            let request = try connection.receive(atMost: 4096)
            seen.update { $0 = request }
            try connection.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
            _ = try connection.receive(atMost: 4096)
            try connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello".utf8))
        })
    }
}
