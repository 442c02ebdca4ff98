import Store
import Fetch
import Tools
import Formats
import Records
import Support
import TestSupport
import Testing

/// `gif-cache` without the network: what is there is found, told, listed and removed. GIFs are put in place by
/// `img-cache put --key`, so that no service is asked.
struct GifCacheLookupTests {
    private let home: ToolHome

    init() throws { home = try ToolHome() }

    /// An animation of two frames of noise, which differs with the seed.
    private static func gif(_ side: Int, seed: UInt64) -> [UInt8] {
        DrawnAnimation([.noise(side, side, seed: seed), .noise(side, side, seed: seed + 1)], delay: 7).gif()
    }

    /// Keeps a GIF of an exercise; gives its path.
    @discardableResult
    private func keep(_ id: String, _ resolution: Int = 180, side: Int = 8, seed: UInt64 = 1) throws -> String {
        try home.keep(Self.gif(side, seed: seed), as: "exercisedb:\(id)@\(resolution)")
    }

    private func tool(_ arguments: String...) throws -> ToolOutput { try home.run("gif-cache", arguments) }

    @Test func theFourWaysOfLookingAgree() throws {
        let path = try keep("0001")
        let record = try tool("get", "0001").expect(0).record
        #expect(record.names == ["id", "path", "cache", "gif"])
        #expect(record.string("path") == path && record.string("cache.status") == "hit")
        #expect(record.integer("gif.resolution") == 180 && record.integer("gif.frames") == 2)
        #expect(record.integer("gif.duration_ms") == 140 && record.bool("gif.placeholder") == false)
        #expect(try tool("path", "0001").expect(0).stdout == path + "\n")
        #expect(try tool("path", "-0", "0001").expect(0).stdout == path + "\0")
        #expect(try tool("cat", "0001").expect(0).stdoutBytes == TestFile.bytes(path))
        #expect(try tool("has", "0001").expect(0).stdoutBytes.isEmpty)
        #expect(try tool("has", "0001", "0002").expect(1).stdoutBytes.isEmpty)
    }

    @Test(arguments: ["get", "path", "cat", "has", "info", "poster", "pin"])
    func whatIsNotThereIsStatusOne(_ command: String) throws {
        #expect(try tool(command, "0404").status == 1)
    }

    @Test(arguments: ["path", "cat", "rm"])
    func theOthersAreDoneThoughOneFails(_ command: String) throws {
        let path = try keep("0001")
        let output = try tool(command, "../etc", "0404", "0001")
        #expect(output.status == 65 && output.errorLines.count == 2, "\(output)")
        #expect(!output.stdoutBytes.isEmpty && TestFile.exists(path) == (command != "rm"))
    }

