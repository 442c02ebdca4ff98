import Records
import Support
import TestSupport
import Testing

/// Proxies from the usual environment variables. A proxy does not weaken the checks of the target.
struct ProxyTests {
    private func fetch(_ home: ToolHome, _ api: String, _ environment: [String: String], _ options: String...) throws
        -> ToolOutput
    {
        let arguments = ["APOD_TOOLS_SERVICE=api", "APOD_TOOLS_RETRIES=0", "--date", ClassicDay.day] + options
        return try home.run(
            "apod-fetch", arguments,
            environment: ["APOD_API_URL": api].merging(environment) { $1 }.mapValues { Optional($0) })
    }

    @Test(arguments: ["http_proxy", "all_proxy"]) func plainRequestsReachTheProxyWithTheirFullAddress(variable: String)
        throws
    {
        let proxy = try ForwardProxy { _ in ClassicDay.response }
        let output = try fetch(try ToolHome(), "http://8.8.8.8/apod", [variable: proxy.address])
        #expect(try output.expect(0).record.string("title") == "A Title")
        #expect(proxy.requests == ["GET http://8.8.8.8/apod?date=\(ClassicDay.day)&thumbs=true"])
    }

    @Test(.enabled(if: SecureServer.isPossible), arguments: ["https_proxy", "all_proxy"])
    func encryptedRequestsUseATunnel(variable: String) throws {
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        try SecureServer.makeCertificates(in: home)
        try home.write("apod", ClassicDay.bytes)
        try home.write("apod?date=\(ClassicDay.day)&thumbs=true", ClassicDay.bytes)
        let server = try SecureServer(.good, home: home)
        let proxy = try ForwardProxy()
        let environment = [variable: proxy.address]
        let output = try fetch(home, "\(server.address)/apod", environment, "APOD_TOOLS_CACERT=ca.pem")
        #expect(try output.expect(0).record.string("title") == "A Title")
        #expect(proxy.requests == ["CONNECT \(server.address.dropFirst("https://".count))"])
        // Through the tunnel, the tool receives the server's own certificate and checks it as without a proxy.
        try fetch(home, "\(server.address)/apod", environment, "--policy", "disabled")
            .expectFailure(77, code: "bad-certificate", tool: "apod-fetch")
    }

    @Test(arguments: ["http://10.0.0.1/apod", "http://127.0.0.1/apod", "http://localhost/apod", "https://[::1]/apod"])
    func privateTargetIsRefusedBehindAProxy(api: String) throws {
        let proxy = try ForwardProxy { _ in ClassicDay.response }
        try fetch(try ToolHome(), api, ["all_proxy": proxy.address])
            .expectFailure(77, code: "blocked-address", tool: "apod-fetch")
        #expect(proxy.requests.isEmpty)
    }

    @Test func hostsInNoProxyAreContactedDirectly() throws {
        let proxy = try ForwardProxy { _ in ClassicDay.response }
        let server = try LoopbackServer { _ in ClassicDay.response }
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        try fetch(home, "\(server.address)/apod", ["http_proxy": proxy.address, "no_proxy": "example.org,127.0.0.1"])
            .expect(0)
        #expect(proxy.requests.isEmpty)
    }

    /// In a CGI script, the request header `Proxy` sets `HTTP_PROXY`.
    @Test func upperCaseHTTPProxyIsIgnored() throws {
        let proxy = try ForwardProxy { _ in ClassicDay.response }
        let server = try LoopbackServer { _ in ClassicDay.response }
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        try fetch(home, "\(server.address)/apod", ["HTTP_PROXY": proxy.address]).expect(0)
        #expect(proxy.requests.isEmpty)
    }

    @Test func unreachableProxyIsReported() throws {
        let port = try LoopbackServer { _ in .text("") }.port
        let output = try fetch(try ToolHome(), "http://8.8.8.8/apod", ["http_proxy": "http://127.0.0.1:\(port)"])
        try output.expect(75)
        #expect(output.stderr.contains("http_proxy") || output.stderr.contains("127.0.0.1"), "\(output)")
    }
}
