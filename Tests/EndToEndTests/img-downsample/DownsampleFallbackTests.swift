import Formats
import Images
import Records
import Support
import TestSupport
import Testing

/// Placeholders for records without a picture.
struct DownsampleFallbackTests {
    private static let video = #"{"date":"2026-01-02","media_type":"video","url":"https://example.org/v"}"#
    private static let failed =
        #"{"date":"2026-01-03","#
        + #""error":{"tool":"img-cache","code":"http-404","message":"gone","transient":false,"exit":69}}"#

    @Test func placeholderIsDrawnForAFailedRecordOrAVideoWithoutAStill() throws {
        let home = try ToolHome()
        let lines = [Self.video, Self.failed, #"{"title":"nothing to see"}"#]
        let arguments = [
            "--variant", "launch-card,preference-view,pager", "--fallback",
        ]
        let output = try home.run("img-downsample", arguments, stdin: .lines(lines)).expect(0)
        let records = try output.records
        #expect(output.lines[2] == lines[2] && output.stderr == "")
        for record in records[..<2] {
            for (name, size) in [
                ("launch-card", "800x400"), ("preference-view", "360x240"), ("pager", "1024x1024"),
            ] {
                #expect(record.variantSize(name) == size, "\(name)")
                let variant = try #require(record.variant(name))
                #expect(variant.string("status") == "fallback" && variant.string("format") == "png")
                #expect(try Picture.size(#require(variant.string("path"))) == size)
            }
            // The corners are round and the gradient is drawn, but a light card stays light.
            let card = try home.pixels(#require(record.variant("launch-card")?.string("path")))
            #expect(card.colour(0, 0)[3] == 0 && card.colour(799, 399)[3] == 0)
            let (above, below) = (card.colour(400, 20), card.colour(400, 398))
            #expect(below[0] < above[0] && below[0] > 200, "\(above) and \(below)")
        }
        #expect(
            records[1].raw("error")?.elementsEqual(try Record(parsing: Array(Self.failed.utf8)).raw("error") ?? [])
                == true)
        #expect(!records[0].has("error"))
        #expect(
            records[0].variant("pager")?.string("path") != records[1].variant("pager")?.string("path"),
            "the placeholder of a video differs from the placeholder of a failed picture")
        // Only --strict counts failures of earlier tools.
        #expect(try home.run("img-downsample", arguments + ["--strict"], stdin: .lines(lines)).status == 69)
        // Without `--fallback`, the records pass unchanged.
        let passed = try home.run("img-downsample", ["--variant", "pager"], stdin: .lines(lines)).expect(0)
        #expect(passed.lines == lines)
    }

