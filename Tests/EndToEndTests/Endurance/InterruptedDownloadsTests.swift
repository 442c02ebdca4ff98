import Libc
import Records
import TestSupport
import Testing

/// Eight downloads interrupted halfway by a signal or a closed output, and resumed by the next run.
@Suite(.serialized)
struct InterruptedDownloadsTests {
    private static let size = 200_000
    private static let put = ["put", "--jobs", "8", "APOD_TOOLS_JOBS_PER_HOST=8"]

    private func expectResumption(_ server: PictureServer, _ home: ToolHome, _ urls: [String]) throws {
        let before = server.asked.count
        #expect(home.leftovers.count == 2 * urls.count)
        let records = try home.run("img-cache", Self.put + urls).expect(0).records
        for (url, record) in zip(urls, records) {
            #expect(record.string("cache.status") == "miss")
            #expect(try TestFile.bytes(try #require(record.string("path"))) == server.picture(url))
        }
        let asked = server.asked[before...]
        #expect(asked.count == urls.count)
        #expect(asked.allSatisfy { $0.ifRange == "\"0\"" && $0.range != nil && $0.range != "bytes=0-" }, "\(asked)")
        try CacheOnDisk(home).expectConsistent(home)
        #expect(TemporaryFolder.names(in: home.cacheRoot + "/locks") == ["all"])
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func signalEndsDownloadsAndKeepsTheirBytes(_ signal: Int32) throws {
        let server = try PictureServer(size: Self.size, stalls: 8)
        let home = try ToolHome(environment: server.environment)
        let urls = (0..<8).map { server.url("\($0)") }
        let tool = try home.start("img-cache", Self.put + urls, stdin: .empty)
        #expect(server.waitUntilStalled(8))

        tool.kill(signal)

        // The deadline is shorter than the grace period for cleanup, so the cleanup was not aborted.
        let output = tool.wait(deadline: .seconds(4))
        #expect(output.signal == signal && !output.overran, "\(output)")
        #expect(output.stdout == "" && output.stderr == "", "\(output)")
        try expectResumption(server, home, urls)
    }

    @Test func closedOutputEndsDownloadsAndKeepsTheirBytes() throws {
        let server = try PictureServer(size: Self.size)
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put", server.url("first")]).expect(0)
        server.stall(next: 7)
        let urls = (0..<7).map { server.url("\($0)") }
        // The reader reads one record, and exits on request.
        let script = """
            exec 3<&0
            put() { APOD_TOOLS_JOBS_PER_HOST=8 img-cache put --jobs 8 "$@" < /dev/null; echo status $? >&2; }
            put "$@" | { read -r line; read -r go <&3; }
            """
        let shell = try home.start("/usr/bin/env", ["bash", "-c", script, "-", server.url("first")] + urls)
        #expect(server.waitUntilStalled(7))

        shell.write("go\n")

        let output = shell.wait(deadline: .seconds(4))
        #expect(!output.overran && output.stderr == "status 0\n", "\(output)")
        try expectResumption(server, home, urls)
    }
}
