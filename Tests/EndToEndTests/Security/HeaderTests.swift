import Records
import Support
import TestSupport
import Testing

/// A server that returns a picture and records requests.
private final class Listener: Sendable {
    private let seen = Monitor<[LoopbackRequest]>([])
    let server: LoopbackServer

    init() throws {
        let picture = DrawnPicture.gradient(4, 4).png()
        server = try LoopbackServer { [seen] request in
            seen.update { $0.append(request) }
            if request.path == "/away.png" {
                let port = request.header("Host")?.split(separator: ":").last ?? ""
                return LoopbackResponse(302, headers: [("Location", "http://localhost:\(port)/there.png")])
            }
            return .bytes(picture, type: "image/png")
        }
    }

    /// The values of a header in all requests, in order.
    func values(_ name: String) -> [String?] { seen.withLock { $0.map { $0.header(name) } } }

    func url(_ name: String, host: String = "127.0.0.1") -> String { "http://\(host):\(server.port)/\(name)" }

    func home() throws -> ToolHome { try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8,::1"]) }
}

/// The origins that receive the user's headers.
struct HeaderTests {
    private let listener: Listener
    private let home: ToolHome

    init() throws {
        listener = try Listener()
        home = try listener.home()
    }

    /// An option with its value: a header, a file with a header, or a file with a token.
    private func given(_ kind: String) throws -> (option: String, value: String) {
        switch kind {
        case "--header @": ("--header", "@\(try home.write("file", "X-A: 1"))")
        case "--bearer-file": (kind, try home.write("file", "t"))
        default: (kind, "X-A: 1")
        }
    }

    private func put(_ arguments: [String], stdin: ToolInput = .empty) throws -> ToolOutput {
        try home.run("img-cache", ["put", "--jobs", "1", "APOD_TOOLS_RETRIES=0"] + arguments, stdin: stdin)
    }

    @Test func headersOfEverySourceReachTheServer() throws {
        let file = try home.write("headers", "# two\nX-B: 2\n\(listener.server.address) X-C: 3\n")
        let token = try home.write("token", "t0ken\n")
        try put([
            listener.url("a.png"), "--header", "X-A: 1", "--header", "X-Empty;", "--header", "@\(file)",
            "--bearer-file", token, "--header", "\(listener.server.address) X-D: 4",
            "--header", "https://example.org X-E: 5",
        ]).expect(0)
        #expect(listener.values("X-A") == ["1"] && listener.values("X-Empty") == [""])
        #expect(listener.values("X-B") == ["2"] && listener.values("X-C") == ["3"] && listener.values("X-D") == ["4"])
        #expect(listener.values("X-E") == [nil] && listener.values("Authorization") == ["Bearer t0ken"])
    }

    @Test func netrcInTheHomeFolderIsUsedOnlyIfConfigured() throws {
        try home.folder.write("home/.netrc", "machine 127.0.0.1 login user password pass")
        try put([listener.url("a.png")]).expect(0)
        try put([listener.url("b.png"), listener.url("c.png", host: "localhost"), "APOD_TOOLS_NETRC=true"]).expect(0)
        let config = try home.write("config.json", "{\"netrc_file\":\"\(home.folder.path("home/.netrc"))\"}")
        try put([listener.url("d.png"), "--config", config]).expect(0)
        #expect(listener.values("Authorization") == [nil, "Basic dXNlcjpwYXNz", nil, "Basic dXNlcjpwYXNz"])
    }

    @Test func headersAreNotSentToAnotherOrigin() throws {
        let options = ["--header", "Cookie: a=1", "--header", "http://localhost:\(listener.server.port) X-A: 1"]
        try put([listener.url("away.png")] + options).expect(0)
        #expect(listener.values("Cookie") == ["a=1", nil])
        #expect(listener.values("X-A") == [nil, nil])
    }

    @Test(arguments: ["--header", "--header @", "--bearer-file"])
    func headerWithoutAnOriginIsRefusedForSeveralOrigins(option: String) throws {
        let (option, value) = try given(option)
        let urls = [listener.url("a.png"), listener.url("b.png", host: "localhost")]
        try put(urls + [option, value]).expectRefusal(
            64, "img-cache", "--header 'http://127.0.0.1", "127.0.0.1", "localhost")
        #expect(listener.values("X-A").isEmpty)
        let lines = listener.server.address + " X-A: 1\n"
        try put(urls + ["--header", "@\(home.write("addressed", lines))"]).expect(0)
        #expect(listener.values("X-A") == ["1", nil])
    }

