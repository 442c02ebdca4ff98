import Records
import TestSupport
import Testing

/// Events of the tools' work in a file that all of them share.
struct MetricsTests {
    private func events(_ home: ToolHome) throws -> [Record] {
        try TestFile.text(home.path("metrics.ndjson")).split(separator: "\n")
            .map { try Record(parsing: Array($0.utf8)) }
    }

    @Test func everyToolTellsItsStepsInOneFile() throws {
        let home = try Sample.home(["APOD_TOOLS_METRICS": "metrics.ndjson"])
        let url = try Sample.url("measured.jpg")
        let pipeline = "img-cache put \(url) | img-downsample --variant pager,overlay --print variants.pager.path"
        _ = try home.shell(pipeline).expect(0)
        _ = try home.shell(pipeline).expect(0)
        _ = try home.run("apod-fetch", ["--date", "2024-02-01"]).expect(0)
        let events = try events(home)
        func all(_ tool: String, _ event: String) -> [Record] {
            events.filter { $0.string("tool") == tool && $0.string("event") == event }
        }
        for event in events {
            #expect(event.string("time")?.hasSuffix("Z") == true && (event.integer("pid") ?? 0) > 1)
        }
        let download = try #require(all("img-cache", "download").first)
        #expect(download.string("url") == url && download.integer("status") == 200)
        #expect((download.integer("bytes") ?? 0) > 0 && download.has("ms") && !download.has("code"))
        #expect(all("img-cache", "download").count == 1)
        let puts = all("img-cache", "cache")
        #expect(puts.map { $0.string("status") } == ["miss", "hit"])
        #expect(puts.allSatisfy { $0.string("op") == "fetch" && $0.string("scope") == "default" && $0.has("key") })
        let decode = try #require(all("img-downsample", "decode").first)
        #expect(decode.string("format") == "jpeg" && decode.integer("outputs") == 2 && decode.integer("width") == 320)
        #expect(Set(all("img-downsample", "encode").map { $0.string("variant") }) == ["pager", "overlay"])
        #expect(all("img-downsample", "decode").count == 1)
        #expect(!all("apod-fetch", "download").isEmpty)
    }

    @Test func failuresAreToldByTheirCodeAndNoSecretIs() throws {
        let home = try Sample.home()
        let gone = try Sample.url("measured-gone.jpg", faults: ["status-404"])
            .replacing("http://", with: "http://user:secretpw@")
        _ = try home.run("img-cache", ["put", "--metrics", "metrics.ndjson", gone + "?token=secrettoken"]).expect(69)
        let events = try events(home)
        let download = try #require(events.first { $0.string("event") == "download" })
        #expect(download.integer("status") == 404)
        #expect(events.first { $0.string("event") == "cache" }?.string("code") == "not-found")
        let text = try TestFile.text(home.path("metrics.ndjson"))
        #expect(!text.contains("secret"), "\(text)")
    }

    @Test func aFileThatCannotBeOpenedStopsTheToolBeforeItsWork() throws {
        let home = try Sample.home()
        let url = try Sample.url("unmeasured.jpg")
        try home.run("img-cache", ["put", url, "--metrics", "missing/metrics"])
            .expectRefusal(73, "img-cache", "missing/metrics")
        #expect(try Sample.requests(url) == 0)
        let file = try home.write("a.png", DrawnPicture.noise(20, 20, seed: 1).png())
        try home.run("img-downsample", [file, "--width", "9", "-o", "b.png", "--metrics", "missing/metrics"])
            .expectRefusal(73, "img-downsample", "missing/metrics")
        #expect(!TestFile.exists(home.path("b.png")))
    }
}
