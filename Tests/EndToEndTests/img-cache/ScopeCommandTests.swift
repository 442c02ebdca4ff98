import Libc
import Records
import Support
import TestSupport
import Testing

/// Scopes as a shell sees them, and what a switch does to other processes.
@Suite(.serialized)
struct ScopeCommandTests {
    // MARK: Words

    @Test func switchEmptiesTheOldScopeAndMakesTheNewOneCurrent() throws {
        let home = try Sample.home()
        let url = try Sample.url("switch.jpg")
        let bytes = try #require(home.run("img-cache", ["put", url]).expect(0).record.integer("cache.bytes"))
        #expect(try home.run("img-cache", ["scope", "current"]).expect(0).stdout == "default\n")

        let switched = try home.run("img-cache", ["scope", "switch", "alice"]).expect(0).record
        #expect(switched.string("scope") == "alice" && switched.string("previous") == "default")
        #expect(switched.bool("switched") == true)
        #expect(switched.integer("entries") == 1 && switched.integer("bytes") == bytes)
        #expect(try home.run("img-cache", ["has", url, "--scope", "default"]).status == 1)

        #expect(try home.run("img-cache", ["put", url]).expect(0).record.string("cache.scope") == "alice")
        let current = try home.run("img-cache", ["scope", "current", "--json"]).expect(0).record
        #expect(current.string("scope") == "alice" && current.string("source") == "switched")
        let again = try home.run("img-cache", ["scope", "switch", "alice"]).expect(0).record
        #expect(again.bool("switched") == false)
        #expect(try home.run("img-cache", ["has", url]).status == 0)

        #expect(
            try home.run("img-cache", ["scope", "switch", "bob", "--keep"]).expect(0).record.integer("entries") == nil)
        #expect(try home.run("img-cache", ["has", url, "--scope", "alice"]).status == 0)
        let listed = try home.run("img-cache", ["scope", "list"]).expect(0).records
        #expect(listed.map { $0.string("scope") } == ["alice", "bob", "default"])
        #expect(listed.map { $0.integer("entries") } == [1, 0, 0])
        #expect(listed.map { $0.bool("current") } == [false, true, false])
        #expect(listed.map { $0.integer("generation") } == [0, 0, 1])
    }

    @Test func whateverNamesTheScopeElsewhereWinsAndASwitchSaysSo() throws {
        let home = try ToolHome(environment: ["APOD_TOOLS_SCOPE": "eve"])
        let output = try home.run("img-cache", ["scope", "switch", "alice"]).expect(0)
        #expect(output.errorLines.count == 1 && output.stderr.contains("APOD_TOOLS_SCOPE says \"eve\""), "\(output)")
        let config = try home.write("config.json", #"{"scope": "carl"}"#)
        let none: [String: String?] = ["APOD_TOOLS_SCOPE": nil]
        for (arguments, environment, scope, source) in [
            ([], [:], "eve", "environment"), (["--scope", "dora"], [:], "dora", "option"),
            (["--config", config], none, "carl", "configuration"), ([], none, "alice", "switched"),
        ] as [([String], [String: String?], String, String)] {
            let record = try home.run(
                "img-cache", ["scope", "current", "--json"] + arguments, environment: environment
            ).expect(0).record
            #expect(record.string("scope") == scope && record.string("source") == source)
        }
    }

    @Test func purgeThatIsWaitedForLeavesNoFile() throws {
        let home = try Sample.home()
        let urls = try (0..<3).map { try Sample.url("purge-\($0).jpg") }
        _ = try home.run("img-cache", ["put", "--scope", "alice"] + urls).expect(0)
        _ = try home.run("img-cache", ["put", "--scope", "bob"] + urls).expect(0)

        let purged = try home.run("img-cache", ["scope", "purge", "alice", "--wait"]).expect(0).record
        #expect(purged.string("scope") == "alice" && purged.integer("entries") == 3)
        #expect(purged.bool("finished") == true)
        #expect(home.blobs.count == 3)
        #expect(try home.run("img-cache", ["has", "--scope", "bob"] + urls).status == 0)
        try CacheOnDisk(home).expectSound(home)
    }

    @Test func resetLeavesNothing() throws {
        let home = try Sample.home()
        let url = try Sample.url("reset.jpg")
        _ = try home.run("img-cache", ["put", "--scope", "bob", url]).expect(0)
        _ = try home.run("img-cache", ["scope", "switch", "alice"]).expect(0)
        _ = try home.run("img-cache", ["put", url]).expect(0)

        #expect(try home.run("img-cache", ["reset", "--dry-run"]).expect(0).record.integer("entries") == 2)
        #expect(home.blobs.count == 2)
        #expect(try home.run("img-cache", ["reset"]).expect(0).record.integer("entries") == 2)
        #expect(home.blobs == [])
        #expect(try home.run("img-cache", ["scope", "current"]).expect(0).stdout == "default\n")
        let listed = try home.run("img-cache", ["scope", "list"]).expect(0).records
        #expect(listed.map { $0.string("scope") } == ["default"])
        try CacheOnDisk(home).expectSound(home)
    }

    @Test func resetOfAScopeLeavesTheOthersAlone() throws {
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

        let planned = try home.run("img-cache", ["reset", "--scope", "alice", "--dry-run"]).expect(0).record
        let done = try home.run("img-cache", ["reset", "--scope", "alice"]).expect(0).record
        for record in [planned, done] {
            #expect(record.integer("scopes") == 1 && record.integer("entries") == 1, "\(record)")
        }
        try home.run("img-cache", ["has", "--scope", "alice", url]).expect(1)
        try home.run("img-cache", ["has", "--scope", "bob", url]).expect(0)
        #expect(try counters("bob") >= before)
        #expect(home.blobs.count == 1)
        try CacheOnDisk(home).expectSound(home)
        // The scope in use is another matter than the one that is named.
        let all = try home.run("img-cache", ["reset"], environment: ["APOD_TOOLS_SCOPE": "alice"]).expect(0).record
        #expect(all.integer("entries") == 1)
    }

    @Test func cleanOfAScopeLeavesTheOthersAlone() throws {
        let home = try Sample.home()
        let url = try Sample.url("clean-one.jpg")
        for scope in ["alice", "bob"] {
            try home.run("img-cache", ["put", "--ttl", "0s", "--lease", "0s", "--scope", scope, url]).expect(0)
        }
        let planned = try home.run("img-cache", ["clean", "--scope", "alice", "--dry-run"]).expect(0).records
        let done = try home.run("img-cache", ["clean", "--scope", "alice"]).expect(0).records
        for steps in [planned, done] {
            #expect(steps.map { $0.string("step") } == ["expired", "failures", "metadata"])
            #expect(steps.first?.integer("count") == 1)
        }
        try home.run("img-cache", ["has", "--scope", "alice", url]).expect(1)
        try home.run("img-cache", ["has", "--scope", "bob", url]).expect(0)
    }

    @Test func wrongWordsAreRefused() throws {
        let home = try ToolHome()
        try home.run("img-cache", ["scope"]).expectRefusal(64, "img-cache", "list, current, switch, purge")
        try home.run("img-cache", ["scope", "swich"]).expectRefusal(64, "img-cache", "did you mean switch?")
        try home.run("img-cache", ["scope", "switch"]).expectRefusal(64, "img-cache", "give NAME")
        try home.run("img-cache", ["scope", "switch", "a\nb"]).expectRefusal(64, "img-cache", "control characters")
    }

    @Test func purgingWhatNobodyHasUsedIsSaid() throws {
        let home = try ToolHome()
        try home.run("img-cache", ["scope", "switch", "alice"]).expect(0)
        let output = try home.run("img-cache", ["scope", "purge", "alise"]).expect(0)
        #expect(output.errorLines.first?.contains("\"alise\"; did you mean alice?") == true, "\(output)")
        #expect(try home.run("img-cache", ["scope", "purge", "alice"]).expect(0).stderr == "")
    }

    // MARK: Isolation

    @Test func twoScopesAtOnceFetchOnePictureTwiceAndSeeNothingOfEachOther() throws {
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

        _ = try home.run("img-cache", ["scope", "switch", "alice"]).expect(0)

        // The server would keep them for thirty seconds, and the request for two minutes.
        for tool in tools {
            try tool.wait(deadline: .seconds(15)).expectFailure(75, code: "scope-changed", tool: "img-cache")
        }
        _ = try home.run("img-cache", ["scope", "purge", "default", "--wait"]).expect(0)
        #expect(home.blobs == [])
        #expect(home.leftovers == [])
        try CacheOnDisk(home).expectSound(home)
    }

    @Test(arguments: [true, false])
    func pictureOfAScopeThatWasSwitchedIsNotSaidToBeMissing(_ isFileGone: Bool) throws {
        let home = try Sample.home()
        let put = try home.run("img-cache", ["put", try Sample.url("switched-\(isFileGone).jpg")]).expect(0)
        let path = try #require(put.record.string("path"))
        _ = try home.run("img-cache", ["scope", "switch", "alice"]).expect(0)
        if isFileGone {
            _ = try home.run("img-cache", ["scope", "purge", "default", "--wait"]).expect(0)
        } else {
            // As long as the background process has not come to it.
            _ = eventually { !TestFile.exists(path) }
            try home.folder.write(String(path.dropFirst(home.folder.path.count + 1)), DrawnPicture.gradient(9, 9).png())
        }

        for options in [[], ["--fallback"], ["--output-dir", "out"]] where isFileGone || options.first != "--output-dir"
        {
            try home.run("img-downsample", ["--width", "8"] + options, stdin: .text(put.stdout))
                .expectFailure(75, code: "scope-changed", tool: "img-downsample")
        }
        // Nothing of what was purged comes back under a name of its own.
        for scope in ["default", "alice"] {
            #expect(try home.run("img-cache", ["ls", "--scope", scope]).expect(0).stdout == "")
        }
        try home.run("img-downsample", ["--width", "8", "/nowhere/a.jpg"]).expectFailure(
            66, code: "no-such-file", tool: "img-downsample")
    }

    @Test func resetEndsADownloadThatNamedItsScope() throws {
        let server = try StallingServer(stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let tool = try home.start("img-cache", ["put", "--scope", "alice"])
        tool.write("{\"url\":\"\(server.url("1.png"))\"}\n")
        #expect(server.waitUntilStalled())

        _ = try home.run("img-cache", ["reset"]).expect(0)

        let first = try Record(parsing: Array(try #require(tool.readLine()).utf8))
        #expect(first.string("error.code") == "scope-changed")
        // It goes on in the new generation.
        tool.write("{\"url\":\"\(server.url("2.png"))\"}\n")
        let output = tool.wait(deadline: .seconds(15))
        #expect(try output.expect(75).records.last?.string("cache.status") == "miss")
        #expect(home.blobs.count == 1)
        #expect(home.leftovers == [])
        try CacheOnDisk(home).expectSound(home)
    }

    @Test func backgroundPurgeKeepsNoPipeOpen() throws {
        let home = try Sample.home()
        _ = try home.run("img-cache", ["put", Sample.url("pipe.jpg")]).expect(0)
        // Who is to remove the files has to wait for the lock; whoever reads a pipe of the command must not.
        let output = try home.shell(
            "flock \"$APOD_TOOLS_CACHE_DIR/locks/purge\" sh -c 'img-cache scope switch alice -q 3>&1 >/dev/null | cat'",
            deadline: .seconds(20)
        ).expect(0)
        #expect(output.stdout == "")
        #expect(eventually { home.blobs == [] })
    }

    // MARK: Death at any moment

    @Test func noCommittedEntryIsLostWhereverASwitchOrAPurgeIsKilled() throws {
        let home = try ToolHome()
        let files = try (0..<6).map {
            try home.write("\($0).png", DrawnPicture.noise(8, 8, seed: UInt64($0)).png())
        }
        _ = try home.run("img-cache", ["put", "--scope", "kept"] + files).expect(0)
        var random = SeededRandom(name: "scopes that are switched and purged")
        var current = "default"
        for round in 0..<60 {
            _ = try home.run("img-cache", ["put", "--scope", current] + files).expect(0)
            let next = "scope-\(round)"
            let killed: RunningTool
            if round % 2 == 0 {
                killed = try home.start("img-cache", ["scope", "switch", next, "-q"], stdin: .empty)
            } else {
                _ = try home.run("img-cache", ["scope", "switch", next, "-q"]).expect(0)
                killed = try home.start("img-cache", ["scope", "finish-purges", home.cacheRoot], stdin: .empty)
            }
            // The moment is the test's input: it may come before the work begins, or after its end.
            usleep(useconds_t(random.below(15_000)))
            killed.kill(SIGKILL)
            _ = killed.wait()

            let found = try home.run("img-cache", ["scope", "current"]).expect(0).lines
            #expect(round % 2 == 0 ? found == [current] || found == [next] : found == [next], "round \(round)")
            current = try #require(found.first)
        }
        let kept = try home.run("img-cache", ["ls", "--scope", "kept"]).expect(0).records
        #expect(kept.count == files.count)
        for record in kept { #expect(TestFile.exists(try #require(record.string("path")))) }

        _ = try home.run("img-cache", ["scope", "purge", current]).expect(0)
        _ = try home.run("img-cache", ["clean"]).expect(0)
        #expect(eventually { home.blobs.count == files.count })
        #expect(try home.run("img-cache", ["verify"]).status == 0)
        try CacheOnDisk(home).expectSound(home)
        #expect(
            try home.run("img-cache", ["scope", "list"]).expect(0).records.allSatisfy {
                $0.bool("purge_pending") == false
            })
    }
}