    @Test func theNearestResolutionIsTakenUnlessOneIsNamed() throws {
        let large = try keep("0001", 1080, side: 12)
        let medium = try keep("0001", 360, side: 10)
        #expect(try tool("path", "0001").expect(0).lines == [medium])
        #expect(try tool("get", "0001", "--resolution", "720").status == 1)
        #expect(try tool("has", "0001", "--resolution", "1080").status == 0)
        let config = try home.write("config.json", #"{"resolution": 720}"#)
        #expect(try tool("path", "0001", "--config", config).expect(0).lines == [large])
        try tool("get", "0001", "--resolution", "90").expectRefusal(64, "gif-cache", "--resolution", "180")
    }

    @Test func aLineThatArgumentParserReadsIsDoneInTheSameWay() throws {
        let path = try keep("0001")
        for arguments in [
            ["get", "0001", "--print", "path"], ["get", "--print=path", "0001"], ["path", "-q", "0001"],
        ] {
            #expect(try home.run("gif-cache", arguments).expect(0).lines == [path])
        }
    }

    @Test func bytesAreNotWrittenToATerminal() throws {
        try keep("0001")
        for arguments in [["cat", "0001"], ["poster", "0001", "-o", "-"]] {
            let output = try home.run("gif-cache", arguments, stdout: .terminal).expect(64)
            #expect(output.stdoutBytes.isEmpty && output.stderr.contains("terminal"))
        }
    }

    @Test func listingTellsOfGIFsAlone() throws {
        try keep("0001")
        try keep("0002", 360, side: 40, seed: 5)
        let other = try home.write("other.gif", Self.gif(9, seed: 9))
        try home.run("img-cache", ["put", other]).expect(0)
        let records = try tool("ls").expect(0).records
        #expect(Set(records.compactMap { $0.string("id") }) == ["0001", "0002"] && records.count == 2)
        #expect(records.allSatisfy { $0.integer("gif.frames") == 2 && $0.has("path") && $0.has("cache") })
        #expect(try tool("ls", "--resolution", "360", "--print", "id").expect(0).lines == ["0002"])
        #expect(try tool("ls", "--larger-than", "1KB", "--print", "id").expect(0).lines == ["0002"])
        #expect(try tool("ls", "--older-than", "1d").expect(0).stdoutBytes.isEmpty)
        try tool("ls", "--resolution", "90").expectRefusal(64, "gif-cache", "--resolution")
        try tool("ls", "--older-than", "soon").expectRefusal(64, "gif-cache", "--older-than")
        // A terminal ends its lines by CR and LF.
        let table = try home.run("gif-cache", ["ls"], stdout: .terminal).expect(0).stdout.split { $0.isNewline }
        #expect(table.count == 3 && table[0].hasPrefix("ID"))
        let row = try #require(table.first { $0.hasPrefix("0002") }).split(separator: " ")
        #expect(row[1] == "360" && row.contains("2") && row.last == "hit")
    }

    @Test func sizeCountsGIFsAndWhatWasMadeOfThemApart() throws {
        let bytes = try [keep("0001"), keep("0002", seed: 5)].reduce(0) { try $0 + TestFile.bytes($1).count }
        let empty = try home.run("gif-cache", ["size", "--json", "--scope", "other"]).expect(0).record
        #expect(empty.integer("gifs") == 0 && empty.integer("bytes") == 0)
        try tool("poster", "0001").expect(0)
        let record = try tool("size").expect(0).record
        #expect(record.integer("gifs") == 2 && record.integer("bytes") == bytes)
        #expect(record.string("size")?.hasSuffix("B") == true && record.integer("variants") == 1)
        let words = try home.run("gif-cache", ["size"], stdout: .terminal).expect(0).stdout
        #expect(words.hasPrefix("2 GIFs, ") && words.contains("1 variant"))
    }

    @Test func pinsHoldAgainstConditionsAndNotAgainstNames() throws {
        let path = try keep("0001")
        try keep("0002", seed: 5)
        #expect(try tool("pin", "0001").expect(0).record.bool("gif.pinned") == true)
        #expect(try tool("ls", "--pinned", "--print", "id").expect(0).lines == ["0001"])
        let report = try tool("rm", "--smaller-than", "1GB").expect(0).record
        #expect(report.integer("removed") == 1 && report.integer("pinned") == 1 && TestFile.exists(path))
        #expect(try tool("unpin", "0001").expect(0).record.has("gif.pinned") == false)
        try tool("pin", "0001").expect(0)
        #expect(try tool("rm", "0001").expect(0).record.integer("removed") == 1)
        #expect(!TestFile.exists(path))
    }

    @Test func removingTakesAllResolutionsAndWhatWasMadeOfThem() throws {
        let paths = try [180, 360, 720].map { try keep("0001", $0, side: 4 + $0 / 60) }
        let poster = try tool("poster", "0001", "--print", "poster.path").expect(0).lines[0]
        #expect(try tool("rm", "0001", "--resolution", "360", "--dry-run").expect(0).record.integer("removed") == 1)
        #expect(try tool("rm", "0001", "--resolution", "360").expect(0).record.integer("removed") == 1)
        #expect(paths.map(TestFile.exists) == [true, false, true])
        let record = try tool("rm", "0001").expect(0).record
        #expect(record.integer("removed") == 3)
        #expect(home.blobs.isEmpty && !TestFile.exists(poster))
        #expect(try tool("rm", "0001").status == 1)
        try tool("rm", "0001", "--expired").expectRefusal(64, "gif-cache", "not both")
    }

    @Test func clearingLeavesWhatOtherToolsHaveKept() throws {
        let mine = try keep("0001")
        try tool("pin", "0001").expect(0)
        let other = try home.write("other.gif", Self.gif(9, seed: 9))
        let kept = try home.run("img-cache", ["put", other, "--print", "path"]).expect(0).lines[0]
        let elsewhere = try home.keep(Self.gif(9, seed: 9), as: "exercisedb:0001@180", scope: "alice")
        let planned = try tool("clear", "--dry-run").expect(0).record
        #expect(planned.integer("removed") == 1 && planned.bool("dry_run") == true && TestFile.exists(mine))
        let done = try tool("clear").expect(0).record
        #expect(done.integer("bytes") == planned.integer("bytes") && !done.has("dry_run"))
        #expect(!TestFile.exists(mine) && TestFile.exists(kept) && TestFile.exists(elsewhere))
        #expect(try home.run("gif-cache", ["clear"], stdout: .terminal).expect(0).stdout.hasPrefix("0 files removed"))
    }

    @Test func scopesAreKeptApart() throws {
        try keep("0001")
        #expect(try tool("get", "0001", "--scope", "alice").status == 1)
        #expect(try tool("ls", "--scope", "alice").expect(0).stdoutBytes.isEmpty)
    }

    /// Policies change, and what was kept under another one is still there.
    @Test(.enabled(if: TemporaryFolder.memory != nil)) func gifsInMemoryAreListedAndClearedToo() throws {
        let memory = try TemporaryFolder(in: TemporaryFolder.memory)
        let home = try ToolHome(environment: ["XDG_RUNTIME_DIR": memory.path])
        for (id, policy) in [("0001", Policy.enabled), ("0002", .memory)] {
            try home.keep(Self.gif(8, seed: 1), as: "exercisedb:\(id)@180", policy: policy)
        }
        #expect(try Set(home.run("gif-cache", ["ls", "--print", "id"]).expect(0).lines) == ["0001", "0002"])
        #expect(try home.run("gif-cache", ["size", "--json"]).expect(0).record.integer("gifs") == 2)
        #expect(try home.run("gif-cache", ["get", "0002"]).status == 1)
        try home.run("gif-cache", ["get", "0002", "--policy", "memory"]).expect(0)
        try home.run("gif-cache", ["rm", "0002"]).expect(0)
        #expect(try home.run("gif-cache", ["clear"]).expect(0).record.integer("removed") == 1)
        #expect(try home.run("gif-cache", ["ls"]).expect(0).stdoutBytes.isEmpty)
    }
}
