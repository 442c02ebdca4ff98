import Libc
import Records
import Support
import TestSupport
import Testing

/// When and how `img-cache` sends requests.
struct FetchingTests {
    /// A server that counts requests and returns scripted responses.
    private final class Server: Sendable {
        private let server: LoopbackServer
        private let asked: Monitor<[LoopbackRequest]>

        init(_ respond: @escaping @Sendable (LoopbackRequest, Int) -> LoopbackResponse) throws {
            let asked = Monitor([LoopbackRequest]())
            self.asked = asked
            server = try LoopbackServer { request in
                respond(
                    request,
                    asked.update {
                        $0.append(request)
                        return $0.count - 1
                    })
            }
        }

        var requests: [LoopbackRequest] { asked.withLock { $0 } }
        func url(_ name: String) -> String { "\(server.address)/\(name)" }

        func home() throws -> ToolHome { try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"]) }
    }

    private static let picture = DrawnPicture.gradient(40, 30).png()

    // MARK: Remembered failures

    @Test func permanentFailureIsReportedAgainWithoutARequest() throws {
        let server = try Server { _, _ in LoopbackResponse(404) }
        let home = try server.home()
        let url = server.url("gone.png")
        let first = try home.run("img-cache", ["put", url]).expectFailure(69, code: "not-found", tool: "img-cache")
        let again = try home.run("img-cache", ["put", url]).expectFailure(69, code: "not-found", tool: "img-cache")
        #expect(server.requests.count == 1)
        #expect(first.string("error.message") != again.string("error.message"))
        #expect(again.string("error.message")?.contains("--refresh") == true)
        let statistics = try home.statistics()
        #expect(statistics.integer("scopes.0.counters.negative_hits") == 1)
    }

    @Test func refreshRmAndCleanForgetAFailure() throws {
        let server = try Server { _, _ in LoopbackResponse(410) }
        let home = try server.home()
        let url = server.url("gone.png")
        for (count, arguments) in [(1, ["put", url]), (2, ["put", "--refresh", url])] {
            try home.run("img-cache", arguments).expect(69)
            #expect(server.requests.count == count)
        }
        try home.run("img-cache", ["rm", url]).expect(1)
        try home.run("img-cache", ["put", url]).expect(69)
        #expect(server.requests.count == 3)
        try home.run("img-cache", ["clean"]).expect(0)
        try home.run("img-cache", ["put", url]).expect(69)
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [["APOD_TOOLS_NEGATIVE_TTL=0"], []])
    func failuresAreNotRememberedIfNegativeTTLIsZero(_ arguments: [String]) throws {
        let server = try Server { _, _ in LoopbackResponse(404) }
        let home = try server.home()
        if arguments.isEmpty { try home.folder.write("config/apod-tools/config.json", "{\"negative_ttl\":\"0s\"}") }
        for _ in 0..<2 { try home.run("img-cache", ["put"] + arguments + [server.url("gone.png")]).expect(69) }
        #expect(server.requests.count == 2)
    }

    @Test func nextAddressIsTriedAfterARememberedFailure() throws {
        let server = try Server { request, _ in
            request.path == "/gone.png" ? LoopbackResponse(404) : .bytes(Self.picture, type: "image/png")
        }
        let home = try server.home()
        let line = "{\"hdurl\":\"\(server.url("gone.png"))\",\"url\":\"\(server.url("there.png"))\"}"
        for _ in 0..<2 {
            let record = try home.run("img-cache", ["put"], stdin: .lines([line])).expect(0).record
            #expect(record.string("cache.url") == server.url("there.png"))
        }
        #expect(server.requests.map(\.path) == ["/gone.png", "/there.png"])
    }

    // MARK: Unreachable servers

