import Formats
import Images
import Records
import Support
import TestSupport
import Testing

/// Unusual combinations of options.
struct DownsampleOptionCombinationsTests {
    // MARK: Enlarging

    @Test func enlargingIsLimitedByPixelsAndTime() throws {
        let home = try ToolHome()
        try home.write("tall.png", DrawnPicture.solid(1, 20_000, [7]).png(.stored))
        try home.write("tiny.png", DrawnPicture.solid(40, 2, [200, 10, 10]).png(.stored))
        for (arguments, code) in [
            (["tall.png", "--enlarge", "--width", "60000", "--format", "png"], "output-too-large"),
            (
                ["tiny.png", "--enlarge", "--content-mode", "force", "--width", "30000", "--height", "30000"],
                "too-many-pixels"
            ),
            (
                [
                    "tiny.png", "--enlarge", "--content-mode", "force", "--width", "9000", "--height", "9000",
                    "APOD_TOOLS_MAX_SECONDS=0.001",
                ], "too-slow"
            ),
        ] {
            let output = try home.run("img-downsample", arguments + ["--output-dir", "out"])
            #expect(output.status == 77, "\(output)")
            #expect(try output.record.string("error.code") == code, "\(arguments)")
        }
        #expect(TemporaryFolder.names(in: home.path("out")) == [])
    }

    @Test func largeEnlargementBuffersOnlySomeRows() throws {
        let home = try ToolHome()
        try home.write("tiny.png", DrawnPicture.sky(40, 2, seed: 1).png(.stored))
        let record = try home.run(
            "img-downsample",
            [
                "tiny.png", "--enlarge", "--content-mode", "force", "--width", "3000", "--height", "3000", "--format",
                "jpeg", "APOD_TOOLS_MAX_MEMORY=8MB",
            ]
        ).expect(0).record
        #expect(record.integer("variants.custom.height") == 3000)
    }

    // MARK: Bytes

    @Test func fitBytesLowersTheQualityOfAnAnimation() throws {
        let home = try ToolHome()
        let frames = (0..<3).map { DrawnPicture.sky(160, 120, seed: UInt64($0 + 1)) }
        try home.write("dance.gif", DrawnAnimation(frames).gif())
        func made(_ options: [String]) throws -> (bytes: Int, frames: Int?) {
            let arguments = ["dance.gif", "--width", "120", "--format", "webp", "--output-dir", "out"]
            let record = try home.run("img-downsample", arguments + options).expect(0).record
            let bytes = try #require(record.integer("variants.custom.bytes"))
            return (bytes, record.integer("variants.custom.frames"))
        }
        let (good, poor) = (try made(["--quality", "80"]), try made(["--quality", "1"]))
        let limit = (good.bytes + poor.bytes) / 2
        let fitted = try made(["--quality", "80", "--fit-bytes", "\(limit)"])
        #expect(fitted.bytes <= limit && fitted.bytes > poor.bytes)
        #expect(fitted.frames == 3)
        let output = try home.run(
            "img-downsample",
            ["dance.gif", "--width", "120", "--format", "webp", "--output-dir", "out", "--fit-bytes", "100"])
        #expect(output.status == 77)
        #expect(try output.record.string("error.code") == "does-not-fit")
    }

    // MARK: Records

    @Test func incrementalPrintsAFieldOnce() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        let arguments = ["sky.jpg", "--variant", "pager,launch-card", "--incremental"]
        let output = try home.run("img-downsample", arguments + ["--print", "variants.launch-card.status"])
        #expect(try output.expect(0).stdout == "made\n")
    }

    @Test(arguments: [["--print-hash"], ["--incremental"], ["--print", "path"], ["--pretty"]])
    func recordOptionsAreRefusedIfNoRecordsArePrinted(options: [String]) throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        let output = try home.run("img-downsample", ["sky.jpg", "-o", "out.jpg"] + options)
        #expect(output.status == 64 && output.stderr.contains(options[0]), "\(output)")
    }

    @Test func pictureOverALimitIsNotCached() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        let output = try home.run("img-downsample", ["sky.jpg", "--variant", "pager", "--max-bytes", "100"])
        #expect(try output.record.string("error.code") == "too-many-bytes")
        #expect(try home.run("img-cache", ["ls"]).expect(0).stdout == "")
    }

    // MARK: Placeholders

    @Test func messagesThatLookAlikeHaveDifferentPlaceholders() throws {
        let home = try ToolHome()
        let failed = #"{"error":{"tool":"x","code":"y","message":"z","transient":false,"exit":69}}"#
        func path(_ message: String) throws -> String {
            let output = try home.run(
                "img-downsample", ["--variant", "launch-card", "--fallback=\(message)"],
                stdin: .lines([failed]))
            return try #require(output.expect(0).record.string("variants.launch-card.path"))
        }
        let paths = try [
            "No\npicture", "Nopicture", "No\u{7F}picture", "No" + String(repeating: "\u{301}", count: 9000),
        ]
        .map(path)
        #expect(Set(paths).count == paths.count)
    }

    @Test func recordKeepsItsErrorIfItsPlaceholderFails() throws {
        let home = try ToolHome()
        let failed = #"{"error":{"tool":"x","code":"y","message":"z","transient":false,"exit":69}}"#
        let output = try home.run(
            "img-downsample", ["--width", "4000", "--height", "4000", "--fallback", "APOD_TOOLS_MAX_MEMORY=1MB"],
            stdin: .lines([failed]))
        #expect(try output.expect(0).stdout == failed + "\n")
        #expect(output.stderr.hasPrefix("img-downsample: warning: no placeholder: "), "\(output.stderr)")
    }
}
