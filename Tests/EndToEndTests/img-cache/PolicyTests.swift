import Libc
import Records
import Support
import TestSupport
import Testing

/// Storage under `--policy` and `policy_rules`: on the disk, in memory or ephemeral.
struct PolicyTests {
    /// A home whose runtime folder is in memory.
    private final class MemoryHome: Sendable {
        let memory: TemporaryFolder
        let home: ToolHome

        init() throws {
            memory = try TemporaryFolder(in: TemporaryFolder.memory)
            home = try Sample.home(["XDG_RUNTIME_DIR": memory.path])
        }

        var root: String { memory.path("apod-tools") }
    }

    /// The ephemeral files.
    private func bypassed(_ home: ToolHome) -> [String] {
        home.folder.contents().filter { $0.hasPrefix("run/apod-tools-bypass/") }
    }

    /// Whether the disk has no entry. The root itself may exist: before confinement, a tool creates the root even if it
    /// then stores nothing.
    private func isEmpty(_ home: ToolHome) throws -> Bool {
        try home.shell("ls -A \"$APOD_TOOLS_CACHE_DIR\" 2>/dev/null || true").expect(0).stdout.isEmpty
    }

    /// Expires the leases of all ephemeral files by renaming them.
    private func endLeases(_ home: ToolHome) throws {
        for name in bypassed(home) {
            let parts = name.split(separator: "/").last?.split(separator: "-", maxSplits: 1) ?? []
            let place = home.folder.path("run/apod-tools-bypass/1-\(try #require(parts.last))")
            try #require(rename(home.folder.path(name), place) == 0)
        }
    }

    // MARK: disabled