    @Test func staleEntryIsServedWithAWarningIfTheServerIsGone() throws {
        let service = try SampleServer(["--size", "64x48"])
        let home = try ToolHome(environment: service.environment)
        let url = service.url("/pictures/stale.jpg")
        _ = try home.run("img-cache", ["put", url, "--ttl", "0s"]).expect(0)
        service.stop()
        let stale = try home.run("img-cache", ["put", url, "APOD_TOOLS_RETRIES=0"]).expect(0)
        #expect(try stale.record.string("cache.status") == "stale")
        #expect(stale.errorLines.count == 1 && stale.stderr.hasPrefix("img-cache: warning: "), "\(stale)")
        #expect(try home.run("img-cache", ["put", url, "APOD_TOOLS_RETRIES=0", "-q"]).expect(0).stderr == "")
        try home.run("img-cache", ["put", url, "APOD_TOOLS_RETRIES=0", "--no-stale"])
            .expectFailure(75, code: "connection-failed", tool: "img-cache")
        // A lookup never uses the network. It reports the entry as stale.
        #expect(try home.run("img-cache", ["get", url]).expect(0).record.string("cache.status") == "stale")
        #expect(
            try home.run("img-cache", ["put", url, "--offline"]).expect(0).record.string("cache.status") == "stale")
    }

    // MARK: Cache-Control

    @Test func cacheControlIsHonouredByOptionOrConfiguration() throws {
        let server = try Server { request, _ in
            var response = LoopbackResponse.bytes(Self.picture, type: "image/png")
            response.set("Cache-Control", request.path == "/never.png" ? "no-store" : "no-cache")
            return response
        }
        let home = try server.home()
        let record = try home.run(
            "img-cache", ["put", "--respect-cache-control", server.url("never.png")]
        )
        .expect(0).record
        #expect(record.string("cache.status") == "bypass")
        #expect(try TestFile.bytes(try #require(record.string("path"))) == Self.picture)
        #expect(home.blobs.isEmpty && home.leftovers.isEmpty)
        for _ in 0..<2 {
            try home.run("img-cache", ["put", "--respect-cache-control", server.url("a.png")]).expect(0)
        }
        #expect(server.requests.map(\.path) == ["/never.png", "/a.png", "/a.png"])
        try home.folder.write("config/apod-tools/config.json", "{\"respect_cache_control\":true}")
        let again = try home.run("img-cache", ["put", server.url("never.png")]).expect(0).record
        #expect(again.string("cache.status") == "bypass")
        try home.folder.write("config/apod-tools/config.json", "{\"respect_cache_control\":\"perhaps\"}")
        try home.run("img-cache", ["put", server.url("never.png")]).expect(78)
    }

    @Test func staleEntryIsServedBeforeItsRevalidation() throws {
        let server = try Server { request, number in
            var response = LoopbackResponse.bytes(Self.picture, type: "image/png")
            response.set("ETag", "\"\(number)\"")
            response.set(
                "Cache-Control", number == 0 ? "max-age=0, stale-while-revalidate=600" : "max-age=600, s-maxage=0")
            return response
        }
        let home = try server.home()
        let put = ["put", "--respect-cache-control", server.url("a.png")]
        for (status, requests, decision) in [("miss", 1, "stale"), ("stale", 2, "hit"), ("hit", 2, "hit")] {
            let output = try home.run("img-cache", put).expect(0)
            #expect(try output.record.string("cache.status") == status)
            #expect(output.stderr == "" && server.requests.count == requests)
            let explained = try home.run("img-cache", ["explain", "--json"] + put.dropFirst()).expect(0)
            #expect(try explained.record.string("explain.decision") == decision)
        }
        try home.run("img-cache", put + ["--refresh"]).expect(0)
        #expect(server.requests.count == 3)
    }

    @Test func expiredPictureIsNotServedBeyondStaleIfError() throws {
        let server = try Server { request, number in
            if number > 1 { return LoopbackResponse(503) }
            var response = LoopbackResponse.bytes(Self.picture, type: "image/png")
            let seconds = request.path == "/long.png" ? 600 : 0
            response.set("Cache-Control", "max-age=0, stale-if-error=\(seconds)")
            return response
        }
        let home = try server.home()
        func put(_ name: String) throws -> ToolOutput {
            try home.run(
                "img-cache", ["put", "--respect-cache-control", "--retries", "0", server.url(name)])
        }
        for name in ["long.png", "short.png"] { try put(name).expect(0) }
        #expect(try put("long.png").expect(0).record.string("cache.status") == "stale")
        try put("short.png").expectFailure(75, code: "server-error", tool: "img-cache")
    }

    // MARK: Offline

