import Libc
import Records
import Support
import TestSupport
import Testing

/// Runs the current tools on roots in each earlier layout.
struct MigrationTests {
    private static let layouts = 1...IndexLayouts.steps.count

    @Test(arguments: layouts)
    func allEntriesAreMigrated(_ layout: Int) throws {
        let old = try OlderRoot(layout: layout)
        let (home, service) = (old.home, old.service)
        func run(_ tool: String, _ arguments: String..., stdin: ToolInput = .empty) throws -> ToolOutput {
            try home.run(tool, arguments + ["--scope", "default"], stdin: stdin)
        }
        // Lookups return every entry without a request.
        let found = try home.run("img-cache", ["get", "--scope", "default"] + old.keys).expect(0)
        #expect(
            try found.records.map { $0.string("cache.status") } == old.keys.map { $0 == old.expired ? "stale" : "hit" })
        for record in try found.records {
            let url = try #require(record.string("cache.url"))
            #expect(try TestFile.bytes(#require(record.string("path"))) == old.bytes(url))
        }
        try service.reset()
        let put = try run("img-cache", "put", old.fresh).expect(0)
        #expect(try put.record.string("cache.status") == "hit")
        try home.run("img-cache", ["has", "--scope", "alice", old.fresh]).expect(0)
        try home.run("img-cache", ["has", "--scope", "alice", old.pinned]).expect(1)
        let shrunk = try run("img-downsample", "--variant", "pager", stdin: .text(put.stdout)).expect(0).record
        #expect(shrunk.string("variants.pager.status") == "hit")
        #expect(try service.requests().total == 0)

        // `ls`, `scope list` and `stats` report every entry.
        let listed = try run("img-cache", "ls", "--print", "cache.key").expect(0).lines
        #expect(listed.sorted() == old.keys.sorted())
        #expect(try run("img-cache", "ls", "--pinned", "--print", "cache.key").expect(0).lines == [old.pinned])
        let scopes = try home.run("img-cache", ["scope", "list"]).expect(0).records
        #expect(scopes.map { $0.string("scope") } == ["alice", "default"])
        #expect(scopes.map { $0.integer("entries") } == [1, 7])
        #expect(try home.run("img-cache", ["scope", "current"]).expect(0).lines == [layout >= 2 ? "alice" : "default"])
        let statistics = try home.statistics()
        #expect(statistics.integer("entries") == 8 && statistics.integer("pinned.entries") == 1)
        #expect(try CacheOnDisk(home).count("hits") > 41 && CacheOnDisk(home).count("misses") >= 7)

