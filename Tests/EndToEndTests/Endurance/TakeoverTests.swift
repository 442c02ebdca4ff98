import Libc
import Records
import TestSupport
import Testing

/// Thirty-two processes request one large picture at the same time, and the process that downloads it may fail.
@Suite(.serialized)
struct TakeoverTests {
    private static let size = 20_000_000

    /// Starts processes that request the same address, and waits until each has opened the cache.
    private func followers(_ count: Int, of url: String, _ home: ToolHome) throws -> [RunningTool] {
        let tools = try (0..<count).map { _ in
            try home.start("img-cache", ["put", "APOD_TOOLS_RETRIES=0", url], stdin: .empty)
        }
        #expect(eventually { tools.allSatisfy { $0.hasOpen("/index.sqlite") ?? true } })
        return tools
    }

    @Test func singleRequestServesThirtyTwoProcesses() throws {
        let server = try PictureServer(size: Self.size)
        let home = try ToolHome(environment: server.environment)
        let url = server.url("large")

        let tools = try (0..<32).map { _ in try home.start("img-cache", ["put", url], stdin: .empty) }
        let records = try tools.map { try $0.wait().expect(0).record }

        #expect(server.asked.count == 1)
        #expect(records.filter { $0.string("cache.status") == "miss" }.count == 1)
        #expect(records.filter { $0.string("cache.status") == "hit" }.count == 31)
        #expect(Set(records.map { $0.string("path") }).count == 1)
        #expect(try TestFile.bytes(try #require(records[0].string("path"))) == server.picture(url))
        try CacheOnDisk(home).expectConsistent(home)
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func followerResumesTheDownloadOfAKilledLeader(_ signal: Int32) throws {
        let server = try PictureServer(size: Self.size, stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let url = server.url("large")
        let leader = try home.start("img-cache", ["put", url], stdin: .empty)
        #expect(server.waitUntilStalled())
        let followers = try followers(31, of: url, home)

        leader.kill(signal)

        #expect(leader.wait().signal == signal)
        let records = try followers.map { try $0.wait().expect(0).record }
        let asked = server.asked
        #expect(asked.count == 2)
        let start = asked.last?.range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        #expect(asked.last?.ifRange == "\"0\"" && start > 0 && start <= Self.size / 2, "\(asked)")
        #expect(records.filter { $0.string("cache.status") == "miss" }.count == 1)
        #expect(records.filter { $0.string("cache.status") == "hit" }.count == 30)
        #expect(try TestFile.bytes(try #require(records[0].string("path"))) == server.picture(url))
        try CacheOnDisk(home).expectConsistent(home)
    }

    @Test func changedPictureIsNotResumedAfterTheLeaderIsKilled() throws {
        let server = try PictureServer(size: 2_000_000, stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let url = server.url("changed")
        let leader = try home.start("img-cache", ["put", url], stdin: .empty)
        #expect(server.waitUntilStalled())
        let followers = try followers(4, of: url, home)
        server.change()

        leader.kill(SIGKILL)

        let records = try followers.map { try $0.wait().expect(0).record }
        #expect(server.asked.count == 2)
        #expect(try TestFile.bytes(try #require(records[0].string("path"))) == server.picture(url, version: 1))
    }

    @Test func notFoundForTheLeaderFailsAllProcesses() throws {
        let server = try PictureServer()
        server.refuse(404)
        let home = try ToolHome(environment: server.environment)
        let url = server.url("gone")
        let leader = try home.start("img-cache", ["put", url], stdin: .empty)
        #expect(server.waitUntilAsked(1))
        let followers = try followers(7, of: url, home)

        server.release()

        for tool in [leader] + followers {
            try tool.wait().expectFailure(69, code: "not-found", tool: "img-cache")
        }
        #expect(server.asked.count <= 8)
        #expect(home.blobs == [] && home.leftovers == [])
    }
}
