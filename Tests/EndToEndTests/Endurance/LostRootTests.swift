import Records
import Support
import TestSupport
import Testing

/// The root or its index disappears during a run; every record must still get its picture.
struct LostRootTests {
    /// Stores two addresses with `meanwhile` called in between, then the first address again, and checks the bytes of
    /// each.
    private func expectHealing(
        _ server: PictureServer, _ home: ToolHome, options: [String] = [], _ meanwhile: () throws -> Void,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let tool = try home.start("img-cache", ["put"] + options)
        func put(_ name: String) throws {
            tool.write("{\"url\":\"\(server.url(name))\"}\n")
            let line = try #require(tool.readLine(), "\(tool.wait())", sourceLocation: location)
            let record = try Record(parsing: Array(line.utf8))
            let path = try #require(record.string("path"), "\(line)", sourceLocation: location)
            #expect(try TestFile.bytes(path) == server.picture(server.url(name)), sourceLocation: location)
        }
        try put("one")
        try meanwhile()
        for name in ["two", "one"] { try put(name) }
        tool.closeInput()
        let output = try tool.wait().expect(0)
        // The tool prints at most one warning, about the damaged index.
        #expect(output.errorLines.count <= 1, "\(output)", sourceLocation: location)
        // Rows in a removed log are lost, but the next run stores the entries again.
        let names = ["one", "two"].map(server.url)
        for (name, record) in zip(names, try home.run("img-cache", ["put"] + names).expect(0).records) {
            let path = try #require(record.string("path"), sourceLocation: location)
            #expect(try TestFile.bytes(path) == server.picture(name), sourceLocation: location)
        }
        let records = try home.run("img-cache", ["get"] + names).expect(0).records
        #expect(records.allSatisfy { $0.string("cache.status") == "hit" }, sourceLocation: location)
        #expect(try home.statistics().integer("entries") == 2, sourceLocation: location)
        #expect(try CacheOnDisk(home).query("PRAGMA integrity_check") == ["ok"], sourceLocation: location)
    }

    @Test func rootRemovedDuringAStreamIsCreatedAgain() throws {
        let server = try PictureServer(size: 40_000)
        let home = try ToolHome(environment: server.environment)
        try expectHealing(server, home, options: ["APOD_TOOLS_CONFINEMENT=false"]) { CacheOnDisk(home).remove() }
        try CacheOnDisk(home).expectConsistent(home)
    }

