import CSQLite
import Records
import Support
import TestSupport
import Testing

/// Each exit code, with its message and its record. 70 has no test: a fault of the tool itself cannot be asked for.
struct ExitCodeTests {
    @Test func zeroWhenEveryRecordIsDone() throws {
        let output = try Sample.home().run("img-cache", ["put", Sample.url("exit-0.jpg")]).expect(0)
        #expect(output.stderr == "")
        #expect(try output.record.has("path"))
    }

    @Test func oneWhereNothingIsInTheCache() throws {
        let home = try Sample.home()
        let url = try Sample.url("exit-1.jpg")
        let record = try home.run("img-cache", ["get", url]).expectFailure(1, code: "not-cached", tool: "img-cache")
        #expect(record.string("url") == url)
        for command in ["path", "cat", "rm"] {
            try home.run("img-cache", [command, url]).expectRefusal(1, "img-cache", "not in the cache", url)
        }
        #expect(try home.run("img-cache", ["has", url]).expect(1).stderr == "")
        try home.run("img-cache", ["get", "nowhere.jpg"]).expectFailure(1, code: "not-cached", tool: "img-cache")
        #expect(try Sample.requests(url) == 0)
    }

    @Test func sixtyFourForACommandLineThatCannotBe() throws {
        let home = try Sample.home()
        try home.run("img-cache", ["put", "--jbos", "3", "x"]).expectRefusal(
            64, "img-cache", "--jbos", "--jobs", "img-cache put --help")
        try home.run("img-cache", ["gett", "x"]).expectRefusal(64, "img-cache", "\"gett\"", "did you mean get?")
        try home.run("img-cache", ["get", "--scope", "", "x"]).expectRefusal(64, "img-cache", "--scope", "empty")
        try home.run("img-cache", ["get", "--key", "", "x"]).expectRefusal(64, "img-cache", "--key", "empty")
        try home.run("img-cache", ["put", "--jobs", "many", "x"]).expectRefusal(64, "img-cache", "--jobs", "\"many\"")
        try home.run("apod-fetch", ["--date", "2024-02-30"]).expectRefusal(64, "apod-fetch", "2024-02-30", "calendar")
        try home.run("apod-fetch", ["--service", "sience"]).expectRefusal(64, "apod-fetch", "sience", "science")
        try home.run("img-downsample", ["--variant", "pagr"]).expectRefusal(64, "img-downsample", "pagr", "pager")
        try home.run("gif-cache", ["put", "--resolution", "200"]).expectRefusal(64, "gif-cache", "200", "180")
    }

    @Test func sixtyFiveForAFieldThatIsNotThereToPrint() throws {
        let home = try Sample.home()
        let urls = try ["exit-65-a.jpg", "exit-65-b.jpg"].map { try Sample.url($0) }
        try home.run("img-cache", ["put", "-j1", "--print", "cache.sise"] + urls)
            .expectRefusal(65, "img-cache", "no cache.sise to print in 2 records")
    }

    @Test func sixtyFiveForWhatIsNoRecord() throws {
        let output = try Sample.home().run("img-cache", ["get"], stdin: "{\"key\":1\nnonsense\n")
        let record = try output.expectFailure(65, code: "not-json", tool: "img-cache")
        #expect(record.integer("input_line") == 1)
    }

    @Test func sixtyFiveForARecordThatNamesWhatCannotBe() throws {
        let home = try Sample.home()
        let line = #"{"id":"a\u0001b","url":"http://127.0.0.1:1/x.jpg"}"#
        try home.run("img-cache", ["put", "--key-field", "id"], stdin: .lines([line]))
            .expectFailure(65, code: "bad-key", tool: "img-cache")
        let picture = try home.write("x.png", DrawnPicture.noise(4, 4, seed: 1).png())
        let scoped = #"{"path":"\#(picture)","cache":{"scope":""}}"#
        try home.run("img-downsample", ["--variant", "pager", "--allow-path", "."], stdin: .lines([scoped]))
            .expectFailure(65, code: "bad-scope", tool: "img-downsample")
    }

    @Test func sixtyFiveForWhatIsNoPicture() throws {
        let home = try Sample.home()
        let page = try Sample.url("exit-65.jpg", faults: ["html"])
        try home.run("img-cache", ["put", page]).expectFailure(65, code: "not-an-image", tool: "img-cache")
        let file = try home.write("page.jpg", "<!doctype html><title>Not here</title>")
        let record = try home.run("img-downsample", [file, "--variant", "pager"])
            .expectFailure(65, code: "not-an-image", tool: "img-downsample")
        #expect(record.string("error.message")?.contains(file) == true)
        #expect(home.blobs.isEmpty)
    }

