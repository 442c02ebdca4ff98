import Records
import TestSupport
import Testing

/// `gif-cache list`, and the placeholders of `put`.
struct GifCacheListTests {
    @Test func theListIsAskedForOnceWhateverIsWantedOfIt() throws {
        let service = try SampleServer(["--exercises", "700"])
        let home = try ToolHome(environment: service.environment)
        let all = try home.run("gif-cache", ["list"]).expect(0).records
        #expect(all.count == 700 && all[0].string("id") == "0001" && all[699].string("id") == "0700")
        let backs = try home.run("gif-cache", ["list", "--body-part", "BACK,chest", "--equipment", "cable"]).expect(0)
        let wanted = all.filter {
            ["back", "chest"].contains($0.string("bodyPart")) && $0.string("equipment") == "cable"
        }
        #expect(try backs.records == wanted && !wanted.isEmpty)
        let named = try home.run("gif-cache", ["list", "--name", "Curl", "--target", "abs"]).expect(0)
        #expect(
            try named.records
                == all.filter { $0.string("name")?.contains("curl") == true && $0.string("target") == "abs" })
        #expect(try service.requests()["/exercises"] == 2)
        _ = try home.run("gif-cache", ["list", "--refresh"]).expect(0)
        #expect(try service.requests()["/exercises"] == 4)
        service.stop()
        #expect(try home.run("gif-cache", ["list", "--offline"]).expect(0).records.count == 700)
        // An older list will do where the service is away.
        let stale = try home.run("gif-cache", ["list", "--refresh", "--retries", "0", "--print", "id"]).expect(0)
        #expect(stale.lines.count == 700 && stale.stderr.contains("is used"), "\(stale.stderr)")
        _ = try ToolHome(environment: service.environment).run("gif-cache", ["list", "--offline"]).expect(75)
    }

    @Test func somethingElseThanAListIsRefused() throws {
        for (body, status) in [("{\"message\":\"hello\"}", 65), ("[1]", 65), ("<html>", 65)] {
            let server = try LoopbackServer { _ in .json(body) }
            let home = try ToolHome(
                environment: ["EXERCISEDB_API_URL": server.address, "APOD_TOOLS_ALLOW_PRIVATE": "1"])
            try home.run("gif-cache", ["list"]).expectRefusal(Int32(status), "gif-cache", "list of exercises")
        }
    }

    @Test func aRecordWithoutAGIFGoesOnWithAPlaceholder() throws {
        let home = try Sample.home()
        let record = try home.run("gif-cache", ["put", "9999"])
            .expectFailure(69, code: "unknown-exercise", tool: "gif-cache")
        #expect(record.names == ["id", "path", "gif", "error"])
        #expect(record.bool("gif.placeholder") == true && record.integer("gif.frames") == 8)
        let path = try #require(record.string("path"))
        let cards = try home.shell(
            "gif-cache put 9999 0011 | img-downsample --variant rocket-card --poster --format png"
        ).expect(69).records
        #expect(cards.map { $0.string("variants.rocket-card.format") } == ["png", "png"])
        let moving = try home.shell("gif-cache put 9999 | img-downsample --width 90 --format webp").expect(69).record
        #expect(moving.string("path") == path && moving.integer("variants.custom.frames") == 8, "\(moving)")
        // It is no GIF of an exercise.
        #expect(try home.run("gif-cache", ["ls"]).expect(0).records.map { $0.string("id") } == ["0011"])

        let none = try home.run(
            "gif-cache", ["put", "--no-placeholder"], stdin: .lines([String(decoding: record.line, as: UTF8.self)])
        ).expect(0)
        #expect(try none.record == record)
        let again = try home.run("gif-cache", ["put", "--no-placeholder", "9999"]).expect(69).record
        #expect(again.names == ["id", "error"])
    }

    @Test func aPlaceholderMayBeAFileOrAnAddress() throws {
        let home = try Sample.home()
        let gif = try TestFile.bytes(home.run("gif-cache", ["put", "0012", "--print", "path"]).expect(0).lines[0])
        let file = try home.write("soon.gif", gif)
        let own = try home.run("gif-cache", ["put", "9999", "--placeholder", file]).expect(69).record
        #expect(try TestFile.bytes(#require(own.string("path"))) == gif && own.string("path") != file)
        let address = try Sample.service.url("/image?exerciseId=0013&resolution=180")
        let other = try home.run("gif-cache", ["put", "9999", "9998", "--placeholder", address]).expect(69).records
        #expect(other[0].string("path") == other[1].string("path") && other[0].bool("gif.placeholder") == true)
        let page = try home.write("page.gif", "<html>")
        try home.run("gif-cache", ["put", "9999", "--placeholder", page]).expectRefusal(65, "gif-cache", "page.gif")
        try home.run("gif-cache", ["put", "9999", "--placeholder", "none.gif"]).expectRefusal(66, "gif-cache")
    }
}