    @Test func unreadablePictureHasAPlaceholderAndAnError() throws {
        let home = try ToolHome()
        try home.write("text.jpg", "no picture")
        try home.write("cut.png", Array(DrawnPicture.noise(90, 60, seed: 1).png()[..<9000]))
        try home.write("good.png", DrawnPicture.gradient(90, 60).png())
        for destination in [[], ["--output-dir", "out"]] {
            let output = try home.run(
                "img-downsample",
                ["text.jpg", "good.png", "cut.png", "missing.jpg", "--variant", "rocket-card", "--fallback"]
                    + destination)
            let records = try output.records
            #expect(output.status == 65 && output.errorLines.count == 3)
            #expect(
                records.map { $0.variant("rocket-card")?.string("status") } == [
                    "fallback", "made", "fallback", "fallback",
                ])
            #expect(records.map { $0.variantSize("rocket-card") } == ["320x400", "320x400", "320x400", "320x400"])
            #expect(records.map { $0.integer("error.exit") } == [65, nil, 65, 66])
        }
        // A picture over a limit gets a placeholder, too.
        let limited = try home.run(
            "img-downsample", ["good.png", "--variant", "detail-view", "--fallback", "--max-pixels", "100"])
        try limited.expectFailure(77, code: "too-many-pixels", tool: "img-downsample")
        #expect(try limited.record.variant("detail-view")?.string("status") == "fallback")
    }

    @Test(arguments: ["text.jpg", "cut.png", "missing.jpg", "large.jpg"])
    func failedSingleOutputIsAPlaceholder(file: String) throws {
        let home = try ToolHome()
        // A cache exists, but a run with a single output does not use it.
        try home.write("sky.jpg", Picture.sky)
        _ = try home.run("img-cache", ["put", "sky.jpg"]).expect(0)
        try home.write("text.jpg", "no picture")
        try home.write("cut.png", Array(DrawnPicture.noise(90, 60, seed: 1).png()[..<9000]))
        // The file is large enough that output begins before the missing end is found.
        let large = try Picture.encoded(.noise(700, 500, seed: 2), .jpeg)
        try home.write("large.jpg", Array(large[..<(large.count * 3 / 4)]))
        let status: Int32 = file == "missing.jpg" ? 66 : 65
        let arguments = [file, "--width", "600", "--height", "400", "--fallback"]
        for target in ["made.jpg", "made.png", "made.webp"] {
            let output = try home.run("img-downsample", arguments + ["-o", target])
            try output.expectRefusal(status, "img-downsample", file)
            #expect(try home.pixels(target).words == "600x400", "\(file) to \(target)")
            #expect(
                try Picture.header(home.path(target)).format.id
                    == (target == "made.jpg" ? "jpeg" : String(target.dropFirst(5))))
        }
        // Standard output contains only the placeholder, without the beginning of the picture.
        let piped = try home.run("img-downsample", arguments + ["-o", "-"]).expect(status)
        #expect(try Picture.header(piped.stdoutBytes).format == .png, "\(file)")
        #expect(try decode(MemorySource(piped.stdoutBytes)).words == "600x400")
        #expect(piped.stdoutBytes == (try home.bytes("made.png")))
        // Without `--fallback`, no output file is left.
        _ = try home.run("img-downsample", [file, "--width", "60", "-o", "none.png"]).expect(status)
        #expect(!TestFile.exists(home.path("none.png")))
    }

    @Test func readablePictureIsTheSameWithFallback() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        let plain = try home.run("img-downsample", ["sky.jpg", "--width", "600", "-o", "-"]).expect(0)
        let prepared = try home.run("img-downsample", ["sky.jpg", "--width", "600", "-o", "-", "--fallback"]).expect(0)
        #expect(plain.stdoutBytes == prepared.stdoutBytes && !plain.stdoutBytes.isEmpty)
    }

    @Test func placeholderOfGIFCacheIsShrunkLikeAPicture() throws {
        let home = try ToolHome()
        let path = try home.write("a.png", DrawnPicture.gradient(40, 20).png())
        let line =
            #"{"path":"\#(path)","gif":{"placeholder":true},"#
            + #""error":{"tool":"gif-cache","code":"x","message":"y","transient":true,"exit":75}}"#
        for options in [[], ["--fallback"]] {
            let output = try home.run(
                "img-downsample", ["--width", "20", "--allow-path", "."] + options, stdin: .lines([line])
            ).expect(0)
            #expect(try output.record.variantSize("custom") == "20x10")
            #expect(try output.record.variant("custom")?.string("status") != "fallback")
            #expect(try output.record.string("error.tool") == "gif-cache")
        }
    }

    @Test func messageAndThemeChangeThePlaceholder() throws {
        let home = try ToolHome()
        func drawn(_ options: [String], line: String = Self.failed) throws -> (path: String, pixels: PixelBuffer) {
            let record = try home.run(
                "img-downsample", ["--variant", "detail-view", "--gradient", "none", "--fallback"] + options,
                stdin: .lines([line])
            ).expect(0).record
            let path = try #require(record.variant("detail-view")?.string("path"))
            return (path, try home.pixels(path))
        }
        let light = try drawn([])
        let dark = try drawn(["--theme", "dark"])
        #expect(light.pixels.mean(0) > 150 && dark.pixels.mean(0) < 100)
        let said = try drawn(["--fallback=Überraschung im Weltraum 宇宙"])
        #expect(said.pixels != light.pixels)
        #expect(try drawn([]).path == light.path, "the placeholder was drawn twice")
        let day = #"{"date":"2024-02-03","error":{"tool":"x","code":"no-picture","message":"m","exit":69}}"#
        let dated = try drawn(["--fallback=None on {date:%d.%m.%Y}"], line: day)
        #expect(try drawn(["--fallback=None on 03.02.2024"], line: day).path == dated.path)
        #expect(try drawn(["--fallback={nothing}"]).path == light.path)
        let network = try drawn(
            [], line: #"{"error":{"tool":"x","code":"timeout","message":"m","transient":true,"exit":75}}"#)
        let forbidden = try drawn(
            [], line: #"{"error":{"tool":"x","code":"private","message":"m","transient":false,"exit":77}}"#)
        let video = try drawn([], line: Self.video)
        #expect(Set([light.path, dark.path, said.path, network.path, forbidden.path, video.path]).count == 6)
        try home.run("img-downsample", ["--variant", "pager", "--theme", "dark"])
            .expectRefusal(64, "img-downsample", "--fallback")
        try home.run("img-downsample", ["--variant", "pager", "--fallback", "--theme", "drak"])
            .expectRefusal(64, "img-downsample", "--theme", "drak")
    }

    @Test func missingFontLeavesTheIconAndAWarning() throws {
        let home = try ToolHome()
        let fonts = try home.write(
            "fonts.conf",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">\n<fontconfig></fontconfig>\n")
        let lines = [Self.video, Self.failed]
        let output = try home.run(
            "img-downsample", ["--variant", "launch-card", "--fallback"], stdin: .lines(lines),
            environment: ["FONTCONFIG_FILE": fonts]
        ).expect(0)
        let warning = "img-downsample: warning: no font is installed; the message is not drawn"
        #expect(output.errorLines == [warning])
        for record in try output.records {
            let card = try home.pixels(#require(record.variant("launch-card")?.string("path")))
            #expect(card.words == "800x400")
            // The icon is visible: the row has several colours.
            let row = Set((200..<600).map { card.colour($0, 180) })
            #expect(row.count > 1)
        }
        // A run with a single output also prints one warning about the font.
        try home.write("text.jpg", "no picture")
        let plain = try home.run(
            "img-downsample", ["text.jpg", "--variant", "launch-card", "--fallback", "-o", "x.png"],
            environment: ["FONTCONFIG_FILE": fonts]
        ).expect(65)
        #expect(plain.errorLines.count == 2 && plain.errorLines.filter { $0.contains("font") }.count == 1, "\(plain)")
    }

    @Test(arguments: [
        (["--aspect-ratio", "1:1"], "800x800"), (["--aspect-ratio", "4:1"], "1200x300"),
        (["--width", "90", "--aspect-ratio", "3:1"], "90x30"), (["--height", "90"], "135x90"),
        (["--width", "90"], "90x60"), (["--width", "7", "--height", "1"], "7x1"), ([], "1200x800"),
        (["--fit", "300x200"], "768x512"), (["--fit", "180x120"], "384x256"),
        (["--fit", "180x120", "--exact"], "360x240"), (["--fit", "300x200", "--content-mode", "fill"], "768x512"),
    ])
    func placeholderHasTheRequestedSize(options: [String], size: String) throws {
        let home = try ToolHome()
        try home.write("text.jpg", "no picture")
        _ = try home.run("img-downsample", ["text.jpg", "--fallback", "-o", "x.png"] + options).expect(65)
        #expect(try home.pixels("x.png").words == size)
    }
}
