import Formats
import Images
import Libc
import Records
import Support
import TestSupport
import Testing

/// `img-cache put --incremental` writes previews during a download.
@Suite(.serialized)
struct IncrementalTests {
    static func pictures() throws -> [(name: String, bytes: [UInt8], previews: Int)] {
        let picture = DrawnPicture.noise(120, 90, seed: 3)
        let pixels = PixelBuffer(size: PixelSize(width: 120, height: 90), channels: 3, bytes: picture.bytes)
        func encoded(_ format: OutputFormat) throws -> [UInt8] {
            var options = EncodeOptions(format: format)
            options.isProgressive = true
            return try encode(pixels, options)
        }
        return [
            ("a.jpg", try encoded(.jpeg), 9), ("b.png", try encoded(.png), 6), ("c.gif", Self.interlacedGIF, 3),
        ]
    }

    private static var interlacedGIF: [UInt8] {
        let picture = DrawnPicture.noise(120, 90, channels: 1, seed: 4)
        var frame = DrawnAnimation.Frame(width: 120, height: 90, pixels: picture.bytes)
        frame.isInterlaced = true
        let palette = (0...UInt8.max).map { [$0, 255 - $0, $0 / 2] }
        return DrawnAnimation(width: 120, height: 90, palette: palette, frames: [frame], loop: nil).gif()
    }

    private func record(_ tool: RunningTool) throws -> Record {
        let line = try #require(tool.readLine(), "no record was printed")
        return try #require(try Record.list(parsing: Array(line.utf8)).first)
    }

    @Test func previewIsWrittenBeforeTheNextScanArrives() throws {
        for (name, bytes, count) in try Self.pictures() {
            let server = try ScanServer([name: bytes])
            let home = try ToolHome(environment: server.environment)
            let tool = try home.start("img-cache", ["put", "--incremental", server.url(name)], stdin: .empty)
            var last = 0
            for scan in 1...count {
                server.release(name)
                let partial = try record(tool)
                #expect(partial.names == ["url", "path", "cache"])
                #expect(partial.string("cache.status") == "partial" && partial.integer("cache.scan") == scan)
                #expect(partial.string("cache.key") == server.url(name) && partial.string("cache.scope") == "default")
                #expect(partial.string("cache.url") == server.url(name))
                #expect(partial.integer("cache.total_bytes") == bytes.count)
                let shown = try #require(partial.integer("cache.bytes"))
                #expect(shown > last && shown < bytes.count)
                last = shown
                #expect(partial.integer("cache.width") == 120 && partial.integer("cache.height") == 90)
                let type = name == "a.jpg" ? "image/jpeg" : "image/png"
                #expect(partial.string("cache.content_type") == type)
                let path = try #require(partial.string("path"))
                #expect(TestFile.mode(path) == 0o600)
                #expect(try decode(MemorySource(TestFile.bytes(path))).size == PixelSize(width: 120, height: 90))
                let small = home.path("small-\(scan).png")
                try home.run("img-downsample", [path, "--width", "30", "-o", small]).expect(0)
                #expect(try Picture.size(small) == "30x23" || Picture.size(small) == "30x22")
            }
            server.releaseAll(name)
            let final = try tool.wait().expect(0).records.last
            #expect(final?.string("cache.status") == "miss")
            #expect(try TestFile.bytes(try #require(final?.string("path"))) == bytes)
            // Previews stay after the download, because a reader may still have one open.
            #expect(home.leftovers.count == count && home.leftovers.allSatisfy { $0.contains(".preview-") })
        }
    }

