import Libc
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
        let words = "refusing to write a picture to a terminal; redirect it to a file or a pipe, as with > picture.jpg"
        #expect(output.stdout.isEmpty && output.errorLines == ["img-cache: \(words)"])
    }

    @Test func missingGIFsAreCountedOnATerminal() throws {
        let service = try SampleServer(["--exercises", "20"])
        let home = try ToolHome(environment: service.environment)
        let output = try home.run("gif-cache", ["mirror", "--dry-run"], stdout: .terminal).expect(0)
        #expect(output.stdout == "20 of 20 GIFs would be fetched\r\n")
    }

    @Test func metadataOfAScopeIsCountedOnATerminal() throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        try home.run("apod-fetch", ["--date", "2024-02-03"]).expect(0)
        let purge = ["scope", "purge", "default", "--dry-run"]
        let output = try home.run("img-cache", purge, stdout: .terminal).expect(0)
        #expect(output.stdout == "would remove 0 entries, 0 B of default, 0 counters, 1 record of metadata\r\n")
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

    @Test func reportsAreSentencesOnATerminal() throws {
        try put("moon")
        try home.folder.makeFolder("remote")
        let (remote, other) = ("file://\(home.folder.path("remote"))", home.folder.path("other"))
        let pull = ["pull", "--remote", remote, "--cache-dir"]
        let rows: [([String], String)] = [
            (["scope", "switch", "bob", "--new"], "switched from default to bob; default is kept"),
            (["scope", "switch", "bob"], "bob is already the current scope"),
            (["scope", "switch", "default", "--purge"], "switched from bob to default; removed 0 entries, 0 B of bob"),
            (["push", "--remote", remote], "pushed 1 item, 695 B; 0 already there"),
            (["push", "--remote", remote], "pushed 0 items, 0 B; 1 already there"),
            (pull + [other], "pulled 1 item, 695 B; 0 already there"),
            (pull + [other], "pulled 0 items, 0 B; 1 already there"),
            (["scope", "purge", "default", "--dry-run"], "would remove 1 entry, 695 B of default, 3 counters"),
            (["scope", "purge", "default"], "removed 1 entry, 695 B of default, 3 counters"),
        ]
        for (arguments, expected) in rows {
            let output = try home.run("img-cache", arguments, stdout: .terminal).expect(0)
            #expect(output.stdout == expected + "\r\n", "\(arguments)")
        }
        try home.shell("grep -L '\"kind\":\"list\"' remote/ac/* | xargs rm").expect(0)
        let pulled = try home.run("img-cache", pull + [home.folder.path("third")], stdout: .terminal).expect(0)
        #expect(pulled.stdout == "pulled 0 items, 0 B; 0 already there, 1 listed but missing\r\n")
        unlink("\(other)/index.sqlite")
        let output = try home.run("img-cache", ["clean", "--dry-run", "--cache-dir", other], stdout: .terminal)
        #expect(output.stdout.hasPrefix("rebuild   1 to recover, 695 B, "), "\(output)")
    }
}
