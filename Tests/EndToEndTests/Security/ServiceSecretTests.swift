import Records
import Support
import TestSupport
import Testing

/// A way to pass a secret to apod-fetch or gif-cache.
private struct SecretWay: Sendable, CustomTestStringConvertible {
    let tool: String
    let name: String
    /// Strings that must not appear: the secret, and its encoded form in a request if different.
    let secrets: [String]
    var options: [String] = []
    var file: (path: String, text: String)?
    var environment: [String: String] = [:]
    /// Adds the secret to the address of the service.
    var address: @Sendable (String) -> String = { $0 }
    /// The request header with the secret; nil if the secret is in the query.
    var field: String?

    var testDescription: String { "\(tool), \(name)" }

    static let all: [SecretWay] = ["apod-fetch", "gif-cache"].flatMap { tool in
        let inAddress = SecretWay(
            tool: tool, name: "address", secrets: ["sekretpw5", "dXNlcjpzZWtyZXRwdzU="],
            address: { $0.replacing("http://", with: "http://user:sekretpw5@") }, field: "Authorization")
        let keys = [
            SecretWay(
                tool: tool, name: "variable", secrets: ["sekretkey1"],
                environment: ["EXERCISEDB_API_KEY": "sekretkey1"], field: "X-RapidAPI-Key"),
            SecretWay(
                tool: tool, name: "key file", secrets: ["sekretkey2"], options: ["EXERCISEDB_API_KEY_FILE=secret"],
                file: ("work/secret", "sekretkey2\n"), field: "X-RapidAPI-Key"),
        ]
        // Only apod-fetch accepts an address with a password, and only gif-cache accepts a key.
        return (tool == "apod-fetch" ? [inAddress] : keys) + [
            SecretWay(
                tool: tool, name: "netrc", secrets: ["sekretpw3", "dXNlcjpzZWtyZXRwdzM="],
                options: ["APOD_TOOLS_NETRC=true"],
                file: ("home/.netrc", "machine 127.0.0.1 login user password sekretpw3"), field: "Authorization"),
            SecretWay(
                tool: tool, name: "netrc file", secrets: ["sekretpw4", "dXNlcjpzZWtyZXRwdzQ="],
                options: ["APOD_TOOLS_NETRC_FILE=secret"],
                file: ("work/secret", "machine 127.0.0.1 login user password sekretpw4"), field: "Authorization"),
        ]
    }
}

/// Secrets of services must not appear in the index, files, records, logs, metrics, the process list or errors, for any
/// response of the service.
struct ServiceSecretTests {
    private let seen = Monitor<[LoopbackRequest]>([])
    private let server: LoopbackServer

    init() throws {
        let gif = DrawnAnimation([.gradient(4, 4), .gradient(4, 4)]).gif()
        server = try LoopbackServer { [seen] request, connection in
            seen.update { $0.append(request) }
            // The service may quote the request.
            let quoted = request.headers.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
            let place = request.path.dropFirst().prefix { $0 != "/" }
            switch place {
            case let status where Int(status) != nil:
                try connection.send(.text(quoted, status: Int(status) ?? 0), to: request)
            case "away":
                let port = request.header("Host")?.split(separator: ":").last ?? ""
                let response = LoopbackResponse(302, headers: [("Location", "http://localhost:\(port)/good")])
                try connection.send(response, to: request)
            case "silent": connection.waitForClient()
            case "half":
                var response = ClassicDay.response
                response.set("Content-Length", "100000")
                try connection.send(response.head() + response.body)
                connection.close()
            default:
                let isGIF = request.path.hasSuffix("/image")
                try connection.send(isGIF ? .bytes(gif, type: "image/gif") : ClassicDay.response, to: request)
            }
        }
    }

    private func home(_ way: SecretWay) throws -> ToolHome {
        let home = try ToolHome(
            environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8,::1"].merging(way.environment) { $1 })
        if let file = way.file { try home.folder.write(file.path, file.text) }
        return home
    }

    private func arguments(_ way: SecretWay) -> [String] {
        (way.tool == "apod-fetch" ? ["APOD_TOOLS_SERVICE=api", "--date", ClassicDay.day] : ["put", "0001"])
            + way.options
    }

    private func environment(_ way: SecretWay, _ place: String) -> [String: String?] {
        [(way.tool == "apod-fetch" ? "APOD_API_URL" : "EXERCISEDB_API_URL"): way.address("\(server.address)/\(place)")]
    }

    @Test(arguments: SecretWay.all) private func secretIsNeitherStoredNorShown(way: SecretWay) throws {
        let home = try home(way)
        var outputs: [ToolOutput] = []
        for place in ["401", "403", "404", "429", "500", "away", "half", "silent", "good"] {
            for log in ["plain", "json"] {
                let arguments =
                    arguments(way) + [
                        "-v", "APOD_TOOLS_LOG_FORMAT=\(log)", "APOD_TOOLS_METRICS=metrics", "APOD_TOOLS_RETRIES=1",
                        "--timeout",
                        place == "silent" ? "0.2s" : "9s",
                    ]
                outputs.append(try home.run(way.tool, arguments, environment: environment(way, place)))
            }
        }
        // The message about an invalid command line quotes its arguments.
        outputs.append(try home.run(way.tool, arguments(way) + ["--no-such-option"]))
        #expect(outputs.contains { $0.status == 0 })
        #expect(outputs.contains { $0.stderr.contains("GET http://127.0.0.1") })

        let asked = seen.withLock { $0 }
        func isThere(_ request: LoopbackRequest) -> Bool {
            let text = way.field.flatMap { request.header($0) } ?? request.target
            return way.secrets.contains { text.contains($0) }
        }
        let (own, behind) = (
            asked.filter { $0.header("Host")?.hasPrefix("127") == true },
            asked.filter { $0.header("Host")?.hasPrefix("localhost") == true }
        )
        #expect(!own.isEmpty && own.allSatisfy(isThere))
        #expect(!behind.isEmpty && !behind.contains(where: isThere))
        #expect(asked.allSatisfy { request in !way.secrets.contains { request.target.contains($0) } })
        for secret in way.secrets {
            for output in outputs {
                #expect(!output.stdout.contains(secret), "\(output)")
                #expect(!output.stderr.contains(secret), "\(output)")
            }
            for name in home.folder.contents() where name != way.file?.path {
                guard let bytes = try? TestFile.bytes(home.folder.path(name)) else { continue }
                #expect(!bytes.contains(secret), "\(secret) in \(name)")
            }
        }
    }

    #if os(Linux)
    @Test(arguments: SecretWay.all) private func secretIsNotInTheProcessList(way: SecretWay) throws {
        let home = try home(way)
        let tool = try home.start(way.tool, arguments(way), stdin: .empty, environment: environment(way, "silent"))
        _ = seen.wait(atMost: .seconds(30)) { $0.isEmpty ? nil : true }
        let line = try File.openInput("/proc/\(tool.processID)/cmdline").contents(atMost: 1 << 20)
        tool.kill()
        #expect(line.contains(way.tool))
        for secret in way.secrets { #expect(!line.contains(secret)) }
        _ = tool.wait()
    }
    #endif
}
