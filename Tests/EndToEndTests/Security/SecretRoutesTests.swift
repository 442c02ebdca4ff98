import Records
import Support
import TestSupport
import Testing

/// A way to pass a secret to a tool.
private struct Route: Sendable, CustomTestStringConvertible {
    let name: String
    /// Strings that must not appear: the secret, and its encoded form in a request if different.
    let secrets: [String]
    /// The options that pass the secret.
    var options: [String] = []
    /// A file with the secret: its path in the home, and its text.
    var file: (path: String, text: String)?
    /// Adds the secret to the address of a server.
    var address: @Sendable (String) -> String = { $0 }
    var environment: @Sendable (String) -> [String: String] = { _ in [:] }
    /// The request header with the secret; nil if the secret is in the query.
    var field: String?

    var testDescription: String { name }

    static let all = [
        Route(name: "header", secrets: ["sekretpw1"], options: ["--header", "X-Key: sekretpw1"], field: "X-Key"),
        Route(name: "header, one word", secrets: ["sekretpw1"], options: ["--header=X-Key: sekretpw1"], field: "X-Key"),
        Route(
            name: "header file", secrets: ["sekretpw2"], options: ["--header", "@secret"],
            file: ("work/secret", "X-Key: sekretpw2\n"), field: "X-Key"),
        Route(
            name: "bearer file", secrets: ["sekretpw2"], options: ["--bearer-file", "secret"],
            file: ("work/secret", "sekretpw2\n"), field: "Authorization"),
        Route(
            name: "netrc", secrets: ["sekretpw3", "dXNlcjpzZWtyZXRwdzM="], options: ["APOD_TOOLS_NETRC=true"],
            file: ("home/.netrc", "machine 127.0.0.1 login user password sekretpw3"), field: "Authorization"),
        Route(
            name: "netrc file", secrets: ["sekretpw4", "dXNlcjpzZWtyZXRwdzQ="],
            options: ["APOD_TOOLS_NETRC_FILE=secret"],
            file: ("work/secret", "machine 127.0.0.1 login user password sekretpw4"), field: "Authorization"),
        Route(
            name: "address", secrets: ["sekretpw5", "dXNlcjpzZWtyZXRwdzU="],
            address: { $0.replacing("http://", with: "http://user:sekretpw5@") }, field: "Authorization"),
        Route(name: "query", secrets: ["sekretpw7"], address: { $0 + "?w=1&api_key=sekretpw7" }),
        Route(
            name: "proxy", secrets: ["sekretpw6", "dXNlcjpzZWtyZXRwdzY="],
            environment: { ["http_proxy": $0.replacing("http://", with: "http://user:sekretpw6@")] },
            field: "Proxy-Authorization"),
    ]
}

/// Secrets must not appear in the index, files, records, logs, the process list or errors, however they are passed.
struct SecretRoutesTests {
    /// A server with every kind of response, which records requests.
    private final class Server: Sendable {
        private let seen = Monitor<[LoopbackRequest]>([])
        let listener: LoopbackServer

        init() throws {
            let picture = DrawnPicture.gradient(4, 4).png()
            let large = DrawnPicture.noise(100, 80, seed: 5).png()
            listener = try LoopbackServer { [seen] request, connection in
                seen.update { $0.append(request) }
                // A proxy receives absolute addresses.
                let path =
                    request.path.hasPrefix("http://")
                    ? String(request.path.dropFirst(7).drop { $0 != "/" }) : request.path
                var response = LoopbackResponse.bytes(picture, type: "image/png")
                response.set("ETag", "\"1\"")
                switch path.dropFirst().prefix(while: { $0 != "." }) {
                case let status where Int(status) != nil:
                    response = .text("no", status: Int(status) ?? 0)
                case "away":
                    let port = request.header("Host")?.split(separator: ":").last ?? ""
                    response = LoopbackResponse(302, headers: [("Location", "http://localhost:\(port)/there.png")])
                case "page": response = .text("<html>", type: "text/html")
                case "silent":
                    connection.waitForClient()
                    return
                case "half":
                    response.set("Content-Length", "\(large.count)")
                    try connection.send(response.head() + large[..<(large.count / 2)])
                    connection.close()
                    return
                default: break
                }
                try connection.send(response, to: request)
            }
        }