    @Test func sixtySixForAFileThatCannotBeOpened() throws {
        let home = try Sample.home()
        for arguments in [["img-cache", "put", "nowhere.jpg"], ["img-downsample", "nowhere.jpg", "--width", "10"]] {
            let output = try home.run(arguments[0], Array(arguments[1...])).expect(66)
            #expect(try output.record.integer("error.exit") == 66)
            #expect(output.errorLines.first?.hasPrefix("\(arguments[0]): cannot open ") == true, "\(output)")
            #expect(output.stderr.contains("nowhere.jpg"))
        }
        try home.run("img-downsample", ["nowhere.jpg", "-o", "x.jpg"]).expectRefusal(
            66, "img-downsample", "nowhere.jpg")
    }

    @Test func sixtyNineForWhatIsGoneForGood() throws {
        let home = try Sample.home()
        for (status, code) in [(404, "not-found"), (410, "gone"), (418, "http-418")] {
            let url = try Sample.url("exit-69.jpg", faults: ["status-\(status)"])
            try home.run("img-cache", ["put", url]).expectFailure(69, code: code, tool: "img-cache")
            #expect(try Sample.requests(url) == 1, "what is gone is not asked for again")
        }
    }

    @Test func seventyThreeWhereAnOutputCannotBeMade() throws {
        let home = try Sample.home()
        let file = try home.write("a.png", DrawnPicture.gradient(8, 8).png())
        try home.run("img-downsample", [file, "-o", "no/such/folder/b.png"]).expectRefusal(
            73, "img-downsample", "no/such/folder")
        try home.write("taken", "a file where a folder should be")
        try home.run("img-downsample", [file, "--width", "4", "--output-dir", "taken"]).expectRefusal(
            73, "img-downsample", "taken")
        try home.run("img-cache", ["stats", "--cache-dir", "taken/cache"]).expectRefusal(73, "img-cache", "taken/cache")
    }

    @Test(.enabled(if: TestFile.exists("/dev/full")))
    func seventyFourWhereTheDiskIsFull() throws {
        let home = try Sample.home()
        let file = try home.write("a.png", DrawnPicture.gradient(8, 8).png())
        let url = try Sample.url("exit-74.jpg")
        let runs: [(String, [String], ToolInput)] = [
            ("img-cache", ["put", url], .empty), ("img-cache", ["cat", url], .empty),
            ("img-cache", ["stats"], .empty), ("img-cache", ["ls"], .empty),
            ("img-downsample", [file, "--width", "4"], .empty),
            ("img-downsample", [file, "--width", "4", "--format", "png", "-o", "-"], .empty),
            ("apod-fetch", ["--date", "2024-02-01"], .empty),
            ("gif-cache", ["get", "0001"], .empty),
        ]
        for (tool, arguments, input) in runs {
            let output = try home.run(tool, arguments, stdin: input, stdout: .file("/dev/full")).expect(74)
            #expect(output.errorLines.last?.hasPrefix("\(tool): ") == true, "\(output)")
            #expect(output.stderr.contains("standard output"), "\(output)")
        }
    }

    /// `ulimit -f` counts blocks of 512 or 1024 bytes; the shell sets it for the tool alone.
    @Test func seventyFourWhereAFileMayNotGrow() throws {
        let home = try Sample.home()
        // The index exists already, so that only the picture is over the limit.
        _ = try home.run("img-cache", ["stats"]).expect(0)
        let file = try home.write("large.png", DrawnPicture.noise(500, 400, seed: 5).png(.stored))
        for command in ["img-downsample \(file) -o out.png", "img-downsample \(file) --width 490 --output-dir out"] {
            let output = try home.shell("ulimit -f 100; \(command)").expect(74)
            #expect(output.errorLines.count == 1 && output.stderr.hasPrefix("img-downsample: "), "\(output)")
        }
        let output = try home.shell("ulimit -f 200; img-cache put \(file)").expect(74)
        #expect(try output.record.integer("error.exit") == 74, "\(output)")
        #expect(TemporaryFolder.names(in: home.work) == ["large.png", "out"])
        #expect(TemporaryFolder.names(in: home.path("out")) == [])
        #expect(home.blobs == [] && home.leftovers == [])
        _ = try home.run("img-cache", ["put", file]).expect(0)
    }

