import Libc
import Support
import TestSupport
import Testing

/// Cache roots prepared by an attacker, and folders that are not cache roots.
struct PreparedRootTests {
    private func home() throws -> ToolHome {
        let home = try ToolHome()
        try home.write("put.png", DrawnPicture.gradient(8, 8).png())
        return home
    }

    private func list(_ home: ToolHome, _ folder: String) throws -> [String] {
        try home.shell("find \(folder) -mindepth 1 | sort").expect(0).lines
    }

    @Test func linkInTheCacheDamagesNoOtherFile() throws {
        let home = try home()
        try home.write("victim", "untouched")
        let lines = try home.run("img-cache", ["put", "put.png", "--key", "k", "--cache-dir", "c", "--print", "path"])
            .expect(0).lines
        let file = try #require(lines.first?.split(separator: "/").last?.prefix(32))
        let scope = try #require(lines.first?.split(separator: "/").dropLast(2).last)
        let partial = "c/partial/\(scope)-\(file)"
        try home.shell("rm -r c/scopes && ln -s ../../victim \(partial)").expect(0)

        try home.run("img-cache", ["put", "put.png", "--key", "k", "--cache-dir", "c"])
            .expectRefusedRoot("symbolic link")
        #expect(try TestFile.bytes(home.path("victim")) == Array("untouched".utf8))

        try home.shell("rm -f \(partial)").expect(0)
        try home.run("img-cache", ["put", "put.png", "--key", "k", "--cache-dir", "c"]).expect(0)
    }

    @Test(arguments: [
        "ls", "stats", "clean", "scope list", "put put.png", "get put.png", "has put.png", "verify", "rm put.png",
        "scope switch alice",
    ])
    func folderWithOtherFilesNeverBecomesACache(_ command: String) throws {
        let home = try home()
        try home.write("letters/one.txt", "Dear all")

        try home.run("img-cache", command.split(separator: " ").map(String.init) + ["--cache-dir", "letters"])
            .expectRefusedRoot("\(home.path("letters")) is not a cache; name an empty folder")
        #expect(try list(home, "letters") == ["letters/one.txt"])
    }

    @Test(arguments: [
        ["img-cache", "ls"], ["img-cache", "stats"], ["img-cache", "get", "put.png"], ["img-cache", "has", "put.png"],
        ["img-cache", "path", "put.png"], ["img-cache", "cat", "put.png"], ["img-cache", "info", "put.png"],
        ["img-cache", "explain", "http://127.0.0.1:1/x.png"], ["img-cache", "verify"], ["img-cache", "scope", "list"],
        ["img-cache", "scope", "current"], ["img-cache", "clean", "--dry-run"], ["gif-cache", "ls"],
        ["gif-cache", "get", "0001"], ["gif-cache", "has", "0001"],
        ["gif-cache", "info", "0001"], ["gif-cache", "verify"],
        ["apod-fetch", "--offline", "--date", "2024-01-01"],
    ])
    func lookupsCreateNothing(_ line: [String]) throws {
        let home = try home()
        let output = try home.run(line[0], Array(line.dropFirst()) + ["--cache-dir", "none"])
        #expect([0, 1, 75].contains(output.status ?? -1), "\(output)")
        #expect(access(home.path("none"), F_OK) != 0, "\(output)")

        try home.shell("mkdir empty").expect(0)
        #expect(
            try home.run(line[0], Array(line.dropFirst()) + ["--cache-dir", "empty"]).status == output.status)
        #expect(try list(home, "empty").isEmpty)
    }

    @Test func worldWritableRootIsRefusedUnlessAllowed() throws {
        let home = try home()
        try home.shell("mkdir c && chmod 777 c").expect(0)
        let put = ["put", "put.png", "--cache-dir", "c"]

        try home.run("img-cache", put).expectRefusedRoot("run: chmod o-w \(home.path("c"))")
        #expect(try list(home, "c").isEmpty)
        try home.run("img-cache", put + ["APOD_TOOLS_ALLOW_SHARED_ROOT=true"]).expect(0)
        let config = try home.write("config.json", "{\"allow_shared_root\":true}")
        let name = try home.run(
            "img-cache", ["scope", "switch", "alice", "--purge", "--cache-dir", "c", "--config", config]
        ).expect(0)
        #expect(name.status == 0)
        // The background process that removes the old scope's files inherits the setting.
        try home.run(
            "img-cache",
            ["scope", "purge", "default", "--cache-dir", "c", "APOD_TOOLS_ALLOW_SHARED_ROOT=true"]
        )
        .expect(0)
        try home.shell("chmod 755 c").expect(0)
        try home.run("img-cache", put).expect(0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of a folder"))
    func cacheRootOfAnotherUserIsRefusedWithAChownCommand() throws {
        let home = try home()
        try home.run("img-cache", ["put", "put.png", "--cache-dir", "c"]).expect(0)
        try home.shell("chown 12345 c").expect(0)

        try home.run("img-cache", ["ls", "--cache-dir", "c"])
            .expectRefusedRoot("sudo chown -R \(geteuid()) \(home.path("c"))")
    }

    @Test func databaseOfAnotherProgramIsUnchanged() throws {
        let home = try home()
        try home.shell("mkdir \(home.cacheRoot)").expect(0)
        try CacheOnDisk(home).execute("CREATE TABLE bookmarks (address TEXT)")
        let index = home.cacheRoot + "/index.sqlite"
        let bytes = try TestFile.bytes(index)

        for command in ["ls", "verify", "scope purge --all-scopes"] {
            try home.run("img-cache", command.split(separator: " ").map(String.init)).expectRefusedRoot(
                "is not a cache")
        }
        #expect(try TestFile.bytes(index) == bytes)
        #expect(try list(home, home.cacheRoot) == [index])
    }

    @Test func rootMayBeASymbolicLink() throws {
        let home = try home()
        try home.shell("mkdir real && ln -s real c").expect(0)

        let path = try home.run("img-cache", ["put", "put.png", "--cache-dir", "c", "--print", "path"]).expect(0).lines
        #expect(path.first?.hasPrefix(home.path("real/scopes/")) == true)
        #expect(try home.run("img-cache", ["path", "put.png", "--cache-dir", "c"]).expect(0).lines == path)
    }
}

extension ToolOutput {
    /// Expects status 78 and these words on standard error, for a refused run or refused records.
    fileprivate func expectRefusedRoot(_ words: String, location: SourceLocation = #_sourceLocation) throws {
        try expect(78)
        #expect(stderr.contains(words), "\(self)", sourceLocation: location)
    }
}
