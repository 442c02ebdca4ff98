import TestSupport
import Testing

/// Output of `img-cache` on a terminal.
struct CacheTerminalTests {
    private let home: ToolHome
    init() throws { home = try ToolHome() }

    private func put(_ key: String) throws {
        try home.write("\(key).png", DrawnPicture.noise(20, 10, seed: 1).png())
        try home.run("img-cache", ["put", "\(key).png", "--key", key]).expect(0)
    }

    @Test func listingOnATerminalIsATable() throws {
        try put("moon")
        try put("mars\u{202E}")
        let table = try home.run("img-cache", ["ls"], stdout: .terminal).expect(0).stdout
        #expect(table.contains("ADDRESS") && table.contains("20x10") && table.contains("mars\\u{202e}"))
        let forced = try home.run("img-cache", ["ls", "--json"], stdout: .terminal).expect(0).stdout
        #expect(forced.hasPrefix("{"))
    }

    @Test func picturesAreNotWrittenToATerminal() throws {
        try put("moon")
        let output = try home.run("img-cache", ["cat", "--key", "moon"], stdout: .terminal).expect(64)
        let words =
            "refusing to write a picture to a terminal; redirect it to a file or a pipe, as with > m31.jpg"
        #expect(output.stdout.isEmpty && output.errorLines == ["img-cache: \(words)"])
    }

    @Test func longAddressesShowBothEndsInTheTable() throws {
        let key = "https://example.org/" + String(repeating: "folder/", count: 20) + "moon"
        try home.write("moon.png", DrawnPicture.noise(20, 10, seed: 1).png())
        try home.run("img-cache", ["put", "moon.png", "--key", key]).expect(0)
        let table = try home.run("img-cache", ["ls"], stdout: .terminal).expect(0).stdout
        #expect(table.contains("key:https://") && table.contains("…") && table.contains("/moon"))
    }

    @Test func infoAndRemovalAreDescribedOnATerminal() throws {
        try put("moon")
        try put("mars")
        func words(_ arguments: String...) throws -> String {
            try home.run("img-cache", arguments, stdout: .terminal).expect(0).stdout
        }
        #expect(try words("info", "--key", "moon").contains("image/png, 20 x 10 pixels"))
        try home.run("img-cache", ["pin", "--key", "moon"]).expect(0)
        #expect(try words("rm", "--size", "+1B").contains("1 pinned and kept"))
        _ = try words("clean")
        #expect(try words("clean") == "there is nothing to remove\r\n")
    }

    @Test func cleanDescribesRecoveredEntriesOnATerminal() throws {
        try put("moon")
        try home.shell("rm \"$APOD_TOOLS_CACHE_DIR\"/index.sqlite*").expect(0)
        for (options, words) in [(["--dry-run"], "1 to recover, "), ([], "1 recovered, ")] {
            let output = try home.run("img-cache", ["clean"] + options, stdout: .terminal).expect(0)
            #expect(output.stdout.hasPrefix("rebuild   \(words)"), "\(output)")
        }
    }

    @Test func changesOfScopesAreDescribedOnATerminal() throws {
        func words(_ arguments: String...) throws -> String {
            try home.run("img-cache", ["scope"] + arguments, stdout: .terminal).expect(0).stdout
        }
        #expect(try words("switch", "alice") == "switched from default to alice; default is kept\r\n")
        #expect(try words("switch", "alice") == "alice is already the current scope\r\n")
        try put("moon")
        let bytes = try home.run("img-cache", ["ls", "--print", "cache.bytes"]).expect(0).lines[0]
        let moved = "switched from alice to bob; removed 1 entry, \(bytes) B of alice\r\n"
        #expect(try words("switch", "bob", "--purge") == moved)
        try put("moon")
        let planned = try words("purge", "bob", "--dry-run")
        let done = try words("purge", "bob")
        #expect(planned.hasPrefix("would remove 1 entry, \(bytes) B of bob, "), "\(planned)")
        #expect(done == "removed" + planned.dropFirst("would remove".count))
    }

    @Test func purgeCountsTheRecordsOfMetadata() throws {
        let home = try Sample.home()
        try home.run("apod-fetch", ["--date", "2024-02-01..2024-02-03"]).expect(0)
        let words = try home.run("img-cache", ["scope", "purge", "--all-scopes"], stdout: .terminal).expect(0).stdout
        #expect(words.hasPrefix("removed 0 entries, 0 B of 1 scope, "), "\(words)")
        #expect(words.hasSuffix(", 3 records of metadata\r\n"), "\(words)")
    }
}