    @Test func seventyFiveForWhatMayWorkLater() throws {
        let home = try Sample.home()
        for (fault, code) in [
            ("status-503", "server-error"), ("status-500", "server-error"), ("retry-after-3600", "rate-limited"),
            ("close", "bad-answer"), ("cut-half", "cut-short"),
        ] {
            let url = try Sample.url("exit-75.jpg", faults: [fault])
            let output = try home.run("img-cache", ["put", "--retries", "0", url]).expect(75)
            let record = try output.record
            #expect(record.bool("error.transient") == true, "\(output)")
            if fault != "close" { #expect(record.string("error.code") == code, "\(output)") }
        }
        // A port on which nobody listens any more.
        let gone = try LoopbackServer { _ in .text("") }
        let url = "\(gone.address)/x.jpg"
        gone.stop()
        try home.run("img-cache", ["put", "--retries", "0", url])
            .expectFailure(75, code: "connection-failed", tool: "img-cache")
        #expect(home.blobs.isEmpty && home.leftovers.allSatisfy { !$0.hasSuffix(".jpg") })
    }

    @Test func seventyFiveForATimeout() throws {
        let home = try Sample.home()
        let url = try Sample.url("exit-timeout.jpg", faults: ["stall"])
        try home.run("img-cache", ["put", "--timeout", "200ms", "--retries", "0", url])
            .expectFailure(75, code: "timed-out", tool: "img-cache")
    }

    @Test func seventySevenForWhatIsNotAllowed() throws {
        let home = try Sample.home()
        for (status, code) in [(401, "unauthorized"), (403, "forbidden")] {
            let url = try Sample.url("exit-77.jpg", faults: ["status-\(status)"])
            try home.run("img-cache", ["put", url]).expectFailure(77, code: code, tool: "img-cache")
        }
        let large = try Sample.url("exit-77-large.jpg")
        try home.run("img-cache", ["put", "--max-bytes", "1000", large])
            .expectFailure(77, code: "too-large", tool: "img-cache")
    }

    @Test func seventyEightForAWrongConfiguration() throws {
        let home = try Sample.home()
        let broken = try home.write("broken.json", "{\"jobs\":")
        let unknown = try home.write("unknown.json", "{\"capasity\":\"1GB\"}")
        let value = try home.write("value.json", "{\"capacity\":\"plenty\"}")
        for tool in [
            ["apod-fetch"], ["img-cache", "stats"], ["img-downsample", "--width", "5"], ["gif-cache", "get", "1"],
        ] {
            let (name, rest) = (tool[0], Array(tool[1...]))
            try home.run(name, rest + ["--config", broken]).expectRefusal(78, name, "broken.json")
            try home.run(name, rest + ["--config", unknown]).expectRefusal(78, name, "capasity", "capacity")
            try home.run(name, rest, environment: ["APOD_TOOLS_CONFIG": "nowhere.json"])
                .expectRefusal(78, name, "nowhere.json")
        }
        try home.run("img-cache", ["stats", "--config", value]).expectRefusal(78, "img-cache", "capacity", "plenty")
        try home.run("img-cache", ["put", "x"], environment: ["APOD_TOOLS_ALLOW_PRIVATE": "most"])
            .expectRefusal(78, "img-cache", "APOD_TOOLS_ALLOW_PRIVATE", "most")
        try home.run("apod-fetch", environment: ["APOD_SCIENCE_URL": "not an address"])
            .expectRefusal(78, "apod-fetch", "APOD_SCIENCE_URL")
        try home.run("img-cache", ["get", "x"], environment: ["APOD_TOOLS_SCOPE": "a\u{1}b"])
            .expectRefusal(78, "img-cache", "APOD_TOOLS_SCOPE", "control characters")
    }

    @Test func seventyEightForACacheOfALaterLayout() throws {
        let home = try Sample.home()
        _ = try home.run("img-cache", ["scope", "switch", "alice"]).expect(0)
        var index: OpaquePointer?
        #expect(sqlite3_open("\(home.cacheRoot)/index.sqlite", &index) == SQLITE_OK)
        #expect(sqlite3_exec(index, "PRAGMA user_version = 9999", nil, nil, nil) == SQLITE_OK)
        sqlite3_close(index)
        let file = try home.write("a.png", DrawnPicture.gradient(8, 8).png())
        let url = try Sample.url("exit-78.jpg")
        for arguments in [["img-cache", "stats"], ["img-cache", "ls"], ["img-cache", "path", url]] {
            try home.run(arguments[0], Array(arguments[1...])).expectRefusal(78, arguments[0], "9999", home.cacheRoot)
        }
        for arguments in [
            ["img-cache", "put", url], ["img-downsample", file, "--width", "4"], ["gif-cache", "put", "0001"],
        ] {
            let output = try home.run(arguments[0], Array(arguments[1...])).expect(78)
            #expect(output.errorLines.first?.hasPrefix("\(arguments[0]): ") == true, "\(output)")
            #expect(output.stderr.contains("newer"), "\(output)")
        }
        #expect(try Sample.requests(url) == 0)
    }

    @Test func theFirstFailureThatWillNotPassDecides() throws {
        let home = try Sample.home()
        let (busy, gone, secret) = (
            try Sample.url("exit-mix.jpg", faults: ["status-503"]),
            try Sample.url("exit-mix.jpg", faults: ["status-404"]),
            try Sample.url("exit-mix.jpg", faults: ["status-403"])
        )
        let options = ["put", "--retries", "0", "--jobs", "1"]
        #expect(try home.run("img-cache", options + [busy, gone, secret]).status == 69)
        #expect(try home.run("img-cache", options + [busy, secret, gone]).status == 77)
        #expect(try home.run("img-cache", options + [busy, busy]).status == 75)
    }
}
