import Libc
import Records
import Support
import TestSupport
import Testing

/// `--policy` and `--policy-rule`: what stays on the disk, what in memory, and what nowhere.
struct PolicyTests {
    /// A home whose run-time folder lies in memory.
    private final class MemoryHome: Sendable {
        let memory: TemporaryFolder
        let home: ToolHome

        init() throws {
            memory = try TemporaryFolder(in: TemporaryFolder.memory)
            home = try Sample.home(["XDG_RUNTIME_DIR": memory.path])
        }

        var root: String { memory.path("apod-tools") }
    }

    /// The files past the cache.
    private func bypassed(_ home: ToolHome) -> [String] {
        home.folder.contents().filter { $0.hasPrefix("run/apod-tools-bypass/") }
    }

    /// Whether nothing was kept on the disk. The root itself may be there: a tool makes it before it gives up the right
    /// to do so, whatever it comes to keep.
    private func isEmpty(_ home: ToolHome) throws -> Bool {
        try home.shell("ls -A \"$APOD_TOOLS_CACHE_DIR\" 2>/dev/null || true").expect(0).stdout.isEmpty
    }

    /// Lets the leases of all files past the cache end, which their names tell.
    private func endLeases(_ home: ToolHome) throws {
        for name in bypassed(home) {
            let parts = name.split(separator: "/").last?.split(separator: "-", maxSplits: 1) ?? []
            let place = home.folder.path("run/apod-tools-bypass/1-\(try #require(parts.last))")
            try #require(rename(home.folder.path(name), place) == 0)
        }
    }

    // MARK: disabled

    @Test func disabledKeepsNothingButAFileForItsLease() throws {
        let home = try Sample.home()
        let url = try Sample.url("policy-disabled.jpg")
        let first = try home.run("img-cache", ["put", "--policy", "disabled", url]).expect(0).record
        let second = try home.run("img-cache", ["put", "--policy", "disabled", url]).expect(0).record

        #expect(first.string("cache.status") == "bypass" && first.string("cache.scope") == "default")
        #expect(try Sample.requests(url) == 2)
        let path = try #require(first.string("path"))
        #expect(path.hasPrefix(home.folder.path("run/apod-tools-bypass/")) && path != second.string("path"))
        #expect(try TestFile.bytes(path) == LoopbackClient.send(url).body)
        #expect(TestFile.mode(path) == 0o600)
        #expect(TestFile.mode(home.folder.path("run/apod-tools-bypass")) == 0o700)
        #expect(try isEmpty(home))
        #expect(bypassed(home).count == 2)
    }

    @Test func leaseIsInTheName() throws {
        let home = try Sample.home()
        let before = Timestamp.now()
        let url = try Sample.url("policy-lease.jpg")
        try home.run("img-cache", ["put", "--policy", "disabled", "--lease", "1h", url]).expect(0)

        let name = try #require(bypassed(home).first?.split(separator: "/").last)
        let end = try #require(Int64(name.prefix { $0 != "-" }))
        let promised = (before + .seconds(3600)).milliseconds
        #expect(end >= promised && end <= promised + 60_000)
    }

    @Test(arguments: [
        ["img-cache", "stats"], ["img-downsample", "--version"], ["gif-cache", "get", "0001"],
        ["apod-fetch", "--help"],
        ["img-cache", "no-such-command"],
    ])
    func firstRunOfAnyToolAfterTheLeaseRemovesTheFile(_ line: [String]) throws {
        let home = try Sample.home()
        let url = try Sample.url("policy-sweep.jpg")
        try home.run("img-cache", ["put", "--policy", "disabled", url]).expect(0)
        _ = try home.run(line[0], Array(line.dropFirst()))
        #expect(bypassed(home).count == 1)

        try endLeases(home)
        _ = try home.run(line[0], Array(line.dropFirst()))
        #expect(bypassed(home) == [])
    }

