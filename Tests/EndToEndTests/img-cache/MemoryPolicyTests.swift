import Libc
import Records
import Support
import TestSupport
import Testing

/// Storage, limit and removal of entries with `--policy memory`.
@Suite(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
struct MemoryPolicyTests {
    private let memory: TemporaryFolder
    private let home: ToolHome

    init() throws {
        memory = try TemporaryFolder(in: TemporaryFolder.memory)
        home = try Sample.home(["XDG_RUNTIME_DIR": memory.path])
    }

    /// The names of pictures in memory.
    private var kept: [String] { memory.contents().filter { $0.contains("/scopes/") && $0.hasSuffix(".png") } }

    private func pictures(_ count: Int, side: Int = 150) throws -> [String] {
        try (0..<count).map { number in
            let name = "picture-\(number).png"
            try home.write(name, DrawnPicture.noise(side, side, seed: UInt64(number)).png())
            return name
        }
    }

    /// The space used in memory, as measured by `du`.
    private func taken() throws -> Int {
        let words = try home.shell("du -sk \(memory.path)")
            .stdout.split(separator: "\t")
        return (Int(words.first ?? "") ?? 0) * 1024
    }

    @Test func purgeOfARootKeepsThePicturesOfOtherRootsInMemory() throws {
        let picture = try pictures(1)[0]
        try home.folder.makeFolder("work/a")
        let line = ["--policy", "memory", "--cache-dir"]
        try home.run("img-cache", ["put", picture] + line + ["a"]).expect(0)

        try home.run("img-cache", ["has", picture] + line + ["b"]).expect(1)
        #expect(
            try home.run("img-cache", ["put", picture] + line + ["b"]).expect(0).record.string("cache.status") == "miss"
        )
        #expect(
            try home.run("img-cache", ["scope", "purge", "--all-scopes", "--cache-dir", "b"]).expect(0).record.integer(
                "entries") == 1)

        try home.run("img-cache", ["has", picture] + line + ["a"]).expect(0)
        try home.run("img-cache", ["has", picture] + line + ["b"]).expect(1)
        #expect(kept.count == 1)
        // A path through a symbolic link leads to the same root.
        symlink("a", home.path("link"))
        try home.run("img-cache", ["has", picture] + line + ["link"]).expect(0)
    }

    @Test(arguments: [
        ["scope", "switch", "bob", "--purge"], ["scope", "purge", "default"], ["scope", "purge", "--all-scopes"],
    ])
    func purgeFindsPicturesInMemoryIfTheRuntimeFolderIsOnADisk(_ line: [String]) throws {
        // The runtime folder of this home is on a disk, so pictures are stored in the next candidate folder.
        let home = try ToolHome()
        try home.write("a.png", DrawnPicture.gradient(30, 20).png())
        let path = try #require(
            home.run("img-cache", ["put", "--policy", "memory", "a.png"]).expect(0).record.string("path"))
        #expect(!path.hasPrefix(home.folder.path) && TestFile.exists(path))

        let record = try home.run("img-cache", line).expect(0).record
        #expect(record.integer("purged.entries") ?? record.integer("entries") == 1)

        #expect(!TestFile.exists(path))
        try home.run("img-cache", ["has", "--policy", "memory", "--scope", "default", "a.png"]).expect(1)
        _ = try home.run("img-cache", ["scope", "purge", "--all-scopes", "--policy", "memory"]).expect(0)
    }

    @Test func purgeLeavesNoFileInMemory() throws {
        let picture = try pictures(1)[0]
        try home.run("img-cache", ["put", "--policy", "memory", picture]).expect(0)
        try home.run("img-cache", ["scope", "purge", "default", "--policy", "memory"]).expect(0)
        #expect(memory.contents().filter { $0.hasPrefix("apod-tools/") } == ["apod-tools/use"])
    }

    /// Hides the memory folders that all homes share, because pictures of other tests would count toward the limit.
    private func runAlone() throws -> (String, [String], ToolInput) throws -> ToolOutput {
        guard MountNamespace.isPossible else { return { try home.run($0, $1, stdin: $2) } }
        let alone = try MountNamespace(
            home,
            """
            for folder in /dev/shm/apod-tools-$(id -u) /dev/shm/apod-tools-bypass-$(id -u); do
                mkdir -p -m 700 $folder && mount -t tmpfs -o mode=700 none $folder
            done
            """)
        return { try alone.run($0, $1, stdin: $2) }
    }

    @Test func memoryCapacityIncludesCacheAndEphemeralFiles() throws {
        let run = try runAlone()
        let config = try home.write(
            "config.json", #"{"policy": "memory", "memory_capacity": "1MB", "policy_rules": {"*-odd*": "disabled"}}"#)
        let names = try pictures(40)
        for name in names where name.hasSuffix("7.png") {
            rename(home.path(name), home.path("\(name.dropLast(4))-odd.png"))
        }
        // Ephemeral files come first, so that they fit.
        let all = TemporaryFolder.names(in: home.work).filter { $0.hasSuffix(".png") }
            .sorted { $0.contains("odd") && !$1.contains("odd") }
            .map { home.path($0) }
        let output = try run("img-cache", ["put", "--config", config] + all, .empty)

        try output.expectFailure(75, code: "memory-full", tool: "img-cache")
        let stored = try output.records.filter { $0.string("path") != nil }
        #expect(stored.count > 5, "\(stored.count)")
        #expect(stored.contains { $0.string("cache.status") == "bypass" })
        #expect(try output.records.allSatisfy { $0.string("error.code") ?? "memory-full" == "memory-full" })
        #expect(try taken() <= 1_050_000)

        // Variants count toward the limit, and entries with expired leases make room.
        let lines = stored.map { String(decoding: $0.line, as: UTF8.self) }
        try run("img-downsample", ["--width", "140", "--config", config], .lines(lines))
            .expectFailure(75, code: "memory-full", tool: "img-downsample")
        #expect(try taken() <= 1_050_000)
        let short = ["put", "--config", config, "APOD_TOOLS_LEASE=0s"]
        _ = try run("img-cache", ["scope", "purge", "--all-scopes", "--config", config], .empty).expect(0)
        let rest = all.filter { !$0.contains("odd") }
        try run("img-cache", short + rest, .empty).expect(0)
        #expect(try taken() <= 1_050_000)
    }

    @Test func scopesInMemoryAreListed() throws {
        let picture = try pictures(1)[0]
        for scope in ["alice", "bob"] {
            try home.run("img-cache", ["put", "--policy", "memory", "--scope", scope, picture]).expect(0)
        }
        let listed = try home.run("img-cache", ["scope", "list", "--policy", "memory"]).expect(0).records
        #expect(listed.map { $0.string("scope") } == ["alice", "bob", "default"])
        #expect(listed.map { $0.integer("entries") } == [1, 1, 0])
        #expect(
            try home.run("img-cache", ["scope", "purge", "--all-scopes", "--dry-run"]).expect(0).record.integer(
                "scopes") == 2)
    }
}