    private func records(_ urls: String...) -> ToolInput { .lines(urls.map { "{\"url\":\"\($0)\"}" }) }

    /// Regression test: the server of the first record once received the secret.
    @Test(arguments: ["--header", "--header @", "--bearer-file"])
    func recordsCannotChooseTheReceiverOfASecret(option: String) throws {
        let (option, value) = try given(option)
        for arguments in [[], ["-"], [listener.url("b.png"), "-"]] {
            let output = try put(arguments + [option, value], stdin: records(listener.url("a.png")))
            try output.expectRefusal(64, "img-cache", "--header and --bearer-file", "the server before")
        }
        try home.run("img-cache", ["explain", option, value], stdin: records(listener.url("a.png"))).expect(64)
        #expect(listener.values("X-A").isEmpty)
    }

    @Test func secretForANamedServerIsSentOnlyToThatServer() throws {
        let token = try home.write("token", "t0ken\n")
        let origin = listener.server.address
        let options = ["--header", "\(origin) X-A: 1", "--bearer-file", "\(origin) \(token)"]
        try put(options, stdin: records(listener.url("a.png"), listener.url("b.png", host: "localhost"))).expect(0)
        #expect(listener.values("X-A") == ["1", nil])
        #expect(listener.values("Authorization") == ["Bearer t0ken", nil])
        try put(["--bearer-file", "\(origin) \(token)", "--header", "\(origin) Authorization: x"], stdin: .empty)
            .expectRefusal(64, "img-cache", "--bearer-file")
    }

    @Test func configuredHeaderWithoutAServerIsNotSentForRecords() throws {
        let file = try home.write("headers", "X-A: 1\n\(listener.server.address) X-B: 2\n")
        let config = try home.write("config.json", "{\"header_file\":\"\(file)\"}")
        let output = try put(["--config", config], stdin: records(listener.url("a.png"), listener.url("b.png"))).expect(
            0)
        #expect(output.errorLines.count == 1 && output.stderr.contains("header_file"), "\(output)")
        try put(["--config", config, listener.url("c.png")]).expect(0)
        #expect(listener.values("X-A") == [nil, nil, "1"] && listener.values("X-B") == ["2", "2", "2"])
    }

    /// No connection is opened, so the test needs no server.
    @Test func secretIsNotSentUnencryptedToAnotherMachine() throws {
        let url = "http://10.0.0.1/a.png"
        let arguments = [url, "--header", "X-A: sesame", "--allow-private", "10.0.0.0/8"]
        let output = try put(arguments)
        try output.expectFailure(77, code: "exposed-secret", tool: "img-cache")
        #expect(output.stderr.contains("--header") && !output.stderr.contains("sesame"), "\(output)")
        let explained = try home.run("img-cache", ["explain", "--json"] + arguments).record
        #expect(explained.string("explain.decision") == "refused", "\(explained)")
    }

    @Test func fileOfSecretsReadableByOthersIsReportedOnce() throws {
        let token = try home.folder.write("work/token", "t0ken\n", mode: 0o644)
        let output = try put([listener.url("a.png"), listener.url("b.png"), "--bearer-file", token]).expect(0)
        #expect(output.errorLines.count == 1 && output.stderr.contains("chmod 600"), "\(output)")
    }

    @Test(arguments: [
        ["--header", "X-A:"], ["--header", "hidden"], ["--header", "Range: bytes=hidden"],
        ["--header", "https://a/b X-A: hidden"], ["--header", "https://a", "X-A: hidden"],
        ["--heder", "X: hidden"],
    ])
    func invalidHeaderIsAUsageError(options: [String]) throws {
        let output = try put([listener.url("a.png")] + options)
        try output.expectRefusal(64, "img-cache", "--")
        #expect(!output.stderr.contains("hidden"), "\(output)")
        #expect(listener.values("X-A").isEmpty)
    }

