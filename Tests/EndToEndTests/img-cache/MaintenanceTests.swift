import Libc
import Records
import Support
import TestSupport
import Testing

/// `img-cache info`, `pin`, `unpin`, `clean` and `verify`, and the filters of `ls` and `rm`, from the outside.
@Suite struct MaintenanceTests {
    private let home: ToolHome
    init() throws { home = try ToolHome() }

    /// Puts a drawn picture under a key, and gives its path.
    @discardableResult
    private func put(_ key: String, seed: UInt64 = 1, _ options: String...) throws -> String {
        try home.write("\(key).png", DrawnPicture.noise(20, 10, seed: seed).png())
        let record = try home.run("img-cache", ["put", "\(key).png", "--key", key] + options).expect(0).record
        return try #require(record.string("path"))
    }

    private func tool(_ arguments: String..., status: Int32 = 0) throws -> [Record] {
        try home.run("img-cache", arguments).expect(status).records
    }

    @Test func listingIsATableForPeopleAndRecordsForPrograms() throws {
        try put("moon")
        try put("mars\u{202E}")
        #expect(try tool("ls").count == 2)
        #expect(try tool("ls", "--match", "mo?n").first?.string("cache.key") == "key:moon")
        #expect(try tool("ls", "--older-than", "1h").isEmpty)
        #expect(try tool("ls", "--scope", "bob").isEmpty)
        #expect(try tool("ls", "--scope", "bob", "--all-scopes").count == 2)
        let table = try home.run("img-cache", ["ls"], stdout: .terminal).expect(0).stdout
        #expect(table.contains("ADDRESS") && table.contains("20x10") && table.contains("mars\\u{202e}"))
        let forced = try home.run("img-cache", ["ls", "--json"], stdout: .terminal).expect(0).stdout
        #expect(forced.hasPrefix("{"))
    }

    @Test(arguments: [["ls", "--older-than", "soon"], ["ls", "--kind", "sort"], ["rm", "x.png", "--expired"]])
    func badConditionsAreRefused(_ arguments: [String]) throws {
        try home.run("img-cache", arguments).expectRefusal(64, "img-cache")
    }

    @Test func filtersRemoveAllButThePinned() throws {
        let kept = try put("moon")
        try put("mars")
        #expect(try tool("pin", "--key", "moon").first?.string("path") == kept)
        #expect(try tool("ls", "--pinned").count == 1)

        #expect(try tool("rm", "--larger-than", "1B", "--dry-run").first?.integer("removed") == 1)
        let report = try #require(try tool("rm", "--larger-than", "1B").first)

        #expect(report.integer("removed") == 1 && report.integer("pinned") == 1)
        #expect(TestFile.exists(kept))
        let words = try home.run("img-cache", ["rm", "--larger-than", "1B"], stdout: .terminal).expect(0).stdout
        #expect(words.contains("1 pinned stay"))
        #expect(try tool("rm", "--key", "moon").first?.integer("removed") == 1)
        #expect(!TestFile.exists(kept))
    }

    @Test func pinsAreTakenOffByRecords() throws {
        try put("moon")
        try home.run("img-cache", ["pin", "--key", "moon"]).expect(0)
        let script = "img-cache ls --pinned --json | img-cache unpin --key-field cache.key"
        #expect(try home.shell(script).expect(0).record.string("cache.key") == "key:moon")
        #expect(try tool("ls", "--pinned").isEmpty)
        try home.run("img-cache", ["pin", "--key", "mars"]).expectFailure(1, code: "not-cached", tool: "img-cache")
    }

    @Test func infoTellsAllAndCountsAsNoUse() throws {
        let path = try put("moon")
        let before = try #require(try tool("info", "--key", "moon").first)
        #expect(before.string("info.path") == path && before.string("info.file") == "ok")
        #expect(before.bool("info.pinned") == false && before.integer("info.width") == 20)
        #expect(before.string("info.lease_until") != nil)
        #expect(try tool("info", "--key", "moon").first == before)
        let words = try home.run("img-cache", ["info", "--key", "moon"], stdout: .terminal).expect(0).stdout
        #expect(words.contains("image/png, 20 x 10 pixels"))
        try home.run("img-cache", ["info", "--key", "mars"]).expectFailure(1, code: "not-cached", tool: "img-cache")
        unlink(path)
        #expect(try tool("info", "--key", "moon").first?.string("info.file") == "missing")
    }