    #if os(Linux)
    @Test func missingLibcurlIsReported() throws {
        let home = try ToolHome()
        for name in ["libcurl.so.4", "libcurl-gnutls.so.4"] { try home.write("broken/\(name)", "none") }
        let environment = ["LD_LIBRARY_PATH": home.path("broken")]
        let version = try home.run("img-cache", ["--version"], environment: environment).expect(0)
        #expect(version.lines.contains("libcurl cannot be used: it is not installed"), "\(version)")
        let output = try home.run("img-cache", ["put", "http://8.8.8.8/a.jpg"], environment: environment)
        try output.expectFailure(70, code: "no-libcurl", tool: "img-cache")
        #expect(output.stderr.contains("cannot load libcurl (it is not installed)"), "\(output)")
    }
    #endif

    @Test func offlineOpensNoConnectionAndResolvesNoName() throws {
        let server = try Server { _, _ in .bytes(Self.picture, type: "image/png") }
        let home = try server.home()
        for url in [server.url("a.png"), "https://name.invalid/a.png"] {
            try home.run("img-cache", ["put", "--offline", url]).expectFailure(75, code: "offline", tool: "img-cache")
            try home.run("img-cache", ["explain", "--offline", url]).expect(0)
        }
        #expect(server.requests.isEmpty)
    }

    #if os(Linux)
    @Test(.enabled(if: access("/usr/bin/strace", X_OK) == 0))
    func offlineCreatesNoSocket() throws {
        let home = try ToolHome()
        let run = try home.shell(
            "strace -f -qq -e trace=socket,connect -o calls img-cache put --offline https://example.org/a.png")
        try run.expect(75)
        #expect(try TestFile.bytes(home.path("calls")).isEmpty)
    }
    #endif

    // MARK: Partial and large bodies

    @Test(arguments: [1, 100_000, 4_000_000])
    func killedDownloadIsResumed(_ before: Int) throws {
        let body = Self.large(5_000_000)
        let stalled = Monitor(false)
        let server = try LoopbackServer { request, connection in
            var response = LoopbackResponse(headers: [("ETag", "\"v1\""), ("Content-Type", "image/gif")])
            if let range = request.header("Range"), let start = Int(range.dropFirst(6).dropLast()) {
                #expect(request.header("If-Range") == "\"v1\"")
                response.status = 206
                response.set("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)")
                response.body = Array(body[start...])
                return try connection.send(response, to: request)
            }
            response.set("Content-Length", "\(body.count)")
            try connection.send(response.head() + body[..<before])
            stalled.update { $0 = true }
            connection.waitForClient()
        }
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        let url = "\(server.address)/large.gif"
        let tool = try home.start("img-cache", ["put", url], stdin: .empty)
        #expect(stalled.wait(atMost: .seconds(30)) { $0 ? true : nil } == true)
        // The tool has written all bytes that were sent.
        #expect(eventually { home.leftoverBytes == before })
        tool.kill(SIGKILL)
        #expect(tool.wait().signal == SIGKILL)

        let explained = try home.run("img-cache", ["explain", url]).expect(0).record
        let record = try home.run("img-cache", ["put", url]).expect(0).record

        #expect(explained.integer("explain.partial.bytes") == before)
        #expect(explained.bool("explain.partial.resumable") == true)
        #expect(try TestFile.bytes(try #require(record.string("path"))) == body)
        #expect(home.leftovers.isEmpty)
    }

    /// A PNG with bytes after its end.
    private static func large(_ count: Int) -> [UInt8] {
        var body = DrawnPicture.gradient(4, 4).png()
        body.reserveCapacity(count)
        for index in body.count..<count { body.append(UInt8(truncatingIfNeeded: index &* 31)) }
        return body
    }

    @Test func memoryDoesNotGrowWithTheSizeOfTheBody() throws {
        let small = try peakMemory(ofBody: 1_000_000)
        let large = try peakMemory(ofBody: 300_000_000)
        guard !isUnderAddressSanitizer, let small, let large else { return }
        #expect(large - small < 8 << 20, "\(small) and \(large)")
    }

