import Libc
import Records
import TestSupport
import Testing

/// Full disks: a file that does not fit, and an index that cannot grow.
@Suite(.serialized, .enabled(if: MountNamespace.isPossible))
struct FullDiskTests {
    /// Mounts a separate file system of `kibibytes` at the root.
    private func disk(_ kibibytes: Int, _ home: ToolHome) throws -> MountNamespace {
        try MountNamespace(home, "mount -t tmpfs -o size=\(kibibytes)k,mode=700 none \"$ROOT\"")
    }

    /// Fills the disk except for `kibibytes`.
    private func fill(_ disk: MountNamespace, _ home: ToolHome, leaving kibibytes: Int = 0) throws {
        let script = """
            free=$(df --output=avail -k '\(home.cacheRoot)' | tail -n 1)
            dd if=/dev/zero of='\(home.cacheRoot)/ballast' bs=1024 count=$((free - \(kibibytes))) status=none
            """
        _ = try disk.run("/bin/sh", ["-c", script])
    }

    private func makeRoom(_ disk: MountNamespace, _ home: ToolHome) throws {
        try disk.run("/bin/rm", ["\(home.cacheRoot)/ballast"]).expect(0)
    }

    @Test func pictureThatDoesNotFitFailsAndOtherEntriesStay() throws {
        let server = try PictureServer(size: 3_000_000)
        let home = try ToolHome(environment: server.environment)
        let disk = try disk(2048, home)
        let small = try home.write("small.gif", PictureServer.picture("small", version: 0, size: 50_000))
        let large = try home.write("large.gif", PictureServer.picture("large", version: 0, size: 3_000_000))
        try disk.run("img-cache", ["put", small]).expect(0)

        for picture in [large, server.url("large")] {
            let output = try disk.run("img-cache", ["put", picture]).expect(74)
            #expect(output.stderr.contains("No space left"), "\(output)")
            #expect(try output.record.integer("error.exit") == 74)
            #expect(output.errorLines.count == 1, "\(output)")
        }

        let root = try disk.copy(as: "copy")
        #expect(root.files().count == 1)
        try root.expectConsistent(home)
        #expect(try disk.run("img-cache", ["cat", small]).expect(0).stdoutBytes == TestFile.bytes(small))
    }

    @Test func fullDiskServesHitsAndRecovers() throws {
        let home = try ToolHome()
        let disk = try disk(1024, home)
        let first = try home.write("first.gif", PictureServer.picture("first", version: 0, size: 20_000))
        let second = try home.write("second.gif", PictureServer.picture("second", version: 0, size: 20_000))
        try disk.run("img-cache", ["put", first]).expect(0)
        try fill(disk, home)

        let output = try disk.run("img-cache", ["put", second]).expect(74)
        #expect(output.errorLines.count == 1 && output.stderr.hasPrefix("img-cache: "), "\(output)")
        for command in ["get", "has", "path", "cat", "ls"] {
            try disk.run("img-cache", [command] + (command == "ls" ? [] : [first])).expect(0)
        }

        try makeRoom(disk, home)
        #expect(try disk.run("img-cache", ["put", first]).expect(0).record.string("cache.status") == "hit")
        try disk.run("img-cache", ["put", second]).expect(0)
        let root = try disk.copy(as: "copy")
        #expect(root.files().count == 2)
        try root.expectConsistent(home)
    }

    /// Each run has less free space than the run before, so that the disk becomes full at a different write: of the
    /// lock file, the picture, its folder, the index's WAL file, or the index's shared-memory (`-shm`) file.
    @Test func fullDiskAtAnyStepLosesNoEntry() throws {
        let home = try ToolHome()
        let disk = try disk(1024, home)
        let first = try home.write("first.gif", PictureServer.picture("first", version: 0, size: 20_000))
        try disk.run("img-cache", ["put", first]).expect(0)
        var statuses: Set<Int32> = []

        for room in stride(from: 96, through: 0, by: -4) {
            try fill(disk, home, leaving: room)
            let picture = try home.write("\(room).gif", PictureServer.picture("\(room)", version: 0, size: 20_000))
            let output = try disk.run("img-cache", ["put", picture])
            statuses.insert(output.status ?? -1)
            if output.status == 0 {
                let path = try #require(try output.record.string("path"))
                #expect(try TestFile.bytes(disk.path(path)) == TestFile.bytes(picture))
            } else {
                #expect(output.status == 74 && output.errorLines.count == 1, "\(room): \(output)")
            }
            try makeRoom(disk, home)
            #expect(try disk.run("img-cache", ["cat", first]).expect(0).stdoutBytes == TestFile.bytes(first))
            // The same picture fits now.
            try disk.run("img-cache", ["put", picture]).expect(0)
            try disk.run("img-cache", ["rm", picture]).expect(0)
        }
        #expect(statuses == [0, 74])
        let root = try disk.copy(as: "copy")
        #expect(root.files().count == 1)
        try root.expectConsistent(home)
    }

