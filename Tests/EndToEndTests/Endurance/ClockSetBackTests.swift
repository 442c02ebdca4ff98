import Records
import Support
import TestSupport
import Testing

/// Rows with times in the future, written before the clock was set back. No tool may wait for these times, which may be
/// years away.
struct ClockSetBackTests {
    private static let year = 366 * 86_400_000

    /// Shifts all times in the index, including the times of the counters.
    private func move(_ home: ToolHome, by milliseconds: Int) throws {
        try CacheOnDisk(home).execute(
            """
            UPDATE entries SET fetched_at = fetched_at + \(milliseconds), expires_at = expires_at + \(milliseconds),
                last_used = last_used + \(milliseconds), lease_until = lease_until + \(milliseconds);
            UPDATE counters SET since = since + \(milliseconds);
            """)
    }

    @Test func leasesFromTheFutureProtectNoEntry() throws {
        let server = try PictureServer(size: 10_000)
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put"] + (0..<10).map { server.url("\($0)") }).expect(0)
        try move(home, by: Self.year)

        let output = try home.run("img-cache", ["put", server.url("new"), "--capacity", "35KB"]).expect(0)

        #expect(output.stderr == "", "\(output)")
        #expect(CacheOnDisk(home).files().values.reduce(0, +) <= 35_000)
        #expect(try home.run("img-cache", ["has", server.url("new")]).status == 0)
        try CacheOnDisk(home).expectConsistent(home)
    }

    @Test func recentlyUsedEntryOutlivesAnEntryUsedInTheFuture() throws {
        let server = try PictureServer(size: 10_000)
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put", server.url("a"), server.url("b"), server.url("c")]).expect(0)
        try move(home, by: Self.year)
        let used = try home.run("img-cache", ["get", server.url("a")]).expect(0).record

        try home.run("img-cache", ["put", server.url("d"), "--capacity", "25KB"]).expect(0)

        // The path was returned just now, so it has a current lease.
        #expect(try TestFile.bytes(try #require(used.string("path"))) == server.picture(server.url("a")))
        #expect(try home.run("img-cache", ["has", server.url("b")]).status == 1)
    }

    @Test(arguments: [
        ["ls"], ["info", "--json", "URL"], ["info", "URL"], ["get", "URL"], ["get", "--no-stale", "URL"],
        ["put", "--offline", "URL"],
    ])
    func futureTimesAreNotReported(_ arguments: [String]) throws {
        let server = try PictureServer(size: 10_000)
        let home = try ToolHome(environment: server.environment)
        let url = server.url("a")
        try home.run("img-cache", ["put", url]).expect(0)
        let future = (Timestamp.now() + .milliseconds(Self.year)).iso8601.prefix(7)
        try move(home, by: Self.year)

        let output = try home.run("img-cache", arguments.map { $0 == "URL" ? url : $0 })

        #expect(!(output.stdout + output.stderr).isEmpty)
        #expect(!output.stdout.contains(future) && !output.stderr.contains(future), "\(output)")
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

    @Test func entryFromTheNearFutureIsServed() throws {
        // Clocks of machines that share a root may differ by seconds, and a clock may be corrected by seconds.
        let server = try PictureServer(size: 10_000)
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put", server.url("a")]).expect(0)
        try move(home, by: 30_000)
        #expect(try home.run("img-cache", ["put", server.url("a")]).expect(0).record.string("cache.status") == "hit")
        #expect(server.asked.count == 1)
    }

    @Test func countersWithFutureTimesStillCount() throws {
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

    /// The sum of fresh and stale hits: an entry from the future is expired, so its hits are stale.
    private func served(_ home: ToolHome) throws -> Int {
        try CacheOnDisk(home).count("hits") + CacheOnDisk(home).count("stale")
    }
}