    /// The peak memory of `put`, measured before the server sends the last byte of a body of the given size.
    private func peakMemory(ofBody size: Int) throws -> Int? {
        let (isMeasured, hasSent) = (Monitor(false), Monitor(false))
        let server = try LoopbackServer { request, connection in
            var response = LoopbackResponse.bytes([], type: "image/png")
            response.set("Content-Length", "\(size)")
            try connection.send(response.head() + Self.picture)
            let piece = [UInt8](repeating: 0, count: 1 << 20)
            var rest = size - Self.picture.count - 1
            while rest > 0 {
                try connection.send(Array(piece.prefix(rest)))
                rest -= min(rest, piece.count)
            }
            hasSent.update { $0 = true }
            // Holds back the last byte until the memory of the running tool is measured.
            _ = isMeasured.wait(atMost: .seconds(60)) { $0 ? true : nil }
            try connection.send([0])
        }
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        let tool = try home.start(
            "img-cache", ["put", "--max-bytes", "1GB", "--capacity", "1GB", "\(server.address)/a.png"], stdin: .empty)
        #expect(hasSent.wait(atMost: .seconds(60)) { $0 ? true : nil } == true)
        let peak = tool.peakMemory
        isMeasured.update { $0 = true }
        let record = try tool.wait(deadline: .seconds(120)).expect(0).record
        #expect(record.integer("cache.bytes") == size)
        return peak
    }

    // MARK: explain

    @Test func explainPredictsPutForEachAddress() throws {
        let server = try Server { request, _ in
            request.path == "/gone.png" ? LoopbackResponse(404) : .bytes(Self.picture, type: "image/png")
        }
        let home = try server.home()
        let (gone, there) = (server.url("gone.png"), server.url("there.png"))
        let line = "{\"date\":\"2026-01-01\",\"hdurl\":\"\(gone)\",\"url\":\"\(there)\"}"
        func decision(_ arguments: [String] = []) throws -> Record {
            try home.run("img-cache", ["explain"] + arguments, stdin: .lines([line])).expect(0).record
        }
        #expect(try decision().string("explain.decision") == "fetch")
        #expect(home.folder.contents().filter { $0.hasPrefix("cache/apod-tools/") }.isEmpty)
        try home.run("img-cache", ["put"], stdin: .lines([line])).expect(0)
        let after = try decision()
        #expect(after.names == ["date", "hdurl", "url", "explain"])
        #expect(after.string("explain.decision") == "hit")
        #expect(after.string("explain.url") == there)
        #expect(after.string("explain.candidates.0.decision") == "remembered-failure")
        #expect(after.bool("explain.addresses.0.allowed") == true)
        #expect(try decision(["--refresh"]).string("explain.url") == gone)
        #expect(server.requests.count == 2)
    }

    @Test func explainStatesWhyAnAddressIsRefused() throws {
        let home = try ToolHome()
        let record = try home.run("img-cache", ["explain", "http://127.0.0.1:9/a.png"]).expect(0).record
        #expect(record.string("explain.decision") == "refused")
        #expect(record.string("explain.addresses.0.class") == "loopback")
        try home.run("img-cache", ["explain", "a.png"]).expectFailure(64, code: "usage", tool: "img-cache")
    }

    // MARK: prefetch

    @Test func prefetchReportsItsResult() throws {
        let server = try Server { request, _ in
            request.path == "/gone.png" ? LoopbackResponse(404) : .bytes(Self.picture, type: "image/png")
        }
        let home = try server.home()
        try home.run("img-cache", ["put", server.url("a.png")]).expect(0)
        let urls = ["a.png", "b.png", "gone.png", "c.png"].map(server.url)
        let run = try home.run("img-cache", ["prefetch", "APOD_TOOLS_DELAY=10ms"] + urls).expect(69)
        #expect(try run.records.map { $0.string("cache.status") } == ["hit", "miss", nil, "miss"])
        #expect(run.errorLines.last == "img-cache: 1 skipped, 2 done, 1 failed")
        let quiet = try home.run("img-cache", ["prefetch", "-q"] + urls.prefix(2)).expect(0)
        #expect(quiet.stderrBytes.isEmpty)
    }

    @Test func prefetchRunsAtLowPriority() throws {
        let server = try StallingServer()
        let home = try ToolHome(environment: server.environment)
        let tool = try home.start("img-cache", ["prefetch", server.url()], stdin: .empty)
        #expect(server.waitUntilStalled())
        let niceness = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(tool.processID))
        #expect(niceness == 10)
        tool.kill(SIGTERM)
        #expect(tool.wait().signal == SIGTERM)
    }
}

extension ToolHome {
    /// The number of bytes in partial files.
    fileprivate var leftoverBytes: Int {
        leftovers.filter { !$0.hasSuffix(".note") }.reduce(0) { sum, name in
            sum + ((try? File.open("\(folder.path)/\(name)", O_RDONLY))?.count ?? 0)
        }
    }
}
