import Libc
import Support
import TestSupport
import Testing

/// nginx with TLS and HTTP/2 on 127.0.0.1, serving the folder `www` in a home's working folder. The server stops when
/// this object is released.
final class NginxServer: Sendable {
    /// `https://127.0.0.1:PORT`.
    let address: String
    private let server: StartedServer
    private let home: ToolHome

    /// - Parameter home: a home with the files of `SecureServer.makeCertificates`.
    init(home: ToolHome) throws {
        self.home = home
        server = try StartedServer {
            try Self.start($0, home)
        } isUp: {
            $0.waitForErrors("using the", within: .seconds(10))
        }
        address = "https://127.0.0.1:\(server.port)"
    }

    private static func start(_ port: UInt16, _ home: ToolHome) throws -> RunningTool {
        let paths = NginxRemote.temporaryPaths("nginx", home)
        try home.write(
            "nginx.conf",
            """
            daemon off; master_process off; pid \(home.path("nginx.pid")); error_log stderr notice;
            events {}
            http {
                \(paths)
                log_format protocol '$server_protocol $connection $uri';
                access_log \(home.path("access.log")) protocol;
                default_type application/json;
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate \(home.path("good.pem")); ssl_certificate_key \(home.path("good.key"));
                    root \(home.path("www"));
                }
            }
            """)
        return try home.start(
            "/usr/bin/env",
            ["PATH=/usr/sbin:/usr/local/sbin:/usr/bin:/bin", "nginx", "-p", home.work, "-c", home.path("nginx.conf")],
            stdin: .empty)
    }

    /// Protocol, connection number and path of each request.
    var requests: [(version: String, connection: String, path: String)] {
        get throws {
            String(decoding: try TestFile.bytes(home.path("access.log")), as: UTF8.self).split(separator: "\n").map {
                let words = $0.split(separator: " ").map(String.init)
                return (words[0], words[1], words[2])
            }
        }
    }

    static let isPossible: Bool = {
        let script = "PATH=/usr/sbin:/usr/local/sbin:$PATH; nginx -V 2>&1 | grep -q http_v2_module"
        if SecureServer.isPossible, let home = try? ToolHome(), (try? home.shell(script))?.status == 0 { return true }
        Log.standardError("\n*** NO NGINX: the tests on HTTP/2 are SKIPPED. Install nginx to run them.\n\n")
        return false
    }()
}

@Suite(.enabled(if: NginxServer.isPossible)) struct HTTP2Tests {
    @Test func filesAreFetchedByHTTP2OverOneConnectionPerThread() throws {
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        try SecureServer.makeCertificates(in: home)
        let names = (0..<12).map { "\($0).png" }
        for name in names { try home.write("www/\(name)", DrawnPicture.gradient(20, 10).png()) }
        let server = try NginxServer(home: home)
        try home.run(
            "img-cache",
            ["put", "APOD_TOOLS_RETRIES=0", "--jobs", "2", "APOD_TOOLS_CACERT=ca.pem"]
                + names.map { "\(server.address)/\($0)" }
        ).expect(0)
        let requests = try server.requests
        #expect(requests.count == 12)
        #expect(requests.allSatisfy { $0.version == "HTTP/2.0" })
        #expect(Set(requests.map(\.connection)).count <= 2)
    }

    @Test func daysAreFetchedByHTTP2() throws {
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        try SecureServer.makeCertificates(in: home)
        try home.write("www/apod", ClassicDay.json)
        let server = try NginxServer(home: home)
        let record = try home.run(
            "apod-fetch",
            ["APOD_TOOLS_SERVICE=api", "APOD_TOOLS_RETRIES=0", "APOD_TOOLS_CACERT=ca.pem", "--date", ClassicDay.day],
            environment: ["APOD_API_URL": "\(server.address)/apod"]
        ).expect(0).record
        #expect(record.string("title") == "A Title")
        #expect(try server.requests.map(\.version) == ["HTTP/2.0"])
    }
}