    /// A process that can create the root could also create other folders beside it, so a confined tool must not create
    /// the root.
    @Test func rootRemovedUnderAConfinedToolIsCreatedByTheNextRun() throws {
        let server = try PictureServer(size: 40_000)
        let home = try ToolHome(environment: server.environment)
        let tool = try home.start("img-cache", ["put"])
        func put(_ name: String) throws -> Record {
            tool.write("{\"url\":\"\(server.url(name))\"}\n")
            return try Record(parsing: Array(#require(tool.readLine(), "\(tool.wait())").utf8))
        }
        #expect(try put("one").string("path") != nil)
        CacheOnDisk(home).remove()
        let failed = try put("two")
        #expect(failed.string("error.code") == "root-removed")
        #expect(failed.string("path") == nil)

        tool.closeInput()
        try tool.wait().expect(75)
        try home.run("img-cache", ["put"] + ["one", "two"].map(server.url)).expect(0)
        try CacheOnDisk(home).expectConsistent(home)
    }

    @Test(arguments: ["get", "info"]) func lookupIgnoresARootCreatedAfterItsStart(command: String) throws {
        let server = try PictureServer(size: 40_000)
        let home = try ToolHome(environment: server.environment)
        let tool = try home.start("img-cache", [command], stdin: .pipe)
        func errorCode() throws -> String? {
            tool.write("{\"url\":\"\(server.url("one"))\"}\n")
            return try Record(parsing: Array(#require(tool.readLine()).utf8)).string("error.code")
        }
        #expect(try errorCode() == "not-cached")
        try home.run("img-cache", ["put", server.url("one")]).expect(0)
        #expect(try errorCode() == "not-cached")
        try tool.wait().expect(1)
    }

    @Test func indexRemovedDuringAStreamIsCreatedAgain() throws {
        let server = try PictureServer(size: 40_000)
        let home = try ToolHome(environment: server.environment)
        try expectHealing(server, home) {
            try home.shell("rm \"$APOD_TOOLS_CACHE_DIR\"/index.sqlite*").expect(0)
        }
    }

    @Test func filesRemovedDuringAStreamAreFetchedAgain() throws {
        let server = try PictureServer(size: 40_000)
        let home = try ToolHome(environment: server.environment)
        try expectHealing(server, home) {
            try home.shell("rm -r \"$APOD_TOOLS_CACHE_DIR\"/scopes \"$APOD_TOOLS_CACHE_DIR\"/partial").expect(0)
        }
        try CacheOnDisk(home).expectConsistent(home)
    }

    @Test func rootRemovedDuringADownloadCausesAnotherDownload() throws {
        let server = try PictureServer(size: 400_000, stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let url = server.url("large")
        let tool = try home.start("img-cache", ["put", "APOD_TOOLS_CONFINEMENT=false", url], stdin: .empty)
        #expect(server.waitUntilStalled())

        CacheOnDisk(home).remove()
        server.goOn()

        let record = try tool.wait().expect(0).record
        #expect(try TestFile.bytes(try #require(record.string("path"))) == server.picture(url))
        #expect(server.asked.count <= 2)
        #expect(try home.run("img-cache", ["put", url]).expect(0).record.string("cache.status") == "hit")
        try CacheOnDisk(home).expectConsistent(home)
    }

    @Test func rootRemovedDuringManyDownloadsIsCreatedAgain() throws {
        let server = try PictureServer(size: 100_000, stalls: 4)
        let home = try ToolHome(environment: server.environment)
        let urls = (0..<12).map { server.url("\($0)") }
        let tools = try (0..<2).map { _ in
            try home.start("img-cache", ["put", "APOD_TOOLS_CONFINEMENT=false", "--jobs", "4"] + urls, stdin: .empty)
        }
        #expect(server.waitUntilStalled(4))

        CacheOnDisk(home).remove()
        server.goOn()

        for tool in tools { #expect(try tool.wait().expect(0).records.count == 12) }
        let records = try home.run("img-cache", ["put"] + urls).expect(0).records
        for (url, record) in zip(urls, records) {
            #expect(try TestFile.bytes(try #require(record.string("path"))) == server.picture(url))
        }
        try CacheOnDisk(home).expectConsistent(home)
    }

    // MARK: Replaced indexes

    private static let replacements = [
        "printf 'something else' > $I", ": > $I", "rm $I; head -c 100000 /dev/urandom > $I",
        "rm $I-wal", "rm $I-shm", ": > $I-wal", "head -c 5000 /dev/zero > $I-wal", "rm $I $I-wal",
    ]

    @Test(arguments: replacements)
    func indexReplacedDuringAStreamIsCreatedAgain(_ script: String) throws {
        let server = try PictureServer(size: 40_000)
        let home = try ToolHome(environment: server.environment)
        try expectHealing(server, home) {
            try home.shell("I=\"$APOD_TOOLS_CACHE_DIR\"/index.sqlite; \(script)").expect(0)
        }
    }

    @Test(arguments: replacements + ["mv $I $I.old; mkdir $I"])
    func indexReplacedBetweenRunsIsCreatedAgain(_ script: String) throws {
        let server = try PictureServer(size: 40_000)
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put", server.url("one")]).expect(0)
        try home.shell("I=\"$APOD_TOOLS_CACHE_DIR\"/index.sqlite; \(script)").expect(0)
        if script.contains("mkdir") {
            // The tool must not delete a folder in place of its index.
            let output = try home.run("img-cache", ["put", server.url("two")]).expect(78)
            #expect(output.errorLines.count == 1 && output.stderr.contains(home.cacheRoot), "\(output)")
            return
        }
        try expectHealing(server, home) {}
    }

    @Test(arguments: ["", "PRAGMA user_version = 1", "CREATE TABLE entries (x); PRAGMA user_version = 1"])
    func databaseOfAnotherProgramIsRefusedAndUnchanged(_ sql: String) throws {
        let server = try PictureServer(size: 40_000)
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put", server.url("one")]).expect(0)
        let version = try CacheOnDisk(home).number("PRAGMA user_version")
        try home.shell("rm \"$APOD_TOOLS_CACHE_DIR\"/index.sqlite*").expect(0)
        try home.folder.write("cache/apod-tools/index.sqlite", "")
        try CacheOnDisk(home).execute("CREATE TABLE other (x); INSERT INTO other VALUES (1)")
        try CacheOnDisk(home).execute(sql.replacing("= 1", with: "= \(version)"))
        let bytes = try home.folder.read("cache/apod-tools/index.sqlite")
        let output = try home.run("img-cache", ["put", server.url("one")]).expect(78)
        #expect(output.stderr.contains("is not a cache"), "\(output)")
        #expect(try home.folder.read("cache/apod-tools/index.sqlite") == bytes)
    }

    /// Truncates the index or overwrites parts of it with random bytes, at seeded positions. Pictures are served or the
    /// damage is reported, and every served byte is correct.
    @Test(arguments: 0..<24)
    func noiseInTheIndexNeverServesAWrongPicture(_ seed: Int) throws {
        let server = try PictureServer(size: 3000)
        let home = try ToolHome(environment: server.environment)
        var random = SeededRandom(seed: UInt64(seed))
        let urls = (0..<40).map { server.url("\($0)") }
        try home.run("img-cache", ["put"] + urls).expect(0)
        // Moves the log into the database file, which is then overwritten.
        _ = try CacheOnDisk(home).query("PRAGMA wal_checkpoint(TRUNCATE)")

        var bytes = try home.folder.read("cache/apod-tools/index.sqlite")
        if seed % 4 == 0 {
            bytes.removeLast(1 + random.below(bytes.count))
        } else {
            for _ in 0..<(1 << random.below(8)) {
                let place = random.below(seed % 4 == 1 ? min(bytes.count, 8192) : bytes.count)
                for offset in place..<min(place + 1 + random.below(64), bytes.count) {
                    bytes[offset] = UInt8(random.below(256))
                }
            }
        }
        try home.folder.write("cache/apod-tools/index.sqlite", bytes)

        // The first run may fail because of the damage. Unless it refuses the index (status 78), the second run must
        // succeed.
        let first = try home.run("img-cache", ["put"] + urls)
        #expect(first.status == 0 || first.status == 74 || first.status == 78, "\(first)")
        for record in try first.records {
            guard let path = record.string("path"), let url = record.string("url") else { continue }
            #expect(try TestFile.bytes(path) == server.picture(url))
        }
        if first.status == 78 { return }
        let second = try home.run("img-cache", ["put"] + urls).expect(0)
        for (url, record) in zip(urls, try second.records) {
            #expect(try TestFile.bytes(try #require(record.string("path"))) == server.picture(url))
        }
    }
}
