import Records
import TestSupport
import Testing

/// Rows that were written before the clock was set back: nothing waits for a time that may be years away.
struct ClockSetBackTests {
    private static let year = 366 * 86_400_000

    /// Moves all times of the index, including the counters', by `milliseconds`.
    private func move(_ home: ToolHome, by milliseconds: Int) throws {
        try CacheOnDisk(home).execute(
            """
            UPDATE entries SET fetched_at = fetched_at + \(milliseconds), expires_at = expires_at + \(milliseconds),
                last_used = last_used + \(milliseconds), lease_until = lease_until + \(milliseconds);
            UPDATE counters SET since = since + \(milliseconds);
            """)
    }

    @Test func leasesOfTheFutureDoNotKeepAnything() throws {
        let server = try PictureServer(size: 10_000)
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put"] + (0..<10).map { server.url("\($0)") }).expect(0)
        try move(home, by: Self.year)

        let output = try home.run("img-cache", ["put", server.url("new"), "--capacity", "35KB"]).expect(0)

        #expect(output.stderr == "", "\(output)")
        #expect(CacheOnDisk(home).files().values.reduce(0, +) <= 35_000)
        #expect(try home.run("img-cache", ["has", server.url("new")]).status == 0)
        try CacheOnDisk(home).expectSound(home)
    }

    @Test func recentlyUsedEntryOutlivesAnEntryUsedInTheFuture() throws {
        let server = try PictureServer(size: 10_000)
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put", server.url("a"), server.url("b"), server.url("c")]).expect(0)
        try move(home, by: Self.year)
        let used = try home.run("img-cache", ["get", server.url("a")]).expect(0).record

        try home.run("img-cache", ["put", server.url("d"), "--capacity", "25KB"]).expect(0)

        // Its path was handed out just now, which is a lease of today.
        #expect(try TestFile.bytes(try #require(used.string("path"))) == server.picture(server.url("a")))
        #expect(try home.run("img-cache", ["has", server.url("b")]).status == 1)
    }

    @Test func entryFromTheFutureIsRevalidated() throws {
        let server = try PictureServer(size: 10_000)
        let home = try ToolHome(environment: server.environment)
        let url = server.url("a")
        try home.run("img-cache", ["put", url]).expect(0)
        try move(home, by: Self.year)

        let record = try home.run("img-cache", ["put", url]).expect(0).record

        #expect(record.string("cache.status") == "revalidated")
        #expect(server.asked.count == 2)
        #expect(try home.run("img-cache", ["put", url]).expect(0).record.string("cache.status") == "hit")
    }

    @Test func anEntryOfALittleLaterIsServed() throws {
        // Clocks of machines that share a root differ by seconds, and are put right by as much.
        let server = try PictureServer(size: 10_000)
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put", server.url("a")]).expect(0)
        try move(home, by: 30_000)
        #expect(try home.run("img-cache", ["put", server.url("a")]).expect(0).record.string("cache.status") == "hit")
        #expect(server.asked.count == 1)
    }

    @Test func countersContinue() throws {
        let server = try PictureServer(size: 10_000)
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put", server.url("a")]).expect(0)
        try home.run("img-cache", ["get", server.url("a")]).expect(0)
        let before = try (served(home), CacheOnDisk(home).count("misses"))
        try move(home, by: Self.year)

        try home.run("img-cache", ["get", server.url("a")]).expect(0)
        try home.run("img-cache", ["has", server.url("b")]).expect(1)

        #expect(try served(home) == before.0 + 1)
        #expect(try CacheOnDisk(home).count("misses") == before.1 + 1)
    }

    /// An entry of the future counts as expired.
    private func served(_ home: ToolHome) throws -> Int {
        try CacheOnDisk(home).count("hits") + CacheOnDisk(home).count("stale")
    }
}
