import Libc
import Support
import TestSupport
import Testing

/// Output files at paths that a user names.
@Suite struct OutputPlaceTests {
    private static let hasStrace = access("/usr/bin/strace", X_OK) == 0 && !isUnderAddressSanitizer

    private func home() throws -> ToolHome {
        let home = try ToolHome()
        try home.write("a.png", DrawnPicture.gradient(40, 30).png())
        return home
    }

    @Test func existingLinkAndModeOfAnOutputAreKept() throws {
        let home = try home()
        let target = try home.write("private/target.png", "old")
        chmod(target, 0o600)
        symlink("private/target.png", home.path("link.png"))

        try home.run("img-downsample", ["a.png", "--width", "20", "-o", "link.png"]).expect(0)

        #expect(try TestFile.bytes(target).starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(TestFile.mode(target) == 0o600)
        var status = stat()
        #expect(lstat(home.path("link.png"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(TemporaryFolder.names(in: home.path("private")) == ["target.png"])
    }

    @Test(arguments: ["022", "077", "027"])
    func newOutputFileFollowsTheUmask(_ umask: String) throws {
        let home = try home()
        try home.shell("umask \(umask); img-downsample a.png --width 20 -o new.png").expect(0)
        #expect(TestFile.mode(home.path("new.png")) == 0o666 & ~(mode_t(umask, radix: 8) ?? 0))
    }

    @Test func outputThatCannotBeCreatedIsRefusedBeforeAnyWork() throws {
        let home = try home()
        symlink("loop.png", home.path("loop.png"))
        symlink("missing/new.png", home.path("nowhere.png"))
        try home.folder.makeFolder("work/folder.png")
        for name in ["loop.png", "nowhere.png", "folder.png"] {
            try home.run("img-downsample", ["a.png", "--width", "20", "-o", name]).expectRefusal(
                73, "img-downsample", name)
        }
        #expect(TemporaryFolder.names(in: home.work) == ["a.png", "folder.png", "loop.png", "nowhere.png"])
    }

    @Test func syncIsRefusedIfItHasNoEffect() throws {
        try run("img-cache", ["stats", "--sync"]).expectRefusal(64, "img-cache", "--sync", "--output")
        try run("gif-cache", ["poster", "--sync", "0001"]).expectRefusal(64, "gif-cache", "--sync", "--output")
    }

    @Test func syncCanBeSetInTheConfigurationFile() throws {
        let home = try home()
        for (text, status): (String, Int32) in [("true", 0), ("false", 0), ("\"perhaps\"", 78)] {
            let config = try home.write("config.json", "{\"sync\": \(text)}")
            let output = try home.run("img-downsample", ["a.png", "--width", "20", "-o", "b.png", "--config", config])
            #expect(output.status == status)
        }
    }

    /// The sync and rename calls, in order.
    private func calls(_ home: ToolHome, _ line: String) throws -> [String] {
        try home.shell("strace -f -o trace -e trace=fsync,fdatasync,rename,renameat,renameat2 \(line)").expect(0)
        return try TestFile.text(home.path("trace")).split(separator: "\n").compactMap { call in
            let name = call.drop { $0 != " " }.dropFirst().prefix { $0 != "(" }.drop { $0 == " " }
            return name.hasPrefix("rename") ? "rename" : ["fsync", "fdatasync"].contains(name) ? "sync" : nil
        }
    }

    @Test(.enabled(if: hasStrace, "strace is not installed"))
    func syncFlushesTheFileBeforeAndTheFolderAfterTheRename() throws {
        let home = try home()
        let tool = try Tools.path("img-downsample")
        #expect(try calls(home, "\(tool) a.png --width 20 -o b.png --sync") == ["sync", "rename", "sync"])
        #expect(try calls(home, "\(tool) a.png --width 20 -o b.png") == ["rename"])
        // The entry of the new folder in its parent is flushed first.
        #expect(
            try calls(home, "\(tool) a.png --width 20 --output-dir out --sync")
                == ["sync", "sync", "rename", "sync"])
        let stats = "\(try Tools.path("img-cache")) stats --output s.txt"
        #expect(try calls(home, "\(stats) --sync").suffix(3) == ["sync", "rename", "sync"])
    }

    @Test(.enabled(if: hasStrace, "strace is not installed"))
    func cacheWaitsForTheDiskOnlyWithSync() throws {
        let home = try home()
        // Creating a cache also waits for the disk.
        try home.run("img-cache", ["put", "a.png"]).expect(0)
        for line in ["img-cache put a.png", "img-downsample a.png --width 20"] {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let tool = try Tools.path(words[0])
            let calls = try calls(home, "\(tool) \(words[1]) --scope a")
            #expect(calls.contains("rename") && !calls.contains("sync"), "\(line): \(calls)")
            let commands = [
                "env APOD_TOOLS_SYNC=true \(tool) \(words[1]) --scope b", "\(tool) \(words[1]) --sync --scope c",
            ]
            for command in commands {
                let syncing = try self.calls(home, command)
                let place = try #require(syncing.firstIndex(of: "rename"), "\(syncing)")
                #expect(syncing[..<place].contains("sync"), "\(command): \(syncing)")
                #expect(syncing[place...].contains("sync"), "\(command): \(syncing)")
            }
        }
    }

    /// The entry's content is already on the disk. The pin, in the file and in the row, must be flushed.
    @Test(.enabled(if: hasStrace, "strace is not installed"))
    func pinOfADurableEntryFlushesFileAndRow() throws {
        let home = try home()
        try home.run("img-cache", ["put", "a.png", "--key", "moon", "--sync"]).expect(0)
        let calls = try calls(home, "\(try Tools.path("img-cache")) pin --key moon")
        // SQLite may also flush the folder.
        #expect(calls.count >= 2 && calls.allSatisfy { $0 == "sync" }, "\(calls)")
    }
}