    @Test func ephemeralFileNameContainsItsLease() throws {
        let home = try Sample.home()
        let before = Timestamp.now()
        let url = try Sample.url("policy-lease.jpg")
        try home.run("img-cache", ["put", "--policy", "disabled", "APOD_TOOLS_LEASE=1h", url]).expect(0)

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
    func nextRunOfAnyToolRemovesAnEphemeralFileWithAnExpiredLease(_ line: [String]) throws {
        let home = try Sample.home()
        let url = try Sample.url("policy-sweep.jpg")
        try home.run("img-cache", ["put", "--policy", "disabled", url]).expect(0)
        _ = try home.run(line[0], Array(line.dropFirst()))
        #expect(bypassed(home).count == 1)

        try endLeases(home)
        _ = try home.run(line[0], Array(line.dropFirst()))
        #expect(bypassed(home) == [])
    }

    @Test func openFileStaysReadableAfterItsLease() throws {
        let home = try Sample.home()
        let url = try Sample.url("policy-open.jpg")
        try home.run("img-cache", ["put", "--policy", "disabled", url]).expect(0)
        try endLeases(home)
        let file = try File.openInput(home.folder.path(try #require(bypassed(home).first)))

        try home.run("img-cache", ["stats"]).expect(0)
        #expect(bypassed(home) == [])
        #expect(try file.bytes(0..<file.count) == LoopbackClient.send(url).body)
    }

    @Test func interruptedOrKilledDownloadLeavesNoEphemeralFile() throws {
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
        // While a process writes the file, no run removes it, even if the lease in its name has expired.
        try endLeases(home)
        try home.run("img-cache", ["stats"]).expect(0)
        #expect(bypassed(home).count == 1)
        killed.kill(SIGKILL)
        #expect(killed.wait(deadline: .seconds(20)).signal == SIGKILL)
        try home.run("img-cache", ["stats"]).expect(0)
        #expect(bypassed(home) == [])
    }

    // MARK: memory

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func memoryPolicyNeverWritesToTheDisk() throws {
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
        let rule = ["APOD_TOOLS_POLICY_RULES=*/policy-memory*=memory"]
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
    func picturesInMemoryAreNotSharedBetweenScopes() throws {
        let place = try MemoryHome()
        let url = try Sample.url("policy-memory-scope.jpg")
        try place.home.run("img-cache", ["put", "--policy", "memory", "--scope", "alice", url]).expect(0)

        try place.home.run("img-cache", ["has", "--policy", "memory", url]).expect(1)
        try place.home.run("img-cache", ["has", "--policy", "memory", "--scope", "alice", url]).expect(0)
    }

    @Test(
        .enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"),
        arguments: [
            ["scope", "switch", "bob", "--purge"], ["scope", "purge", "default"],
            ["scope", "purge", "default", "--policy", "memory"], ["scope", "purge", "--all-scopes"],
        ])
    func purgingAScopePurgesItsMemory(_ line: [String]) throws {
        let place = try MemoryHome()
        let url = try Sample.url("policy-memory-purge.jpg")
        let secret = try Sample.url("policy-memory-purge-secret.jpg")
        let rule = ["APOD_TOOLS_POLICY_RULES=*-secret.jpg=memory"]
        let bytes = try place.home.run("img-cache", ["put", url, secret] + rule).expect(0).records
            .compactMap { $0.integer("cache.bytes") }.reduce(0, +)
        try place.home.run("img-cache", ["has", url, secret] + rule).expect(0)

        let purged = try place.home.run("img-cache", line).expect(0).record

        #expect(purged.integer("purged.entries") ?? purged.integer("entries") == 2)
        #expect(purged.integer("purged.bytes") ?? purged.integer("bytes") == bytes)
        for gone in [url, secret] {
            #expect(try place.home.run("img-cache", ["has", gone, "--scope", "default"] + rule).status == 1)
        }
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func switchWithoutPurgeKeepsThePicturesInMemory() throws {
        let place = try MemoryHome()
        let url = try Sample.url("policy-memory-keep.jpg")
        try place.home.run("img-cache", ["put", url, "--policy", "memory"]).expect(0)
        try place.home.run("img-cache", ["scope", "switch", "bob"]).expect(0)
        try place.home.run("img-cache", ["has", url, "--policy", "memory", "--scope", "default"]).expect(0)
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func verifyChecksMemoryUnderTheMemoryPolicy() throws {
        let place = try MemoryHome()
        let url = try Sample.url("policy-memory-verify.jpg")
        let path = try #require(
            place.home.run("img-cache", ["put", url, "--policy", "memory"]).expect(0).record.string("path"))
        try #require(unlink(path) == 0)
        let records = try place.home.run("img-cache", ["verify", "--policy", "memory"]).expect(1).records
            .compactMap { $0.raw("problems") }.flatMap { try Record.list(parsing: Array($0)) }
        #expect(records.contains { $0.string("code") == "file-missing" && $0.string("path") == path })
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func memoryHasASeparateCapacity() throws {
        let place = try MemoryHome()
        let config = try place.home.write("config.json", "{\"policy\":\"memory\",\"memory_capacity\":\"1MB\"}")
        let statistics = try place.home.run("img-cache", ["stats", "--json", "--config", config]).expect(0).record

        #expect(statistics.integer("capacity") == 1_000_000)
        #expect(try isEmpty(place.home))
    }

    // MARK: Other tools

    @Test func placeholdersOfEphemeralPicturesAreEphemeral() throws {
        let home = try Sample.home()
        let rule = ["APOD_TOOLS_POLICY_RULES=*/policy-gone*=disabled"]
        let gone = try Sample.url("policy-gone.jpg", faults: ["status-404"])
        let failed = try home.run("img-cache", ["put", gone] + rule).expect(69)
        let drawn = try home.run(
            "img-downsample", ["--width", "60", "--fallback"] + rule, stdin: .text(failed.stdout))
        let path = try #require(try drawn.records.first?.raw("variants")).split(separator: UInt8(ascii: "\""))
            .map { String(decoding: $0, as: UTF8.self) }.first { $0.hasPrefix("/") }
        #expect(try #require(path).hasPrefix(home.folder.path("run/apod-tools-bypass/")), "\(drawn)")
        // The file of an ephemeral picture is missing. Its placeholder must not be cached either.
        let record = try home.run("img-cache", ["put", "--policy", "disabled", try Sample.url("policy-lost.jpg")])
            .expect(0).record
        unlink(try #require(record.string("path")))
        _ = try home.run(
            "img-downsample", ["--width", "60", "--fallback"],
            stdin: .lines([String(decoding: record.line, as: UTF8.self)]))
        #expect(bypassed(home).count == 2)
        #expect(try isEmpty(home))
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func variantsOfAPictureInMemoryAreStoredInMemory() throws {
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

}