        func requests(_ host: String) -> [LoopbackRequest] {
            seen.withLock { $0.filter { $0.header("Host")?.hasPrefix(host) == true } }
        }

        func waitForRequest() { _ = seen.wait(atMost: .seconds(30)) { $0.isEmpty ? nil : true } }
    }

    private let server: Server

    init() throws { server = try Server() }

    private func home(_ route: Route) throws -> ToolHome {
        let environment = ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8,::1"]
        let home = try ToolHome(
            environment: environment.merging(route.environment(server.listener.address)) { $1 })
        if let file = route.file { try home.folder.write(file.path, file.text) }
        return home
    }

    private func url(_ name: String, _ route: Route) -> String {
        route.address("\(server.listener.address)/\(name).png")
    }

    @Test(arguments: Route.all) private func secretIsNeitherStoredNorShown(route: Route) throws {
        let home = try home(route)
        let names = ["good", "401", "403", "404", "407", "410", "429", "503", "away", "page", "half"]
        var outputs: [ToolOutput] = []
        for log in [["-v"], ["-v", "APOD_TOOLS_LOG_FORMAT=json"], ["-v", "--refresh"]] {
            let arguments =
                ["put", "APOD_TOOLS_RETRIES=1", "--timeout", "9s", "APOD_TOOLS_METRICS=metrics"] + log + route.options
            outputs.append(try home.run("img-cache", arguments + names.map { url($0, route) }))
            outputs.append(
                try home.run(
                    "img-cache", arguments + [url("silent", route), "--timeout", "0.1s", "APOD_TOOLS_RETRIES=0"]))
        }
        for command in ["get", "has", "path", "rm"] {
            outputs.append(try home.run("img-cache", [command, "-v", url("good", route), url("404", route)]))
            if command == "path" { outputs.append(try home.run("img-cache", ["ls", "-v"])) }
        }
        outputs.append(try home.run("img-cache", ["stats", "-v", "--json"]))
        // The message about an invalid command line quotes its arguments.
        outputs.append(try home.run("img-cache", ["stats", url("good", route)] + route.options))

        #expect(outputs.contains { $0.stdout.contains("\"status\":\"miss\"") })
        #expect(outputs.contains { $0.stderr.contains("GET http://127.0.0.1") })
        try expectSent(route)
        for secret in route.secrets {
            for output in outputs {
                #expect(!output.stdout.contains(secret), "\(output)")
                #expect(!output.stderr.contains(secret), "\(output)")
            }
            for name in home.folder.contents() where name != route.file?.path {
                #expect(!name.contains(secret))
                guard let bytes = try? TestFile.bytes(home.folder.path(name)) else { continue }
                #expect(!bytes.contains(secret), "\(secret) in \(name)")
            }
        }
    }

    /// Expects that the requested server received the secret, and that the target of the redirect did not.
    private func expectSent(_ route: Route) throws {
        func isThere(_ request: LoopbackRequest) -> Bool {
            let text = route.field.flatMap { request.header($0) } ?? request.target
            return route.secrets.contains { text.contains($0) }
        }
        let asked = server.requests("127.0.0.1")
        #expect(!asked.isEmpty && asked.allSatisfy(isThere))
        let behind = server.requests("localhost")
        // A proxy receives all requests with its password.
        #expect(!behind.isEmpty && (route.name == "proxy" || !behind.contains(where: isThere)))
    }

    #if os(Linux)
    @Test(arguments: Route.all) private func secretIsNotInTheProcessList(route: Route) throws {
        let home = try home(route)
        let tool = try home.start("img-cache", ["put", url("silent", route)] + route.options, stdin: .empty)
        server.waitForRequest()
        let line = try File.openInput("/proc/\(tool.processID)/cmdline").contents(atMost: 1 << 20)
        tool.kill()
        #expect(line.contains("/silent.png"))
        for secret in route.secrets { #expect(!line.contains(secret), "\(String(decoding: line, as: UTF8.self))") }
        _ = tool.wait()
    }
    #endif
}