    @Test func infoIsAddedToRecords() throws {
        try put("moon")
        try put("mars")
        let script = "img-cache ls --json | img-cache info --key-field cache.key --verify"
        let records = try home.shell(script).expect(0).records
        #expect(records.count == 2)
        for record in records {
            #expect(record.string("info.file") == "ok" && record.string("info.key") == record.string("cache.key"))
        }
        let output = try home.run(
            "img-cache", ["info", "--key-field", "id", "--print", "info.bytes"],
            stdin: .bytes(Array(#"{"id":"moon","url":"http://h/a"}{"id":"venus","url":"http://h/b"}"#.utf8)))
        #expect(try output.expect(1).stdout.split(separator: "\n").count == 1)
        #expect(output.errorLines == ["img-cache: not in the cache: key:venus"])
    }

    @Test(arguments: ["get", "has", "path", "cat", "info"]) func keyAloneNamesAPicture(command: String) throws {
        let path = try put("moon")
        let output = try home.run("img-cache", [command, "--key", "moon"]).expect(0)
        switch command {
        case "has": #expect(output.stdoutBytes.isEmpty)
        case "path": #expect(output.stdout == path + "\n")
        case "cat": #expect(try output.stdoutBytes == TestFile.bytes(path))
        default: #expect(output.stdout.contains(path))
        }
        try home.run("img-cache", [command, "--key", "mars"]).expect(1)
    }

    @Test func picturesAreNotWrittenToATerminal() throws {
        try put("moon")
        let output = try home.run("img-cache", ["cat", "--key", "moon"], stdout: .terminal).expect(64)
        #expect(output.stdout.isEmpty && output.errorLines.first?.contains("into a file or a pipe") == true)
    }

    @Test func longAddressesShowBothEndsInTheTable() throws {
        let key = "https://example.org/" + String(repeating: "folder/", count: 20) + "moon"
        try home.write("moon.png", DrawnPicture.noise(20, 10, seed: 1).png())
        try home.run("img-cache", ["put", "moon.png", "--key", key]).expect(0)
        let table = try home.run("img-cache", ["ls"], stdout: .terminal).expect(0).stdout
        #expect(table.contains("key:https://") && table.contains("…") && table.contains("/moon"))
    }

    @Test func damageIsFoundAndRepaired() throws {
        let path = try put("moon")
        try put("mars")
        #expect(try tool("verify").allSatisfy { $0.integer("problems") == 0 })
        try TestFile.bytes(path).withUnsafeBytes { bytes in
            var changed = Array(bytes)
            changed[changed.count / 2] ^= 1
            try File.open(path, O_WRONLY).write(changed)
        }

        for arguments in [["verify"], ["verify", "--repair"]] {
            let problem = try home.run("img-cache", arguments).expect(1).records.first { $0.has("code") }
            #expect(problem?.string("code") == "content-differs" && problem?.string("key") == "key:moon")
            #expect(problem?.bool("repaired") == (arguments.count == 2))
        }
        try home.run("img-cache", ["verify"]).expect(0)
        #expect(try tool("ls").count == 1)
    }

    @Test func lostIndexIsMadeAgain() throws {
        let path = try put("moon")
        for suffix in ["", "-wal", "-shm"] { unlink("\(home.cacheRoot)/index.sqlite\(suffix)") }
        #expect(try home.run("img-cache", ["verify"]).expect(1).stdout.contains("index-lost"))
        #expect(try home.run("img-cache", ["verify", "--repair"]).expect(1).stdout.contains("\"rebuild\",\"count\":1"))
        try home.run("img-cache", ["verify"]).expect(0)
        #expect(try home.run("img-cache", ["path", "--key", "moon"]).expect(0).stdout == path + "\n")
    }

    @Test func cleanSaysWhatWent() throws {
        let path = try put("moon", seed: 1, "--ttl", "0", "--lease", "0")
        let planned = try tool("clean", "--dry-run").first { $0.string("step") == "expired" }
        #expect(planned?.integer("count") == 1 && planned?.bool("dry_run") == true)
        #expect(TestFile.exists(path))
        let done = try tool("clean").first { $0.string("step") == "expired" }
        #expect(done?.integer("count") == 1 && done?.integer("bytes") == planned?.integer("bytes"))
        #expect(!TestFile.exists(path))
        let words = try home.run("img-cache", ["clean"], stdout: .terminal).expect(0).stdout
        #expect(words.contains("nothing to remove"))
    }

    /// Sixty moments, spread over the time that a run takes, in which nothing must be lost.
    @Test func killedRunsLoseNothingAndLeaveNothingPastClean() throws {
        var random = SeededRandom(name: "killed maintenance")
        let kept = try (0..<8).map { try put("kept-\($0)", seed: UInt64($0)) }
        let contents = try kept.map(TestFile.bytes)
        for version in 0..<2 {
            try home.write("changing-\(version).png", DrawnPicture.noise(20, 10, seed: 50 + UInt64(version)).png())
        }
        try home.run("img-cache", ["put", "changing-0.png", "--key", "changing"]).expect(0)
        for round in 0..<60 {
            let maintenance = round % 2 == 0 ? ["clean"] : ["verify", "--repair"]
            let tools = [
                try home.start("img-cache", maintenance, stdin: .empty),
                try home.start(
                    "img-cache", ["put", "changing-\(round % 2).png", "--key", "changing"], stdin: .empty),
            ]
            usleep(UInt32(random.below(40_000)))
            for tool in tools.shuffled(using: &random) { tool.kill(SIGKILL) }
            for tool in tools { _ = tool.wait() }
        }

        try home.run("img-cache", ["verify"]).expect(0)
        try home.run("img-cache", ["clean"]).expect(0)

        try home.run("img-cache", ["verify"]).expect(0)
        for (number, path) in kept.enumerated() {
            #expect(try home.run("img-cache", ["path", "--key", "kept-\(number)"]).expect(0).stdout == path + "\n")
            #expect(try TestFile.bytes(path) == contents[number])
        }
        try home.run("img-cache", ["path", "--key", "changing"]).expect(0)
        #expect(home.leftovers == [])
        #expect(home.blobs.count == kept.count + 1)
        #expect(!home.folder.contents().contains { $0.contains("/locks/") && !$0.hasSuffix("/setup") })
    }
}