    /// A user with a full disk must be able to free space with the tool.
    @Test(arguments: [
        "rm $FILE", "rm --size +1B", "clean", "scope purge default", "scope switch other --purge",
        "scope purge --all-scopes",
    ])
    func removalFreesSpaceOnAFullDisk(_ command: String) throws {
        let home = try ToolHome()
        let disk = try disk(1024, home)
        let files = try (0..<4).map {
            try home.write("\($0).gif", PictureServer.picture("\($0)", version: 0, size: 100_000))
        }
        try disk.run("img-cache", ["put", "APOD_TOOLS_LEASE=0s", "--ttl", command == "clean" ? "0s" : "1d"] + files)
            .expect(0)
        // The disk is so full that not even the removal can be recorded.
        try fill(disk, home)
        let words = command.split(separator: " ").map { $0 == "$FILE" ? files[0] : String($0) }

        let output = try disk.run("img-cache", words).expect(0)

        let notice = "img-cache: removing 4 entries, 400.0 kB of the scope default\n"
        #expect(output.stderr == (command.hasPrefix("scope switch") ? notice : ""), "\(output)")
        #expect(try disk.run("img-cache", ["has", files[0]]).status == 1)
        try makeRoom(disk, home)
        #expect(try disk.run("img-cache", ["verify"]).status == 0)
        try disk.run("img-cache", ["put", files[0]]).expect(0)
    }

    @Test func diskWithoutRoomForTheIndexIsReported() throws {
        let home = try ToolHome()
        let disk = try disk(16, home)
        let file = try home.write("a.gif", PictureServer.picture("a", version: 0, size: 20_000))
        let output = try disk.run("img-cache", ["put", file]).expect(74)
        #expect(output.errorLines.count == 1 && output.stderr.contains(home.cacheRoot), "\(output)")
    }
}

/// Tests a limit on file sizes, which needs no mount.
@Suite(.serialized)
struct FileLimitTests {
    /// Runs `img-cache` with a limit on file sizes, in blocks of 1 KiB.
    private func run(_ home: ToolHome, limit: Int, _ arguments: [String]) throws -> ToolOutput {
        try home.run(
            "/usr/bin/env", ["bash", "-c", "ulimit -f \(limit); exec img-cache \"$@\"", "-"] + arguments)
    }

    @Test func downloadOverTheFileSizeLimitFailsAndIsFetchedLater() throws {
        let server = try PictureServer(size: 600_000)
        let home = try ToolHome(environment: server.environment)
        let url = server.url("large")
        try home.run("img-cache", ["stats"]).expect(0)

        let output = try run(home, limit: 300, ["put", url]).expect(74)

        #expect(output.errorLines.count == 1 && output.stderr.contains("File too large"), "\(output)")
        #expect(home.blobs == [] && home.leftovers == [])
        try home.run("img-cache", ["put", url]).expect(0)
        try CacheOnDisk(home).expectConsistent(home)
    }

    /// The pictures are small, so the index or its log reaches the limit first.
    @Test func indexAtTheFileSizeLimitLosesNoEntry() throws {
        let home = try ToolHome()
        let files = try (0..<60).map {
            try home.write("\($0).gif", PictureServer.picture("\($0)", version: 0, size: 1500))
        }
        try home.run("img-cache", ["put", files[0]]).expect(0)
        var statuses: Set<Int32> = []
        for limit in [40, 48, 56, 64, 72, 96, 128] {
            let output = try run(home, limit: limit, ["put"] + files)
            statuses.insert(output.status ?? -1)
            #expect(output.status == 0 || output.status == 74, "\(output)")
            for record in try output.records where record.has("path") {
                let path = try #require(record.string("path"))
                #expect(try TestFile.bytes(path).count == 1500)
            }
        }
        #expect(statuses.contains(74))
        try home.run("img-cache", ["put"] + files).expect(0)
        try CacheOnDisk(home).expectConsistent(home)
        #expect(try CacheOnDisk(home).number("SELECT count(*) FROM entries") == 60)
    }
}
