import Support
import TestSupport
import Testing

/// A root in the layout of a later version. The current tools must not change it.
struct NewerLayoutTests {
    /// The names of the commands that `--help` lists, except `settings`.
    private static let commands: [String] = {
        let help = (try? run("img-cache", ["--help"]).lines) ?? []
        guard let start = help.firstIndex(where: { $0 == "COMMANDS" }) else { return [] }
        return help[(start + 1)...].prefix { $0.hasPrefix("  ") }
            .filter { !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }.filter { $0 != "settings" }
    }()

    private func snapshot(_ home: ToolHome) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in home.folder.contents() where name.hasPrefix("cache/apod-tools/") {
            // SQLite creates these files when it opens the index, even for reading.
            if name.hasSuffix("-shm") || name.hasSuffix("-wal") { continue }
            files[name] = (try? home.folder.read(name)) ?? []
        }
        return files
    }

    @Test func everyCommandRefusesANewerLayoutAndChangesNothing() throws {
        let server = try PictureServer()
        let home = try ToolHome(
            environment: server.environment.merging(["EXERCISEDB_API_URL": server.url("exercises")]) { $1 })
        let url = server.url("there")
        let file = try home.write("a.gif", PictureServer.picture("a", version: 0, size: 2000))
        try home.run("img-cache", ["put", url]).expect(0)
        let version = try CacheOnDisk(home).number("PRAGMA user_version") + 1
        try CacheOnDisk(home).execute("PRAGMA user_version = \(version); PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try snapshot(home)

        #expect(Self.commands.count >= 8, "no commands found in --help")
        for command in Self.commands {
            // Tries arguments until the command accepts them: a picture, none, a subcommand, a remote.
            let tried = try [[url], [], ["list"], ["--remote", "file:///nowhere"]].lazy.map {
                try home.run("img-cache", [command] + $0)
            }
            .first { $0.status != 64 }
            let output = try #require(tried, "\(command)").expect(78)
            #expect(output.stderr.contains("layout \(version)"), "\(output)")
            #expect(try snapshot(home) == before, "\(output)")
        }
        for (tool, arguments) in [
            ("img-downsample", [file, "--width", "1"]), ("gif-cache", ["get", "0001"]), ("gif-cache", ["put", "0001"]),
            ("apod-fetch", ["--date", "2024-02-01"]),
        ] {
            let output = try home.run(tool, arguments).expect(78)
            #expect(output.stderr.contains("layout \(version)"), "\(output)")
            #expect(try snapshot(home) == before, "\(output)")
        }
        #expect(server.asked.count == 1)
    }

    @Test func refusalLeavesTheRootIntactForNewerTools() throws {
        let server = try PictureServer()
        let home = try ToolHome(environment: server.environment)
        try home.run("img-cache", ["put", server.url("there")]).expect(0)
        let version = try CacheOnDisk(home).number("PRAGMA user_version")
        try CacheOnDisk(home).execute("PRAGMA user_version = \(version + 1)")
        try home.run("img-cache", ["get", server.url("there")]).expect(78)

        try CacheOnDisk(home).execute("PRAGMA user_version = \(version)")

        try home.run("img-cache", ["get", server.url("there")]).expect(0)
        try CacheOnDisk(home).expectConsistent(home)
    }
}