    @Test func hitsAndPicturesWithoutScansHaveASingleRecord() throws {
        let home = try Sample.home()
        let plain = try Sample.url("incremental-plain.png")
        for status in ["miss", "hit"] {
            let record = try home.run("img-cache", ["put", "--incremental", plain]).expect(0).record
            #expect(record.string("cache.status") == status)
        }
        let pictures = try Self.pictures()
        let server = try ScanServer([pictures[0].name: pictures[0].bytes])
        server.releaseAll("a.jpg")
        let other = try ToolHome(environment: server.environment)
        let output = try other.run("img-cache", ["put", "--incremental", "--print", "path", server.url("a.jpg")])
        #expect(try output.expect(0).lines.count == 1)
        let offline = try other.run("img-cache", ["put", "--incremental", "--offline", server.url("a.jpg")])
        #expect(try offline.expect(0).record.string("cache.status") == "hit")
        let sent = try other.run("img-cache", ["put", "--incremental", "--refresh", server.url("a.jpg")]).expect(0)
        #expect(
            try sent.records.last?.string("path") == other.run("img-cache", ["path", server.url("a.jpg")]).lines[0])
    }

    @Test func recordsKeepTheirOrderUnlessUnordered() throws {
        let bytes = try Self.pictures()[0].bytes
        for isOrdered in [true, false] {
            let server = try ScanServer(["slow.jpg": bytes, "fast.jpg": bytes])
            let home = try ToolHome(environment: server.environment)
            server.releaseAll("fast.jpg")
            let tool = try home.start(
                "img-cache",
                ["put", "--incremental", "--jobs", "2"] + (isOrdered ? [] : ["--unordered"])
                    + [server.url("slow.jpg"), server.url("fast.jpg")], stdin: .empty)
            server.release("slow.jpg")
            var records: [Record] = []
            if isOrdered {
                records.append(try record(tool))
            } else {
                while records.last?.string("url") != server.url("fast.jpg")
                    || records.last?.string("cache.status") != "miss"
                { records.append(try record(tool)) }
            }
            server.releaseAll("slow.jpg")
            records = try tool.wait().expect(0).records
            #expect(records.count == 20)
            let urls = records.map { $0.string("url") }
            if isOrdered {
                #expect(
                    urls == Array(repeating: server.url("slow.jpg"), count: 10)
                        + Array(repeating: server.url("fast.jpg"), count: 10))
            } else {
                #expect(urls.last == server.url("slow.jpg"))
            }
            for name in ["slow.jpg", "fast.jpg"] {
                let own = records.filter { $0.string("url") == server.url(name) }
                #expect(own.dropLast().map { $0.integer("cache.scan") } == Array(1...9))
                #expect(own.last?.string("cache.status") == "miss")
            }
        }
    }

    @Test func resumedDownloadWritesPreviewsOfItsExistingScans() throws {
        for (name, bytes, count) in try Self.pictures() {
            let server = try ScanServer([name: bytes])
            let home = try ToolHome(environment: server.environment)
            let arguments = ["put", "--incremental", server.url(name)]
            let killed = try home.start("img-cache", arguments, stdin: .empty)
            server.release(name, 2)
            #expect(try record(killed).integer("cache.scan") == 1)
            #expect(try record(killed).integer("cache.scan") == 2)
            killed.kill(SIGKILL)
            #expect(killed.wait().signal == SIGKILL)
            let tool = try home.start("img-cache", arguments, stdin: .empty)
            #expect(try record(tool).integer("cache.scan") == 2)
            #expect(server.requests.last?.header("Range") != nil)
            server.releaseAll(name)
            let records = try tool.wait().expect(0).records
            #expect(records.dropLast().map { $0.integer("cache.scan") } == Array(2...count))
            #expect(try TestFile.bytes(try #require(records.last?.string("path"))) == bytes)
        }
    }

    @Test func waiterGetsOnlyTheCompletePicture() throws {
        let (name, bytes, _) = try Self.pictures()[0]
        let server = try ScanServer([name: bytes])
        let home = try ToolHome(environment: server.environment)
        let leader = try home.start("img-cache", ["put", "--incremental", server.url(name)], stdin: .empty)
        server.release(name)
        #expect(try record(leader).string("cache.status") == "partial")
        let follower = try home.start("img-cache", ["put", "--incremental", server.url(name)], stdin: .empty)
        server.releaseAll(name)
        #expect(try leader.wait().expect(0).records.count == 10)
        let records = try follower.wait().expect(0).records
        #expect(records.count == 1 && records[0].string("cache.status") == "hit")
        #expect(server.requests.count == 1)
    }

    @Test func stoppedRunLeavesNoUnfinishedPreview() throws {
        let (name, bytes, _) = try Self.pictures()[1]
        let server = try ScanServer([name: bytes])
        let home = try ToolHome(environment: server.environment)
        let tool = try home.start("img-cache", ["put", "--incremental", server.url(name)], stdin: .empty)
        server.release(name)
        let path = try #require(try record(tool).string("path"))
        tool.kill(SIGTERM)
        #expect(tool.wait().signal == SIGTERM)
        #expect(TestFile.exists(path))
        #expect(home.leftovers.filter { $0.contains(".preview") }.count == 1)
    }

    @Test func closedPipeEndsARunDuringADownload() throws {
        let (name, bytes, _) = try Self.pictures()[0]
        let server = try ScanServer([name: bytes])
        let home = try ToolHome(environment: server.environment)
        server.release(name, 3)
        // The remaining scans never arrive, so only the closed output can end the run.
        let output = try home.shell("img-cache put --incremental \(server.url(name)) | head -1 | wc -l")
        #expect(output.lines == ["1"])
        #expect(home.leftovers.allSatisfy { !$0.hasSuffix(".preview") } && home.blobs.isEmpty)
    }

    @Test func previewsAreRemovedAfterTheirLease() throws {
        let (name, bytes, _) = try Self.pictures()[0]
        let server = try ScanServer([name: bytes, "other.jpg": bytes])
        server.releaseAll(name)
        server.releaseAll("other.jpg")
        let home = try ToolHome(environment: server.environment)
        let records = try home.run("img-cache", ["put", "--incremental", server.url(name)]).expect(0).records
        let paths = records.dropLast().compactMap { $0.string("path") }
        #expect(paths.count == 9)
        // Six previews and the unfinished preview of a killed run are older than a lease, the other three are not.
        let folder = try #require(home.leftovers.first.map { home.folder.path($0) })
        let parent = folder[..<(folder.lastIndex(of: "/") ?? folder.endIndex)]
        try home.shell("touch -d '-15 minutes' \(paths[..<6].joined(separator: " ")) '\(parent)/x.preview'").expect(0)
        try home.shell("touch -d '-5 minutes' \(paths[6...].joined(separator: " "))").expect(0)
        // A run without `--incremental` does not clean up previews.
        try home.run("img-cache", ["put", server.url("other.jpg")]).expect(0)
        #expect(home.leftovers.count == 10)
        try home.run("img-cache", ["put", "--incremental", server.url("other.jpg")]).expect(0)
        #expect(paths.map(TestFile.exists) == Array(repeating: false, count: 6) + [true, true, true])
        #expect(home.leftovers.count == 3)
        try home.shell("touch -d '-15 minutes' \(paths[6])").expect(0)
        try home.run("img-cache", ["clean"]).expect(0)
        #expect(paths[6...].map(TestFile.exists) == [false, true, true])
        try home.run("img-cache", ["put", "--incremental", "APOD_TOOLS_LEASE=0", server.url("other.jpg")]).expect(0)
        #expect(home.leftovers.isEmpty)
    }

    @Test func tenThousandScansHaveFewPreviews() throws {
        let bytes = try Self.pictures()[0].bytes
        // Repeats the first scan, so that a decoder would draw it repeatedly.
        let ends = ScanServer.parts(of: bytes).map { $0 - 8 }
        let start = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        let scan = Array(bytes[start..<ends[0]])
        let hostile = Array(bytes[..<start]) + Array(repeating: scan, count: 10_000).joined() + [0xFF, 0xD9]
        let server = try ScanServer(["hostile.jpg": hostile])
        server.releaseAll("hostile.jpg")
        let home = try ToolHome(environment: server.environment)
        let records = try home.run("img-cache", ["put", "--incremental", server.url("hostile.jpg")]).expect(0).records
        #expect(records.count == 33 && records.last?.string("cache.status") == "miss")
    }

    @Test func corruptPictureEndsWithItsError() throws {
        let (name, bytes, _) = try Self.pictures()[0]
        let server = try ScanServer([name: Array(bytes.dropLast(40))])
        server.releaseAll(name)
        let home = try ToolHome(environment: server.environment)
        let output = try home.run("img-cache", ["put", "--incremental", server.url(name)])
        let last = try output.expectFailure(65, code: "truncated-image", tool: "img-cache")
        #expect(!last.has("path") && !last.has("cache"))
        #expect(try output.records.dropLast().allSatisfy { $0.string("cache.status") == "partial" })
    }
}
