import Formats
import Records
import TestSupport
import Testing

/// The main use: `apod-fetch --date | img-cache put | img-downsample --variant overlay`.
@Suite(.serialized)
struct PipelineTests {
    private static let line = "apod-fetch --date | img-cache put | img-downsample --variant overlay"
    private static let names = [
        "date", "title", "explanation", "url", "hdurl", "media_type", "service_version", "copyright", "thumbnail_url",
        "permalink", "credit", "alt", "apod", "path", "cache", "variants",
    ]

    private func shell(_ home: ToolHome, _ script: String) throws -> ToolOutput {
        try home.run("/bin/sh", ["-c", script])
    }

    @Test func pipelineMakesAnOverlayOfTodaysPicture() throws {
        let service = try SampleServer(["--size", "2200x1400"])
        let home = try ToolHome(environment: service.environment)

        let first = try shell(home, Self.line).expect(0)
        #expect(first.stderr == "", "\(first)")
        let record = try first.record
        #expect(record.names == Self.names.filter(record.has), "\(first)")
        for name in Self.names where name != "copyright" && name != "thumbnail_url" {
            #expect(record.has(name), "\(name)")
        }
        #expect(record.string("apod.service") == "science")
        #expect(record.string("apod.source") == "network")
        #expect(record.string("cache.status") == "miss")
        #expect(record.string("cache.scope") == "default")
        #expect(record.string("cache.content_type") == "image/jpeg")
        #expect(record.integer("cache.width") == 2200)
        #expect(record.integer("cache.height") == 1400)
        #expect(record.string("cache.url") == record.string("hdurl"))
        let cache = try Record(parsing: try #require(record.raw("cache")))
        #expect(
            cache.names == [
                "key", "scope", "status", "url", "bytes", "content_type", "sha256", "width", "height", "fetched_at",
                "expires_at",
            ])
        let variant = try Record(parsing: try #require(record.raw("variants.overlay")))
        #expect(variant.names == ["path", "width", "height", "bytes", "format", "status"])
        #expect(variant.string("status") == "made")
        #expect(variant.string("format") == "jpeg")

        // The files match the record.
        let original = try #require(record.string("path"))
        let overlay = try #require(variant.string("path"))
        #expect(original.hasPrefix("\(home.cacheRoot)/") && overlay.hasPrefix("\(home.cacheRoot)/"))
        #expect(try TestFile.bytes(original).count == record.integer("cache.bytes"))
        #expect(try TestFile.bytes(overlay).count == variant.integer("bytes"))
        #expect(try Picture.header(overlay).format == .jpeg)
        #expect(try Picture.size(overlay) == "2048x1303")
        #expect(variant.integer("width") == 2048 && variant.integer("height") == 1303)

        // The second run requests only the day.
        try service.reset()
        let again = try shell(home, Self.line).expect(0).record
        #expect(again.string("cache.status") == "hit")
        #expect(again.string("variants.overlay.status") == "hit")
        #expect(again.string("path") == original)
        #expect(again.string("variants.overlay.path") == overlay)
        #expect(try service.requests().counts.keys.filter { $0.hasPrefix("/pictures/") } == [])
    }

    @Test func eachToolKeepsTheBytesOfItsInputRecord() throws {
        let home = try Sample.home()
        let day = try home.run("apod-fetch", ["--date", "2024-02-03"]).expect(0).stdoutBytes
        let cached = try home.run("img-cache", ["put"], stdin: .bytes(day)).expect(0).stdoutBytes
        let shrunk = try home.run("img-downsample", ["--variant", "pager"], stdin: .bytes(cached)).expect(0).stdoutBytes
        // Each output begins with its input, except for the closing brace and the newline.
        #expect(cached.starts(with: day.dropLast(2)))
        #expect(shrunk.starts(with: cached.dropLast(2)))
        #expect(day.count < cached.count && cached.count < shrunk.count)
        #expect(try Record(parsing: day).string("title")?.contains("Étoile") == true)
    }

    @Test func rangeKeepsDateOrderAndSkipsAMissingDay() throws {
        let home = try Sample.home()
        let script =
            "apod-fetch --date 2020-06-08..2020-06-12 | img-cache put --jobs 4"
            + " | img-downsample --width 40 --jobs 2"
        let output = try home.shell(script).expect(0)
        let records = try output.records
        #expect(
            records.map { $0.string("date") } == ["2020-06-08", "2020-06-09", "2020-06-11", "2020-06-12"], "\(output)")
        // The 8th is a portrait, the 9th a PNG, and the 12th a video with a still.
        #expect(records.map { $0.integer("variants.custom.width") } == [40, 40, 40, 40], "\(output)")
        #expect(records.map { $0.string("variants.custom.format") } == ["jpeg", "png", "jpeg", "jpeg"])
        #expect(records.map { $0.integer("variants.custom.height") } == [64, 25, 25, 25])
    }

    @Test func stillOfAVideoIsStored() throws {
        let home = try Sample.home()
        let record = try home.shell("apod-fetch --date 2024-03-12 | img-cache put").expect(0).record
        #expect(record.string("media_type") == "video")
        #expect(record.string("url")?.hasSuffix("/pictures/2024-03-12.mp4") == true)
        #expect(record.string("cache.url") == record.string("thumbnail_url"))
        #expect(record.string("cache.content_type") == "image/jpeg")
    }

    @Test func videoWithoutAStillFails() throws {
        let home = try Sample.home()
        let video = #"{"date":"2024-03-05","media_type":"video","url":"http://127.0.0.1:1/embed/x"}"#
        let output = try home.shell("img-cache put | img-downsample --variant pager", stdin: .lines([video]))
        let record = try output.expectFailure(69, code: "no-picture", tool: "img-cache")
        #expect(!record.has("path") && !record.has("variants"))
    }

    @Test func gifStaysAGIF() throws {
        let home = try Sample.home()
        let script = "apod-fetch --date 2024-03-19 | img-cache put | img-downsample --variant pager"
        let record = try home.shell(script).expect(0).record
        #expect(record.string("cache.content_type") == "image/gif")
        #expect(record.string("variants.pager.format") == "gif")
        let path = try #require(record.string("variants.pager.path"))
        #expect(try Picture.header(path).format == .gif)
        #expect(try Picture.size(path) == "320x200")
    }

    @Test func dayWithoutAPictureBecomesAnErrorRecord() throws {
        let home = try Sample.home()
        for (date, code) in [("2020-06-10", "no-picture"), ("2024-01-27", "stand-in")] {
            let script = "apod-fetch --date \(date) | img-cache put | img-downsample --variant pager"
            let output = try home.shell(script)
            let record = try output.expectFailure(69, code: code, tool: "apod-fetch")
            #expect(record.names == ["date", "error"], "\(output)")
            #expect(output.errorLines.count == 1, "a later tool printed a message: \(output)")
        }
        #expect(home.blobs.isEmpty)
    }

    @Test func strictFailsIfAnEarlierToolFailed() throws {
        let home = try Sample.home()
        let script = "apod-fetch --date 2024-01-27 | img-cache put"
        #expect(try shell(home, script).status == 0)
        #expect(try shell(home, script + " --strict").status == 69)
    }

    @Test func printOptionWritesOnlyThePath() throws {
        let home = try Sample.home()
        let script =
            "apod-fetch --date 2024-02-06 | img-cache put | img-downsample --variant pager --print variants.pager.path"
        let path = try #require(try home.shell(script).expect(0).lines.first)
        #expect(try Picture.size(path) == "320x200")
    }
}
