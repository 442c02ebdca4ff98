import Libc
import Records
import Support
import TestSupport
import Testing

/// Runs the current tools on a root that the tools of layout 7 wrote (Tests/Corpus/roots). Some of its pictures can be
/// decoded only by the current tools, and others were accepted only by the tools of layout 7.
struct RecordedRootTests {
    private static let recorded = "\(Corpus.packageRoot)/Tests/Corpus/roots/layout-7"
    /// The time at which the tools stored the first entry, in milliseconds since 1970.
    private static let time: Int64 = 1_795_751_336_027
    private static let address = "http://127.0.0.1:8123/"
    private let home: ToolHome
    private let root: CacheOnDisk

    /// Copies the root, and moves its times to the present.
    init() throws {
        home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "1"])
        root = CacheOnDisk(home)
        try home.shell("mkdir -p '\(home.cacheRoot)' && cp -R '\(Self.recorded)/.' '\(home.cacheRoot)'").expect(0)
        let sql = home.folder.path("cache/apod-tools/index.sql")
        try root.execute(TestFile.text(sql))
        unlink(sql)
        let age = Timestamp.now().milliseconds - Self.time
        try root.execute(
            """
            UPDATE entries SET fetched_at = fetched_at + \(age), expires_at = expires_at + \(age),
                last_used = last_used + \(age), lease_until = lease_until + \(age);
            UPDATE negatives SET since = since + \(age), until = until + \(age);
            """)
    }

    private func get(_ name: String) throws -> ToolOutput { try home.run("img-cache", ["get", Self.address + name]) }

    @Test(arguments: ["moon.png", "dir\\moon.png", "transparency-before-palette.png", "whole.jxl", "sequence.avif"])
    func entryOfLayout7IsServedAndSurvivesClean(_ name: String) throws {
        #expect(try get(name).expect(0).record.string("cache.status") == "hit")
        try home.run("img-cache", ["clean"]).expect(0)
        let record = try get(name).expect(0).record
        #expect(record.string("cache.status") == "hit")
        #expect(try TestFile.exists(#require(record.string("path"))))
        try home.expectVerified()
        let listed = try home.run("img-cache", ["ls", "--print", "cache.key"]).expect(0).lines
        #expect(listed.count == 6 && listed.contains(Self.address + name.replacing(text: "\\", with: "/")))
        let pinned = try home.run("img-cache", ["ls", "--pinned", "--print", "cache.key"]).lines
        #expect(pinned == [Self.address + "moon.png"])
    }

    /// The tools of layout 7 did not check the end of a JPEG XL.
    @Test func truncatedJPEGXLIsDropped() throws {
        #expect(try get("half.jxl").status == 1)
        #expect(try root.number("SELECT count(*) FROM entries WHERE key LIKE '%/half.jxl'") == 0)
    }

    /// The tools of layout 7 decoded this PNG as if it had an alpha channel.
    @Test func variantOfAMisreadPNGIsMadeAgain() throws {
        let path = try #require(try get("transparency-before-palette.png").expect(0).record.string("path"))
        let input = ToolInput.text("{\"path\":\"\(path)\"}\n")
        let made = try home.run("img-downsample", ["--variant", "pager"], stdin: input).expect(0).record
        #expect(made.string("variants.pager.status") == "made")
        let variant = try #require(made.string("variants.pager.path"))
        let direct = home.path("direct.png")
        try home.run("img-downsample", ["--variant", "pager", "-o", direct, path]).expect(0)
        #expect(try TestFile.bytes(variant) == TestFile.bytes(direct))
        let old = try root.query("SELECT file FROM entries WHERE kind = 1 ORDER BY id LIMIT 1")[0]
        let misread = try TestFile.bytes("\(Self.recorded)/scopes/\(Self.scope)/\(old.prefix(2))/\(old)")
        #expect(try TestFile.bytes(variant) != misread)
    }

    private static let scope = "37a8eec1ce19687d132fe29051dca629"

    /// The tools of layout 7 could not decode this AVIF.
    @Test func imageSequenceStoredByLayout7IsDecoded() throws {
        let path = try #require(try get("sequence.avif").expect(0).record.string("path"))
        try home.run("img-downsample", ["--variant", "pager", "-o", home.path("out.png"), path]).expect(0)
    }

    @Test func refusalRememberedByAnEarlierVersionIsIgnored() throws {
        let explained = try home.run("img-cache", ["explain", Self.address + "page.png"]).expect(0).record
        #expect(explained.string("explain.decision") == "fetch")
    }
}
