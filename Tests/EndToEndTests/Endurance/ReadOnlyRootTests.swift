import Libc
import Records
import TestSupport
import Testing

/// Roots that cannot be written, read or created, and an empty root that can be written.
@Suite(.serialized)
struct ReadOnlyRootTests {
    /// Checks the results of commands that read and the errors of commands that write. `run` runs a tool without write
    /// access.
    private func expectReading(
        _ url: String, _ server: PictureServer, _ run: (String, [String]) throws -> ToolOutput
    ) throws {
        #expect(try run("img-cache", ["get", url]).expect(0).record.string("cache.status") == "hit")
        try run("img-cache", ["has", url]).expect(0)
        try run("img-cache", ["path", url]).expect(0)
        #expect(try run("img-cache", ["cat", url]).expect(0).stdoutBytes == server.picture(url))
        #expect(try run("img-cache", ["ls"]).expect(0).records.count == 1)
        #expect(try run("img-cache", ["stats", "--json"]).expect(0).record.integer("entries") == 1)
        let hit = try run("img-cache", ["put", url]).expect(0)
        #expect(try hit.record.string("cache.status") == "hit" && hit.stderr == "", "\(hit)")

        let miss = try run("img-cache", ["put", server.url("other")])
        try miss.expectFailure(73, code: "cache-read-only", tool: "img-cache")
        #expect(miss.errorLines.count == 1 && miss.stderr.contains("--cache-dir"), "\(miss)")
        #expect(try run("img-cache", ["has", server.url("other")]).status == 1)
        try run("img-cache", ["rm", url]).expect(73)
        #expect(server.asked.count == 1)
    }

    @Test(.enabled(if: MountNamespace.isPossible)) func readOnlyMountServesExistingEntries() throws {
        let server = try PictureServer()
        let home = try ToolHome(environment: server.environment)
        let url = server.url("there")
        try home.run("img-cache", ["put", url]).expect(0)
        let before = CacheOnDisk(home).files()
        let mounted = try MountNamespace(
            home, "mount --bind \"$ROOT\" \"$ROOT\" && mount -o remount,ro,bind \"$ROOT\"")

        try expectReading(url, server) { try mounted.run($0, $1) }

        #expect(CacheOnDisk(home).files() == before)
        #expect(try home.run("img-cache", ["put", url]).expect(0).record.string("cache.status") == "hit")
    }

    @Test(.enabled(if: OtherUser.isPossible)) func readableRootOfAnotherUserServesExistingEntries() throws {
        let server = try PictureServer()
        let home = try OtherUser.home(environment: server.environment)
        let url = server.url("there")
        try home.run("img-cache", ["put", url]).expect(0)
        try home.shell("chmod -R a+rX \"$APOD_TOOLS_CACHE_DIR\"; chmod 755 \"$XDG_CACHE_HOME\"").expect(0)

        try OtherUser.run(home, "img-cache", ["get", url]).expectFailure(78, code: "unsafe-place", tool: "img-cache")
        try expectReading(url, server) { try OtherUser.run(home, $0, $1 + ["APOD_TOOLS_ALLOW_SHARED_ROOT=true"]) }
    }

    @Test(.enabled(if: OtherUser.isPossible), arguments: ["a+rwx", "go="])
    func privateOrWorldWritableRootOfAnotherUserIsReportedWithItsOwner(mode: String) throws {
        let server = try PictureServer()
        let home = try OtherUser.home(environment: server.environment)
        try home.run("img-cache", ["put", server.url("there")]).expect(0)
        try home.shell("chmod 755 \"$XDG_CACHE_HOME\"; chmod \(mode) \"$APOD_TOOLS_CACHE_DIR\"").expect(0)

        for command in [["get", server.url("there")], ["put", server.url("other")], ["ls"]] {
            let output = try OtherUser.run(home, "img-cache", command + ["APOD_TOOLS_ALLOW_SHARED_ROOT=true"]).expect(
                78)
            #expect(output.stderr.contains("\(home.cacheRoot) belongs to user 0, and you are user "), "\(output)")
            #expect(output.stderr.contains("--remote file:///"), "\(output)")
        }
        #expect(server.asked.count == 1)
    }

    @Test(.enabled(if: OtherUser.isPossible)) func emptyContainerVolumeIsUsed() throws {
        let server = try PictureServer()
        let home = try OtherUser.home(environment: server.environment)
        // An empty folder, created by root and writable by everyone.
        try home.shell(
            "chmod 755 \"$XDG_CACHE_HOME\"; mkdir \"$APOD_TOOLS_CACHE_DIR\"; chmod 777 \"$APOD_TOOLS_CACHE_DIR\""
        ).expect(0)
        for status in ["miss", "hit"] {
            let output = try OtherUser.run(
                home, "img-cache", ["put", server.url("a"), "APOD_TOOLS_ALLOW_SHARED_ROOT=true"]
            ).expect(0)
            #expect(try output.record.string("cache.status") == status, "\(output)")
        }
    }

    @Test(.enabled(if: OtherUser.isPossible)) func ownFoldersWithoutWritePermissionAreReadOnly() throws {
        let server = try PictureServer()
        let home = try OtherUser.home(environment: server.environment)
        let url = server.url("there")
        try home.run("img-cache", ["put", url]).expect(0)
        try OtherUser.own(home.cacheRoot, home)
        try home.shell("chmod 755 \"$XDG_CACHE_HOME\"; chmod -R a-w \"$APOD_TOOLS_CACHE_DIR\"").expect(0)

        try expectReading(url, server) { try OtherUser.run(home, $0, $1) }
    }

    @Test(.enabled(if: OtherUser.isPossible)) func rootThatCannotBeCreatedIsReported() throws {
        let server = try PictureServer()
        let home = try OtherUser.home(environment: server.environment)
        try home.shell("chmod 755 \"$XDG_CACHE_HOME\"").expect(0)
        let output = try OtherUser.run(home, "img-cache", ["put", server.url("a")]).expect(73)
        #expect(output.stderr.contains(home.cacheRoot) && output.stderr.contains("Permission denied"), "\(output)")
        #expect(output.errorLines.count == 1, "\(output)")
        // Commands that only read do not try to create the root, and find no entry.
        for (arguments, status) in [(["stats"], 0), (["ls"], 0), (["has", server.url("a")], 1)] {
            try OtherUser.run(home, "img-cache", arguments).expect(Int32(status))
        }
        #expect(server.asked.isEmpty)
    }

    @Test func rootBelowAFileIsReported() throws {
        let home = try ToolHome()
        let file = try home.write("file", "x")
        let output = try home.run("img-cache", ["stats", "--cache-dir", "\(file)/cache"]).expect(73)
        #expect(output.errorLines.count == 1 && output.stderr.contains("\(file)/cache"), "\(output)")
    }
}
