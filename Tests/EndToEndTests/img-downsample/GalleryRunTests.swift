import Libc
import Records
import Support
import TestSupport
import Testing

/// Galleries written by concurrent and killed processes.
@Suite struct GalleryRunTests {
    private let home: ToolHome

    init() throws {
        home = try ToolHome()
        for name in 0..<8 {
            try home.shell("sample-service --size 600x400 --draw \(name).jpg > \(name).jpg").expect(0)
        }
    }

    private func places() throws -> [Record] {
        try home.folder.read("work/site/records.ndjson").split(separator: UInt8(ascii: "\n")).map {
            try Record(parsing: Array($0))
        }
    }

    @Test func concurrentRunsAddToTheGallery() throws {
        let runs = try (0..<8).map { name in
            try home.start("img-downsample", ["gallery", "\(name).jpg", "--output-dir", "site"], stdin: .empty)
        }
        for run in runs { try run.wait().expect(0) }
        let titles = try places().compactMap { $0.string("title") }.sorted()
        #expect(titles == (0..<8).map { "\($0)" })
        let page = try String(decoding: home.folder.read("work/site/index.html"), as: UTF8.self)
        for name in 0..<8 { #expect(page.contains(text: ">\(name)<")) }
    }

    @Test func killedRunLeavesCompleteFiles() throws {
        try home.run("img-downsample", ["gallery", "0.jpg", "--output-dir", "site"]).expect(0)
        for delay in 0..<12 {
            let run = try home.start(
                "img-downsample", ["gallery", "--output-dir", "site"] + (0..<8).map { "\($0).jpg" }, stdin: .empty)
            // Kills the run after it has written a varying number of files.
            while home.folder.contents().count(where: { $0.hasPrefix("work/site/pictures/") }) < 4 + delay,
                run.isRunning
            {}
            run.kill(SIGKILL)
            _ = run.wait()
            let page = try String(decoding: home.folder.read("work/site/index.html"), as: UTF8.self)
            #expect(page.hasSuffix("</html>\n"))
            for place in try places() {
                let path = try #require(place.string("variants.thumb.path"))
                #expect(TestFile.exists(home.path("site/\(path)")))
            }
        }
        try home.run("img-downsample", ["gallery", "--output-dir", "site", "--prune"] + (0..<8).map { "\($0).jpg" })
            .expect(0)
        #expect(try places().count == 8)
        let names = home.folder.contents().filter { $0.hasPrefix("work/site/pictures/") }
        #expect(names.count == 16 && !names.contains { $0.hasSuffix(".part") }, "\(names)")
        // The result equals the result of a run that was never killed.
        try home.run("img-downsample", ["gallery", "--output-dir", "whole"] + (0..<8).map { "\($0).jpg" }).expect(0)
        try home.shell("diff -r -x '.gallery*' -x data -x records.ndjson site whole").expect(0)
    }
}
