import Formats
import Images
import Libc
import Records
import Support
import TestSupport
import Testing

/// The commands `info`, `poster` and `verify`, which read GIFs.
struct GifCacheContentTests {
    private let home: ToolHome

    init() throws { home = try ToolHome() }

    private func keep(_ id: String, _ bytes: [UInt8]) throws -> String {
        try home.keep(bytes, as: "exercisedb:\(id)@180")
    }

    private static let animation = DrawnAnimation(
        [.noise(6, 5, seed: 1), .noise(6, 5, seed: 2), .noise(6, 5, seed: 3)], delay: 12, loop: 4
    ).gif()

    @Test func infoReadsIDsFilesAndRecords() throws {
        let path = try keep("0001", Self.animation)
        let file = try home.write("curl.gif", Self.animation)
        let records = try home.run("gif-cache", ["info", "0001", "curl.gif", file]).expect(0).records
        #expect(records.map { $0.string("info.path") } == [path, "curl.gif", file])
        #expect(records[0].names == ["id", "info"] && records[1].names == ["info"])
        #expect(records[0].string("info.id") == "0001" && !records[1].has("info.id"))
        for record in records {
            #expect(record.integer("info.frames") == 3 && record.integer("info.duration_ms") == 360)
            #expect(record.integer("info.loop") == 5 && record.integer("info.bytes") == Self.animation.count)
        }
        let line = #"{"exercise":{"id":"0001"},"n":1.10}"#
        let piped = try home.run("gif-cache", ["info", "--field", "id=exercise.id"], stdin: .lines([line])).expect(0)
        #expect(piped.stdout.hasPrefix(#"{"exercise":{"id":"0001"},"n":1.10,"info":{"#))
    }

    @Test func infoIsATableOnATerminal() throws {
        try home.write("curl.gif", Self.animation)
        let lines = try home.run("gif-cache", ["info", "curl.gif"], stdout: .terminal).expect(0).stdout
            .split { $0.isNewline }
        #expect(lines[0].hasPrefix("curl.gif") && lines[1].hasPrefix("6x5, 3 frames in 0.36 s, plays 5 times"))
        #expect(lines[3].hasPrefix("FRAME") && lines[4].contains("6x5+0+0"))
        let json = try home.run("gif-cache", ["info", "--json", "curl.gif"], stdout: .terminal).expect(0)
        #expect(json.stdout.hasPrefix("{"))
    }

    @Test func posterIsTheFirstFrame() throws {
        let path = try keep("0001", Self.animation)
        let record = try home.run("gif-cache", ["poster", "0001"]).expect(0).record
        #expect(record.names == ["id", "path", "cache", "gif", "poster"] && record.string("path") == path)
        let poster = try #require(record.string("poster.path"))
        #expect(record.string("poster.status") == "made")
        #expect(record.integer("poster.width") == 6 && record.integer("poster.height") == 5)
        #expect(record.integer("poster.bytes") == (try TestFile.bytes(poster)).count)
        let first = try decodeFrame(0, of: MemorySource(Self.animation))
        let drawn = try decode(File.openInput(poster))
        #expect(try Picture.header(poster).format == .png && drawn.channels == 3)
        let colours = drawn.bytes.indices.map { first.bytes[$0 / 3 * 4 + $0 % 3] }
        #expect(drawn.bytes == colours)

        let again = try home.run("gif-cache", ["poster"], stdin: .lines([#"{"exerciseId":"0001"}"#])).expect(0).record
        #expect(again.string("poster.path") == poster && again.string("poster.status") == "hit")
        let bytes = try TestFile.bytes(poster)
        #expect(try home.run("gif-cache", ["poster", "0001", "-o", "-"]).expect(0).stdoutBytes == bytes)
        #expect(try home.run("gif-cache", ["poster", "0001", "--output", "p.png"]).expect(0).stdoutBytes.isEmpty)
        #expect(try TestFile.bytes(home.path("p.png")) == bytes)
    }

    @Test func posterThatCannotBeWrittenIsReported() throws {
        _ = try keep("0001", Self.animation)
        _ = try home.write("taken", "")
        #expect(try home.run("gif-cache", ["poster", "0001", "-o", "taken/p.png"]).status == 73)
        #expect(try home.run("gif-cache", ["poster", "0001", "-o", "-"], stdout: .file("/dev/full")).status == 74)
        try home.run("gif-cache", ["poster", "0001", "0002", "-o", "p.png"])
            .expectRefusal(64, "gif-cache", "--output", "one id")
    }

    /// Compares first frames with the expected pixels in the GIF test suite.
    @Test(
        .enabled(if: Corpus.isPresent),
        arguments: [
            "dispose-keep", "dispose-restore-background", "image-overlap-bg", "image-outside-bg", "transparent",
            "interlace", "local-color-table",
        ])
    func postersMatchThePixelsOfTheGIFTestSuite(_ name: String) throws {
        let folder = try Corpus.path("images/gif/gif-test-suite")
        _ = try keep("0001", TestFile.bytes("\(folder)/\(name).gif"))
        let poster = try home.run("gif-cache", ["poster", "0001", "--print", "poster.path"]).expect(0).lines[0]
        let settings = try TestFile.text("\(folder)/\(name).conf").split(separator: "\n")
        let pixels = try #require(settings.first { $0.hasPrefix("pixels = ") }).dropFirst(9)
        let expected = try TestFile.bytes("\(folder)/\(pixels)")
        let drawn = try decode(File.openInput(poster))
        let rgba =
            drawn.channels == 4
            ? drawn.bytes
            : (0..<expected.count).map { $0 % 4 == 3 ? 255 : drawn.bytes[$0 / 4 * 3 + $0 % 4] }
        // The colour of a transparent pixel does not matter.
        let isSame =
            rgba.count == expected.count
            && rgba.indices.allSatisfy {
                rgba[$0] == expected[$0] || expected[$0 | 3] == 0 && rgba[$0 | 3] == 0
            }
        #expect(isSame, "\(name)")
    }

    @Test func verifyReportsFilesThatPutRefuses() throws {
        let png = DrawnPicture.noise(4, 4, seed: 1).png()
        try home.keep(png, as: "exercisedb:0003@180")
        let picture = try home.write("new.png", png)
        // `gif-cache verify` does not check pictures that other tools stored.
        try home.run("img-cache", ["put", picture, "--key", "my-own"]).expect(0)
        let steps = try home.run("gif-cache", ["verify"]).expect(1).records
        let problems = try steps.compactMap { $0.raw("problems") }.flatMap { try Record.list(parsing: Array($0)) }
        let problem = try #require(problems.first)
        #expect(problem.string("code") == "content-refused" && problem.string("detail")?.hasPrefix("not-a-gif") == true)
        try home.run("img-cache", ["verify"]).expect(0)
        try home.run("gif-cache", ["verify", "--repair"]).expect(1)
        #expect(try home.run("img-cache", ["ls", "--print", "cache.key"]).expect(0).lines == ["key:my-own"])
        let words = try home.run("gif-cache", ["verify"], stdout: .terminal).expect(0).stdout
        #expect(words.hasPrefix("index") && words.contains("0 problems"))
    }

}