    @Test func missingHeaderFileIsAConfigurationError() throws {
        for (option, mark) in [("--header", "@"), ("--bearer-file", "")] {
            try put([listener.url("a.png"), option, "\(mark)nowhere"]).expectRefusal(78, "img-cache", "nowhere")
            try put([listener.url("a.png"), option, "\(mark)-"]).expect(78)
        }
        try put([listener.url("a.png"), "APOD_TOOLS_NETRC_FILE=nowhere"]).expectRefusal(78, "img-cache", "nowhere")
        try put([listener.url("a.png"), "APOD_TOOLS_NETRC=true"]).expectRefusal(78, "img-cache", ".netrc")
    }

    @Test func compressedAnswerIsRefused() throws {
        // A megabyte of zeros, which would exceed the limit if it were decompressed.
        let bomb = Bomb.zeros(matches: 4065)
        let server = try LoopbackServer { request in
            var response = LoopbackResponse.bytes(bomb, type: "image/png")
            if request.path == "/said.png" { response.set("Content-Encoding", "deflate") }
            return response
        }
        let said = try put(["\(server.address)/said.png", "--max-bytes", "100KB"])
        try said.expectFailure(65, code: "unwanted-encoding", tool: "img-cache")
        try put(["\(server.address)/unsaid.png", "--max-bytes", "100KB"]).expect(65)
        #expect(home.blobs.isEmpty && home.leftovers.isEmpty)
    }

    @Test func localhostWithAFinalDotIsRecognised() throws {
        let home = try ToolHome()
        let urls = ["http://localhost./a.png", "http://LOCALHOST.:\(listener.server.port)/a.png"]
        for record in try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0"] + urls).expect(77).records {
            #expect(record.string("error.code") == "blocked-address")
        }
        try put(["http://localhost.:\(listener.server.port)/a.png"]).expect(0)
    }

    @Test func fileNameAfterAllowPrivateIsNotItsValue() throws {
        try home.write("cafe", DrawnPicture.gradient(4, 4).png())
        try home.run("img-cache", ["put", "--allow-private", "cafe"]).expect(0)
    }
}

/// Limits on the use of the network.
struct PaceTests {
    private struct Load {
        var active: [String: Int] = [:]
        var peak: [String: Int] = [:]
    }

    @Test func jobsPerHostLimitsEachHost() throws {
        let load = Monitor(Load())
        let picture = DrawnPicture.gradient(4, 4).png()
        let server = try LoopbackServer { request in
            let host = String(request.header("Host")?.prefix { $0 != ":" } ?? "")
            load.update {
                $0.active[host, default: 0] += 1
                $0.peak[host] = max($0.peak[host] ?? 0, $0.active[host] ?? 0)
            }
            // Waits until both hosts have the allowed number of requests.
            _ = load.wait(atMost: .seconds(30)) { $0.peak.values.filter { $0 >= 2 }.count == 2 ? true : nil }
            load.update { $0.active[host, default: 0] -= 1 }
            return .bytes(picture, type: "image/png")
        }
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8,::1"])
        let urls = (0..<16).map { "http://\($0 % 2 == 0 ? "127.0.0.1" : "localhost"):\(server.port)/\($0).png" }
        try home.run("img-cache", ["put", "--jobs", "16", "APOD_TOOLS_JOBS_PER_HOST=2"] + urls).expect(0)
        #expect(load.withLock { $0.peak } == ["127.0.0.1": 2, "localhost": 2])
    }

    @Test func rateLimitIsSharedByAllDownloads() throws {
        let picture = DrawnPicture.noise(100, 80, seed: 3).png()
        let server = try LoopbackServer { _ in .bytes(picture, type: "image/png") }
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        let urls = (0..<4).map { "\(server.address)/\($0).png" }
        // At this rate, the four downloads take half a second.
        let rate = picture.count * 4 * 2
        let start = ContinuousClock.now
        try home.run("img-cache", ["put", "APOD_TOOLS_RATE=\(rate)"] + urls).expect(0)
        #expect(ContinuousClock.now - start >= .milliseconds(490))
        for bad in ["0", "999", "fast"] {
            try home.run("img-cache", ["put", urls[0], "APOD_TOOLS_RATE=\(bad)"])
                .expectRefusal(78, "img-cache", "APOD_TOOLS_RATE")
            try home.run("img-cache", ["put", urls[0], "APOD_TOOLS_JOBS_PER_HOST=\(bad)x"])
                .expectRefusal(78, "img-cache", "APOD_TOOLS_JOBS_PER_HOST")
        }
    }
}