    @Test func openFileOutlivesItsLease() throws {
        let home = try Sample.home()
        let url = try Sample.url("policy-open.jpg")
        try home.run("img-cache", ["put", "--policy", "disabled", url]).expect(0)
        try endLeases(home)
        let file = try File.openInput(home.folder.path(try #require(bypassed(home).first)))

        try home.run("img-cache", ["stats"]).expect(0)
        #expect(bypassed(home) == [])
        #expect(try file.bytes(0..<file.count) == LoopbackClient.send(url).body)
    }

    @Test func localFileIsCopiedPastTheCache() throws {
        let home = try Sample.home()
        let bytes = DrawnPicture.gradient(5, 4).png()
        try home.write("mine.png", bytes)
        let record = try home.run("img-cache", ["put", "--policy", "disabled", "mine.png"]).expect(0).record

        #expect(record.string("cache.status") == "bypass")
        #expect(try TestFile.bytes(try #require(record.string("path"))) == bytes)
        #expect(try isEmpty(home))
    }

    @Test func previewsOfWhatIsKeptNowhereMakeNoRoot() throws {
        let home = try Sample.home()
        let url = try Sample.url("policy-incremental.jpg")
        try home.run("img-cache", ["put", "--policy", "disabled", "--incremental", url]).expect(0)
        #expect(try isEmpty(home))
    }

    @Test func whatFailsLeavesNothing() throws {
        let home = try Sample.home()
        for fault in ["status-404", "html", "truncated"] {
            let url = try Sample.url("policy-\(fault).jpg", faults: [fault])
            let output = try home.run("img-cache", ["put", "--policy", "disabled", "--retries", "0", url])
            #expect(output.status != 0)
        }
        #expect(try bypassed(home) == [] && isEmpty(home))
    }

    @Test func interruptedDownloadLeavesNothingAndAKilledOneIsSwept() throws {
        let server = try StallingServer()
        let home = try ToolHome(environment: server.environment)
        let stopped = try home.start("img-cache", ["put", "--policy", "disabled", server.url()], stdin: .empty)
        #expect(server.waitUntilStalled(1))
        #expect(bypassed(home).count == 1)
        stopped.kill(SIGTERM)
        #expect(stopped.wait(deadline: .seconds(20)).signal == SIGTERM)
        #expect(bypassed(home) == [])

        let killed = try home.start("img-cache", ["put", "--policy", "disabled", server.url()], stdin: .empty)
        #expect(server.waitUntilStalled(2))
        // While it is written, nobody takes it for left over, whatever its name says.
        try endLeases(home)
        try home.run("img-cache", ["stats"]).expect(0)
        #expect(bypassed(home).count == 1)
        killed.kill(SIGKILL)
        #expect(killed.wait(deadline: .seconds(20)).signal == SIGKILL)
        try home.run("img-cache", ["stats"]).expect(0)
        #expect(bypassed(home) == [])
    }

    @Test func whatIsDisabledIsNotInTheCache() throws {
        let home = try Sample.home()
        let url = try Sample.url("policy-kept.jpg")
        try home.run("img-cache", ["put", url]).expect(0)

        for command in ["get", "has", "path", "cat", "rm"] {
            let line = [command, "--policy-rule", "policy-kept=disabled", url]
            #expect(try home.run("img-cache", line).status == 1, "\(command)")
        }
        try home.run("img-cache", ["has", url]).expect(0)
    }

    // MARK: Rules

    @Test func addressDecidesInAStream() throws {
        let home = try Sample.home()
        let open = try Sample.url("policy-open-picture.jpg")
        let secret = try Sample.url("policy-sensitive-picture.jpg")
        let records = try home.run(
            "img-cache", ["put", "--policy-rule", "*-sensitive-*=disabled"],
            stdin: .lines(["{\"url\":\"\(open)\"}", "{\"url\":\"\(secret)\"}"])
        ).expect(0).records

        #expect(records.map { $0.string("cache.status") } == ["miss", "bypass"])
        #expect(home.blobs.count == 1 && bypassed(home).count == 1)
        try home.shell("! grep -r sensitive \(home.cacheRoot)").expect(0)
    }

    @Test func optionsComeBeforeTheFileAndTheFirstMatchCounts() throws {
        let home = try Sample.home()
        let config = try home.write(
            "config.json",
            "{\"policy\": \"disabled\", \"policy_rules\": {\"first.jpg\": \"enabled\", \"*\": \"disabled\"}}")
        func status(_ picture: String, _ rules: String...) throws -> String? {
            let options = rules.flatMap { ["--policy-rule", $0] }
            return try home.run("img-cache", ["put", "--config", config, try Sample.url(picture)] + options).expect(0)
                .record.string("cache.status")
        }

        #expect(try status("policy-first.jpg") == "miss")
        #expect(try status("policy-second.jpg") == "bypass")
        #expect(try status("policy-first.jpg", "first.jpg=disabled", "*=enabled") == "bypass")
        #expect(try status("policy-third.jpg", "third=enabled", "third=disabled") == "miss")
    }

    @Test func badPolicyIsRefused() throws {
        let home = try Sample.home()
        try home.run("img-cache", ["stats", "--policy", "off"]).expectRefusal(64, "img-cache", "--policy", "disabled")
        for rule in ["private", "=disabled", "private=off"] {
            try home.run("img-cache", ["stats", "--policy-rule", rule])
                .expectRefusal(64, "img-cache", "--policy-rule", "\"\(rule)\"")
        }
        for text in [
            "{\"policy\":\"off\"}", "{\"policy_rules\":{\"a\":\"off\"}}", "{\"policy_rules\":[\"a=disabled\"]}",
        ] {
            let config = try home.write("config.json", text)
            try home.run("img-cache", ["stats", "--config", config]).expectRefusal(78, "img-cache", "\"policy")
        }
    }

    // MARK: memory

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func memoryIsACacheThatNeverTouchesTheDisk() throws {
        let place = try MemoryHome()
        let home = place.home
        let url = try Sample.url("policy-memory.jpg")
        let first = try home.run("img-cache", ["put", "--policy", "memory", url]).expect(0).record
        let second = try home.run("img-cache", ["put", "--policy", "memory", url]).expect(0).record
        let path = try #require(first.string("path"))

        #expect(first.string("cache.status") == "miss" && second.string("cache.status") == "hit")
        #expect(second.string("path") == path && path.hasPrefix("\(place.root)/"))
        #expect(TestFile.mode(place.root) == 0o700)
        #expect(try Sample.requests(url) == 1)
        let rule = ["--policy-rule", "*/policy-memory*=memory"]
        let body = try LoopbackClient.send(url).body
        #expect(try home.run("img-cache", ["get", url] + rule).expect(0).record.string("path") == path)
        #expect(try home.run("img-cache", ["path", url] + rule).expect(0).lines == [path])
        #expect(try home.run("img-cache", ["cat", url] + rule).expect(0).stdoutBytes == body)
        #expect(try home.run("img-cache", ["ls", "--policy", "memory"]).expect(0).record.string("path") == path)
        #expect(try isEmpty(home))
        try home.run("img-cache", ["has", url]).expect(1)
        try home.run("img-cache", ["rm", url] + rule).expect(0)
        try home.run("img-cache", ["has", url] + rule).expect(1)
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func scopesAreKeptApartInMemoryToo() throws {
        let place = try MemoryHome()
        let url = try Sample.url("policy-memory-scope.jpg")
        try place.home.run("img-cache", ["put", "--policy", "memory", "--scope", "alice", url]).expect(0)

        try place.home.run("img-cache", ["has", "--policy", "memory", url]).expect(1)
        try place.home.run("img-cache", ["has", "--policy", "memory", "--scope", "alice", url]).expect(0)
    }

    @Test(
        .enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"),
        arguments: [
            ["scope", "switch", "bob"], ["scope", "purge", "--wait"], ["scope", "purge", "--policy", "memory"],
            ["reset"],
        ])
    func whatEmptiesAScopeEmptiesItInMemoryToo(_ line: [String]) throws {
        let place = try MemoryHome()
        let url = try Sample.url("policy-memory-purge.jpg")
        let secret = try Sample.url("policy-memory-purge-secret.jpg")
        let rule = ["--policy-rule", "*-secret.jpg=memory"]
        let bytes = try place.home.run("img-cache", ["put", url, secret] + rule).expect(0).records
            .compactMap { $0.integer("cache.bytes") }.reduce(0, +)
        try place.home.run("img-cache", ["has", url, secret] + rule).expect(0)

        let purged = try place.home.run("img-cache", line).expect(0).record

        #expect(purged.integer("entries") == 2 && purged.integer("bytes") == bytes)
        for gone in [url, secret] {
            #expect(try place.home.run("img-cache", ["has", gone, "--scope", "default"] + rule).status == 1)
        }
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func keptScopeKeepsWhatItHasInMemory() throws {
        let place = try MemoryHome()
        let url = try Sample.url("policy-memory-keep.jpg")
        try place.home.run("img-cache", ["put", url, "--policy", "memory"]).expect(0)
        try place.home.run("img-cache", ["scope", "switch", "bob", "--keep"]).expect(0)
        try place.home.run("img-cache", ["has", url, "--policy", "memory", "--scope", "default"]).expect(0)
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func verifyLooksWhereThePolicySays() throws {
        let place = try MemoryHome()
        let url = try Sample.url("policy-memory-verify.jpg")
        let path = try #require(
            place.home.run("img-cache", ["put", url, "--policy", "memory"]).expect(0).record.string("path"))
        try #require(unlink(path) == 0)
        let records = try place.home.run("img-cache", ["verify", "--policy", "memory"]).expect(1).records
        #expect(records.contains { $0.string("code") == "file-missing" && $0.string("path") == path })
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func memoryHasACapacityOfItsOwn() throws {
        let place = try MemoryHome()
        let config = try place.home.write("config.json", "{\"policy\":\"memory\",\"memory_capacity\":\"1MB\"}")
        let statistics = try place.home.run("img-cache", ["stats", "--json", "--config", config]).expect(0).record

        #expect(statistics.integer("capacity") == 1_000_000)
        #expect(try isEmpty(place.home))
    }

    // MARK: Other tools

    @Test func nothingMadeOfABypassReachesTheCache() throws {
        let home = try Sample.home()
        let url = try Sample.url("policy-variants.jpg")
        let record = try home.run("img-cache", ["put", "--policy", "disabled", url]).expect(0).record
        let line = String(decoding: record.line, as: UTF8.self)

        let made = try home.run("img-downsample", ["--variant", "pager,overlay"], stdin: .lines([line])).expect(0)
        let variants = try Record(parsing: try #require(try made.record.raw("variants")))
        for name in ["pager", "overlay"] {
            let variant = try Record(parsing: try #require(variants.raw(FieldPath(stringLiteral: name))))
            let path = try #require(variant.string("path"))
            #expect(path.hasPrefix(home.folder.path("run/apod-tools-bypass/")))
            #expect(variant.string("status") == "made")
            #expect(try TestFile.bytes(path).count == variant.integer("bytes"))
        }
        #expect(bypassed(home).count == 3)
        // By its path alone, too.
        let path = try #require(record.string("path"))
        let plain = try home.run("img-downsample", ["--width", "50", path]).expect(0).record
        #expect(plain.names == ["path", "variants"])
        #expect(bypassed(home).count == 4)
        // A folder of the user's own is where they want it.
        try home.run("img-downsample", ["--width", "50", "--output-dir", "out"], stdin: .lines([line])).expect(0)
        #expect(bypassed(home).count == 4)
        #expect(try isEmpty(home))
    }

    @Test func placeholdersOfWhatIsDisabledAreKeptNowhere() throws {
        let home = try Sample.home()
        let rule = ["--policy-rule", "*/policy-gone*=disabled"]
        let gone = try Sample.url("policy-gone.jpg", faults: ["status-404"])
        let failed = try home.run("img-cache", ["put", gone] + rule).expect(69)
        let drawn = try home.run(
            "img-downsample", ["--width", "60", "--fallback"] + rule, stdin: .text(failed.stdout))
        let path = try #require(try drawn.records.first?.raw("variants")).split(separator: UInt8(ascii: "\""))
            .map { String(decoding: $0, as: UTF8.self) }.first { $0.hasPrefix("/") }
        #expect(try #require(path).hasPrefix(home.folder.path("run/apod-tools-bypass/")), "\(drawn)")
        // The picture's file is gone, and what stands in for it is as secret.
        let record = try home.run("img-cache", ["put", "--policy", "disabled", try Sample.url("policy-lost.jpg")])
            .expect(0).record
        unlink(try #require(record.string("path")))
        _ = try home.run(
            "img-downsample", ["--width", "60", "--fallback"],
            stdin: .lines([String(decoding: record.line, as: UTF8.self)]))
        #expect(bypassed(home).count == 2)
        #expect(try isEmpty(home))
    }

    @Test func localFileThatIsDisabledIsShrunkPastTheCache() throws {
        let home = try Sample.home()
        try home.write("private/mine.png", DrawnPicture.gradient(80, 60).png())
        try home.run("img-downsample", ["--width", "40", "--policy-rule", "*/private/*=disabled", "private/mine.png"])
            .expect(0)

        #expect(try bypassed(home).count == 1 && isEmpty(home))
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func variantsOfAPictureInMemoryStayThere() throws {
        let place = try MemoryHome()
        let url = try Sample.url("policy-memory-variants.jpg")
        let put = try place.home.run("img-cache", ["put", "--policy", "memory", url]).expect(0)
        for status in ["made", "hit"] {
            let made = try place.home.run("img-downsample", ["--variant", "pager"], stdin: .text(put.stdout)).expect(0)
            #expect(try made.record.string("variants.pager.path")?.hasPrefix("\(place.root)/") == true)
            #expect(try made.record.string("variants.pager.status") == status)
        }
        #expect(try isEmpty(place.home))
    }

    @Test func gifsFollowTheSamePolicies() throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        for _ in 0..<2 {
            let record = try home.run("gif-cache", ["put", "--policy", "disabled", "0001"]).expect(0).record
            #expect(record.string("cache.status") == "bypass" && record.integer("gif.frames") == 8)
        }
        #expect(try service.requests()["/image"] == 2)
        #expect(try bypassed(home).count == 2 && isEmpty(home))
        try home.run("gif-cache", ["get", "--policy", "disabled", "0001"]).expect(1)
    }
}