        // The root is intact and has the current layout.
        try home.expectVerified()
        try home.run("img-cache", ["scope", "purge", "nobody"]).expect(0)
        try home.run("img-cache", ["clean"]).expect(0)
        try home.expectVerified()
        try CacheOnDisk(home).expectConsistent(home)
        #expect(try CacheOnDisk(home).number("PRAGMA user_version") >= IndexLayouts.steps.count)
        #expect(try CacheOnDisk(home).number("PRAGMA application_id") == 0x4150_4F44)
    }

    @Test(arguments: layouts) func pinsAndLeasesAreKeptWhenTrimming(_ layout: Int) throws {
        let old = try OlderRoot(layout: layout)
        let other = old.service.url("/pictures/other.jpg")
        let output = try old.home.run("img-cache", ["put", "--scope", "default", "--capacity", "10B", other]).expect(0)
        // The only warning is about a folder that cannot be removed yet.
        #expect(output.errorLines.count == 1, "\(output)")

        let left = try old.home.run("img-cache", ["ls", "--all-scopes", "--print", "cache.key"]).expect(0).lines
        #expect(left.sorted() == [old.leased, other, old.pinned].sorted())
        try old.home.run("img-cache", ["scope", "purge", "nobody"]).expect(0)
        try CacheOnDisk(old.home).expectConsistent(old.home)
    }

    @Test(arguments: layouts) func expiredEntriesAreFetchedAgain(_ layout: Int) throws {
        let old = try OlderRoot(layout: layout)
        let record = try old.home.run("img-cache", ["put", "--scope", "default", old.expired]).expect(0).record
        #expect(record.string("cache.status") == "revalidated")
        #expect(try old.service.requests().total == 1)
        // From layout 3 on, the entry records that the server requires revalidation before use.
        let again = try OlderRoot(layout: layout)
        again.service.stop()
        let stale = try again.home.run(
            "img-cache",
            [
                "put", "--scope", "default", "APOD_TOOLS_RESPECT_CACHE_CONTROL=true", "APOD_TOOLS_RETRIES=0",
                again.expired,
            ])
        #expect(stale.status == (layout < 3 ? 0 : 75), "\(stale)")
        #expect(try stale.record.string("cache.status") == (layout < 3 ? "stale" : nil))
    }

    /// The current version may accept an answer that an earlier version refused.
    @Test(arguments: 4...IndexLayouts.steps.count) func failuresOfEarlierVersionsAreIgnored(_ layout: Int) throws {
        let old = try OlderRoot(layout: layout)
        for _ in 0..<2 {
            let put = try old.home.run("img-cache", ["put", "--scope", "default", old.missing]).expect(69)
            #expect(try put.record.string("error.code") == "not-found")
        }
        #expect(try old.service.requests().total == 1)
    }

    /// Versions with layout 9 or later do not store truncated JPEG XLs.
    @Test(arguments: 1...8) func truncatedJPEGXLsOfEarlierVersionsAreDropped(_ layout: Int) throws {
        let old = try OlderRoot(layout: layout)
        let whole = try TestFile.bytes("\(Corpus.smallImages)/others/lossy.jxl")
        try old.add("key:whole", whole, type: "image/jxl", suffix: "jxl")
        try old.add("key:half", Array(whole[..<(whole.count / 2)]), type: "image/jxl", suffix: "jxl")
        func statuses() throws -> [String?] {
            try old.home.run("img-cache", ["get", "--scope", "default", "key:half", "key:whole"]).expect(1).records
                .map { $0.string("cache.status") }
        }
        #expect(try statuses() == [nil, "hit"])
        let unsettled = try CacheOnDisk(old.home).number("SELECT count(*) FROM entries WHERE unsettled = 1")
        #expect(unsettled == 0)
        #expect(try statuses() == [nil, "hit"])
        try old.home.expectVerified()
    }

    @Test(arguments: 5...IndexLayouts.steps.count) func daysAndQuotasAreMigrated(_ layout: Int) throws {
        let old = try OlderRoot(layout: layout)
        let day = try old.home.run(
            "apod-fetch", ["--scope", "default", "--date", OlderRoot.keptDay, "APOD_TOOLS_SERVICE=science"]
        ).expect(0).record
        #expect(day.string("title") == "Kept" && day.string("apod.source") == "cache")
        let refused = try old.home.run("gif-cache", ["put", "--scope", "default", "APOD_TOOLS_RETRIES=0", "0002"])
            .expect(75)
        #expect(try refused.record.string("error.code")?.isEmpty == false, "\(refused)")
        #expect(try old.service.requests().total == 0)
    }

    /// The first process migrates the root while the others wait.
    @Test(arguments: layouts) func eightProcessesMayMigrateARootConcurrently(_ layout: Int) throws {
        let old = try OlderRoot(layout: layout)
        let tools = try (0..<8).map { number in
            try old.home.start(
                "img-cache", [number < 4 ? "get" : "put", "--scope", "default", old.fresh, old.pinned], stdin: .empty)
        }
        for tool in tools {
            let output = try tool.wait().expect(0)
            #expect(try output.records.map { $0.string("cache.status") } == ["hit", "hit"], "\(output)")
        }
        #expect(try old.service.requests().total == 0)
        try old.home.expectVerified()
    }
}
