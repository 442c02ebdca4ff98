import Libc
import Records
import Support
import TestSupport
import Testing

/// Isolation of scopes, and the effect of a switch on other processes.
@Suite(.serialized)
struct ScopeTests {
    @Test func purgeOfAScopeKeepsOtherScopes() throws {
        let home = try Sample.home()
        let url = try Sample.url("reset-one.jpg")
        for scope in ["alice", "bob"] { try home.run("img-cache", ["put", "--scope", scope, url]).expect(0) }
        func counters(_ scope: String) throws -> Int {
            try CacheOnDisk(home).number(
                "SELECT count(*) FROM counters WHERE scope = (SELECT id FROM scopes WHERE name = '\(scope)' AND purged = 0)"
            )
        }
        let before = try counters("bob")
        #expect(try before > 0 && counters("alice") > 0)

        let planned = try home.run("img-cache", ["scope", "purge", "alice", "--dry-run"]).expect(0).record
        let done = try home.run("img-cache", ["scope", "purge", "alice"]).expect(0).record
        for record in [planned, done] {
            #expect(record.integer("scopes") == 1 && record.integer("entries") == 1, "\(record)")
        }
        try home.run("img-cache", ["has", "--scope", "alice", url]).expect(1)
        try home.run("img-cache", ["has", "--scope", "bob", url]).expect(0)
        #expect(try counters("bob") >= before)
        #expect(home.blobs.count == 1)
        try CacheOnDisk(home).expectConsistent(home)
        // APOD_TOOLS_SCOPE does not limit --all-scopes.
        let all = try home.run(
            "img-cache", ["scope", "purge", "--all-scopes"], environment: ["APOD_TOOLS_SCOPE": "alice"]
        ).expect(0).record
        #expect(all.integer("entries") == 1)
    }

    // MARK: Isolation

    @Test func concurrentScopesShareNoDownload() throws {
        let home = try Sample.home()
        let url = try Sample.url("isolated.jpg", faults: ["slow-10"])
        let tools = try ["alice", "bob"].map {
            try home.start("img-cache", ["put", "--scope", $0, url], stdin: .empty)
        }
        let paths = try tools.map { try #require(try $0.wait().expect(0).record.string("path")) }
        #expect(try Sample.requests(url) == 2)
        #expect(paths[0] != paths[1])
        #expect(try TestFile.bytes(paths[0]) == TestFile.bytes(paths[1]))

        for command in ["get", "has", "path", "cat", "info", "rm"] {
            let output = try home.run("img-cache", [command, "--scope", "carl", url])
            #expect(output.status == 1 && !output.stdout.contains(paths[0]), "\(output)")
        }
        #expect(try home.run("img-cache", ["ls", "--scope", "carl"]).expect(0).stdout == "")
        _ = try home.run("img-cache", ["rm", "--scope", "bob", url]).expect(0)
        #expect(!TestFile.exists(paths[1]))
        #expect(try home.run("img-cache", ["path", "--scope", "alice", url]).expect(0).stdout == paths[0] + "\n")
    }

    // MARK: Other processes

    @Test func switchEndsTheDownloadsOfAllProcesses() throws {
        let server = try StallingServer()
        let home = try ToolHome(environment: server.environment)
        let tools = try (0..<8).map {
            try home.start("img-cache", ["put", server.url("\($0).png")], stdin: .empty)
        }
        #expect(server.waitUntilStalled(8))

        _ = try home.run("img-cache", ["scope", "switch", "alice", "--purge"]).expect(0)

        // The server would hold the downloads for thirty seconds; the requests would time out after two minutes.
        for tool in tools {
            try tool.wait(deadline: .seconds(15)).expectFailure(75, code: "scope-changed", tool: "img-cache")
        }
        _ = try home.run("img-cache", ["scope", "purge", "default"]).expect(0)
        #expect(home.blobs == [])
        #expect(home.leftovers == [])
        try CacheOnDisk(home).expectConsistent(home)
    }

    @Test(arguments: [true, false])
    func recordOfAPurgedPictureFailsWithScopeChanged(_ isFileGone: Bool) throws {
        let home = try Sample.home()
        let put = try home.run("img-cache", ["put", try Sample.url("switched-\(isFileGone).jpg")]).expect(0)
        let path = try #require(put.record.string("path"))
        _ = try home.run("img-cache", ["scope", "switch", "alice", "--purge"]).expect(0)
        if isFileGone {
            _ = try home.run("img-cache", ["scope", "purge", "default"]).expect(0)
        } else {
            // Waits until the background process has removed the file.
            _ = eventually { !TestFile.exists(path) }
            try home.folder.write(String(path.dropFirst(home.folder.path.count + 1)), DrawnPicture.gradient(9, 9).png())
        }

        for options in [[], ["--fallback"], ["--output-dir", "out"]] where isFileGone || options.first != "--output-dir"
        {
            try home.run("img-downsample", ["--width", "8"] + options, stdin: .text(put.stdout))
                .expectFailure(75, code: "scope-changed", tool: "img-downsample")
        }
        // No purged entry is found by its key.
        for scope in ["default", "alice"] {
            #expect(try home.run("img-cache", ["ls", "--scope", scope]).expect(0).stdout == "")
        }
        try home.run("img-downsample", ["--width", "8", "/nowhere/a.jpg"]).expectFailure(
            66, code: "no-such-file", tool: "img-downsample")
    }

    @Test func purgeOfAllScopesEndsADownloadInANamedScope() throws {
        let server = try StallingServer(stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let tool = try home.start("img-cache", ["put", "--scope", "alice"])
        tool.write("{\"url\":\"\(server.url("1.png"))\"}\n")
        #expect(server.waitUntilStalled())

        _ = try home.run("img-cache", ["scope", "purge", "--all-scopes"]).expect(0)

        let first = try Record(parsing: Array(try #require(tool.readLine()).utf8))
        #expect(first.string("error.code") == "scope-changed")
        // The run continues in the scope's new generation.
        tool.write("{\"url\":\"\(server.url("2.png"))\"}\n")
        let output = tool.wait(deadline: .seconds(15))
        #expect(try output.expect(75).records.last?.string("cache.status") == "miss")
        #expect(home.blobs.count == 1)
        #expect(home.leftovers == [])
        try CacheOnDisk(home).expectConsistent(home)
    }

    @Test func backgroundPurgeKeepsNoPipeOpen() throws {
        let home = try Sample.home()
        _ = try home.run("img-cache", ["put", Sample.url("pipe.jpg")]).expect(0)
        // The background process waits for the lock, but must not keep the pipe open.
        let output = try home.shell(
            "flock \"$APOD_TOOLS_CACHE_DIR/locks/purge\" sh -c 'img-cache scope switch alice --purge -q 3>&1 >/dev/null | cat'",
            deadline: .seconds(20)
        ).expect(0)
        #expect(output.stdout == "")
        #expect(eventually { home.blobs == [] })
    }
}
