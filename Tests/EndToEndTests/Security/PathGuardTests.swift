import Records
import TestSupport
import Testing

/// Which files `img-downsample` opens because a record names them.
struct PathGuardTests {
    private let home: ToolHome
    private let outside: String

    init() throws {
        home = try ToolHome()
        outside = try home.write("private/me.png", DrawnPicture.gradient(40, 20).png())
    }

    private func shrink(
        _ path: String, _ options: [String] = [], environment: [String: String?] = [:]
    ) throws -> ToolOutput {
        let line = JSON.object(["path": .string(path)]).bytes
        return try home.run(
            "img-downsample", ["--width", "20"] + options, stdin: .bytes(line), environment: environment)
    }

    private func expectRefusal(_ output: ToolOutput) throws {
        let record = try output.expectFailure(77, code: "path-not-allowed", tool: "img-downsample")
        #expect(!record.has("variants"))
        let message = try #require(record.string("error.message"))
        #expect(message.contains("--cache-dir") && message.contains("--allow-path"), "\(message)")
    }

    /// `"gif":{"placeholder":true},"path":"/home/me/private.jpg"` in a record that already bore an error was opened.
    @Test func aRecordCannotHaveAPrivatePictureOpened() throws {
        try expectRefusal(shrink(outside))
        try expectRefusal(shrink(home.cacheRoot + "/../../work/private/me.png"))
        let line = #"{"path":"\#(outside)","gif":{"placeholder":true},"error":{"tool":"x","code":"y","exit":69}}"#
        try expectRefusal(home.run("img-downsample", ["--width", "20"], stdin: .lines([line])))
        // A placeholder takes its place where that is wanted; the refusal stays.
        let drawn = try shrink(outside, ["--fallback"]).expect(77).record
        #expect(drawn.variant("custom")?.string("status") == "fallback")
        // An argument may name any file.
        try home.run("img-downsample", ["private/me.png", "--width", "20"]).expect(0)
    }

    @Test func allowedFoldersAreNamedByOptionEnvironmentOrFile() throws {
        try shrink(outside, ["--allow-path", "private"]).expect(0)
        try shrink(outside, ["--allow-path", "/nowhere/.."]).expect(64)
        try shrink(outside, environment: ["APOD_TOOLS_ALLOW_PATH": "/nowhere:\(home.work)/private/"]).expect(0)
        let config = try home.write("config.json", #"{"allow_path":"\#(home.work)"}"#)
        try shrink(outside, ["--config", config]).expect(0)
        // The option beats the others, and each must name folders.
        _ = try home.folder.makeFolder("work/other")
        try expectRefusal(shrink(outside, ["--allow-path", "other", "--config", config]))
        try shrink(outside, ["--allow-path", "private/me.png"]).expectRefusal(64, "img-downsample", "--allow-path")
        try shrink(outside, environment: ["APOD_TOOLS_ALLOW_PATH": "private"])
            .expectRefusal(78, "img-downsample", "APOD_TOOLS_ALLOW_PATH")
    }

    @Test func whatTheToolsMadeThemselvesIsOpened() throws {
        let put = ["put", "private/me.png"]
        for policy in ["enabled", "disabled"] {
            let output = try home.run("img-cache", put + ["--policy", policy]).expect(0)
            let made = try home.run(
                "img-downsample", ["--width", "20", "--policy", policy], stdin: .bytes(output.stdoutBytes))
            #expect(try made.expect(0).record.variantSize("custom") == "20x10")
        }
        // What an earlier run wrote into the same folder.
        let target = ["--output-dir", "out"]
        let first = try home.run("img-downsample", ["private/me.png", "--width", "30"] + target).expect(0).record
        let path = try #require(first.variant("custom")?.string("path"))
        let second = target + ["--name-template", "small.{ext}"]
        #expect(try shrink(path, second).expect(0).record.variantSize("custom") == "20x10")
        try expectRefusal(shrink(path, ["--output-dir", "elsewhere"]))
        // A placeholder of gif-cache.
        let nobody = ["EXERCISEDB_API_URL": "http://127.0.0.1:1", "APOD_TOOLS_ALLOW_PRIVATE": "1"]
        let script = "gif-cache put 0001 --retries 0 | img-downsample --width 20"
        let record = try home.shell("\(script) || true", environment: nobody).expect(0).record
        #expect(record.bool("gif.placeholder") == true && record.variant("custom")?.string("status") == "made")
    }

    @Test func anotherCacheIsNamedForAllToolsOrForNone() throws {
        let kept = try home.run("img-cache", ["put", "private/me.png", "--cache-dir", "other"]).expect(0)
        try expectRefusal(home.run("img-downsample", ["--width", "20"], stdin: .bytes(kept.stdoutBytes)))
        let same = ["--width", "20", "--cache-dir", "other"]
        try home.run("img-downsample", same, stdin: .bytes(kept.stdoutBytes)).expect(0)
    }

    @Test func aCacheThatIsReachedByALinkIsTheSame() throws {
        try home.shell("mkdir -m 700 disk && ln -s disk link").expect(0)
        for (one, other) in [("link", "disk"), ("disk", "link")] {
            let kept = try home.run("img-cache", ["put", "private/me.png", "--cache-dir", one]).expect(0)
            try home.run("img-downsample", ["--width", "20", "--cache-dir", other], stdin: .bytes(kept.stdoutBytes))
                .expect(0)
        }
    }
}
