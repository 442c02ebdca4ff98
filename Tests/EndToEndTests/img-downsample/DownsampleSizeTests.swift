import Formats
import Images
import Records
import Support
import TestSupport
import Testing

/// Sizes and crops of variants in img-downsample.
struct DownsampleSizeTests {
    // MARK: Buckets

    @Test(arguments: [
        (["--fit", "300x200", "--scale", "1"], "384x288"), (["--fit", "300x200", "--scale", "2"], "768x576"),
        (["--fit", "300x200", "--scale", "3"], "1024x768"), (["--fit", "300x200"], "768x576"),
        (["--fit", "64x64", "--scale", "2"], "128x96"), (["--fit", "65x10", "--scale", "2"], "192x144"),
        (["--fit", "300x200", "--scale", "1.5"], "512x384"), (["--fit", "10x9", "--scale", "1"], "128x96"),
        // With `--exact`, sizes are not rounded. A picture smaller than its box is not enlarged.
        (["--fit", "300x200", "--exact"], "533x400"), (["--fit", "300x300", "--scale", "1", "--exact"], "300x225"),
        (["--fit", "2000x2000"], "1200x900"),
        // A crop keeps the aspect ratio of the box.
        (["--fit", "300x200", "--content-mode", "fill"], "768x512"),
        (["--fit", "100x200", "--content-mode", "fill"], "256x512"),
        (["--fit", "100x200", "--content-mode", "force", "--exact"], "200x400"),
    ])
    func boxInPointsIsCoveredByTheSmallestBucket(arguments: [String], size: String) throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        let record = try home.run("img-downsample", ["sky.jpg"] + arguments).expect(0).record
        #expect(record.variantSize("fit") == size)
        #expect(try Picture.size(#require(record.variant("fit")?.string("path"))) == size)
    }

    @Test func similarSizesShareAFile() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        func made(_ arguments: String...) throws -> Record {
            let record = try home.run("img-downsample", ["sky.jpg"] + arguments).expect(0).record
            return try #require(record.variant("fit") ?? record.variant("pager"))
        }
        let first = try made("--fit", "300x200")
        let near = try made("--fit", "310x190")
        let turned = try made("--fit", "250x380", "--scale", "2")
        #expect(first.string("status") == "made")
        for other in [near, turned] {
            #expect(other.string("status") == "hit" && other.string("path") == first.string("path"))
        }
        // The size of `pager` is also a bucket.
        let pager = try made("--variant", "pager")
        let covering = try made("--fit", "512x512")
        #expect(pager.string("status") == "made" && covering.string("status") == "hit")
        #expect(pager.string("path") == covering.string("path"))
        let exact = try made("--fit", "300x200", "--exact")
        #expect(exact.string("status") == "made" && exact.string("path") != first.string("path"))
        #expect(home.blobs.count == 4, "expected the original and three variants: \(home.blobs)")
    }

    @Test func explicitSizesAndStylesAreNeverRounded() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        for (arguments, name, size) in [
            (["--width", "301"], "custom", "301x226"), (["--height", "301"], "custom", "401x301"),
            (["--width", "301", "--height", "100"], "custom", "133x100"),
            (["--width", "301", "--aspect-ratio", "3:2"], "custom", "301x201"),
            (["--height", "200", "--aspect-ratio", "1"], "custom", "200x200"),
            (["--aspect-ratio", "1:1"], "custom", "900x900"), (["--aspect-ratio", "16/9"], "custom", "1200x675"),
            (["--variant", "pager"], "pager", "1024x768"), (["--variant", "overlay"], "overlay", "1200x900"),
            (["--variant", "overlay", "--enlarge"], "overlay", "2048x1536"),
        ] {
            let record = try home.run("img-downsample", ["sky.jpg"] + arguments).expect(0).record
            #expect(record.variantSize(name) == size, "\(arguments)")
        }
    }

    // MARK: Enlarging

    @Test func picturesAreEnlargedOnlyOnRequest() throws {
        let home = try ToolHome()
        try home.write("wide.png", DrawnPicture.gradient(60, 40).png())
        try home.write("tall.png", DrawnPicture.gradient(40, 60).png())
        let box = ["--width", "100", "--height", "100", "--content-mode"]
        for (file, mode, small, large) in [
            ("wide.png", "fit", "60x40", "100x67"), ("tall.png", "fit", "40x60", "67x100"),
            ("wide.png", "fill", "40x40", "100x100"), ("tall.png", "fill", "40x40", "100x100"),
            ("wide.png", "force", "40x40", "100x100"), ("tall.png", "force", "40x40", "100x100"),
        ] {
            #expect(try home.shrunk([file] + box + [mode]).words == small, "\(file) \(mode)")
            #expect(try home.shrunk([file] + box + [mode, "--enlarge"]).words == large, "\(file) \(mode) enlarged")
        }
        // The picture is too small in only one direction.
        #expect(
            try home.shrunk(["wide.png", "--width", "50", "--height", "50", "--content-mode", "fill"]).words == "40x40")
        #expect(
            try home.shrunk(["wide.png", "--width", "90", "--height", "30", "--content-mode", "fill"]).words == "60x20")
        // An enlarged picture shows the same content: red increases to the right.
        let large = try home.shrunk(["wide.png", "--width", "240", "--enlarge"])
        #expect(large.words == "240x160" && large.at(0, 80)[0] < 5 && large.at(239, 80)[0] > 250)
        #expect(abs(large.at(120, 80)[0] - 128) < 4)
    }

    // MARK: Decoders

    @Test(arguments: [(301, 211), (211, 301), (64, 64), (17, 5), (3, 2), (1, 1), (640, 1)])
    func sizeIsExactForEveryFormatAndDecoder(width: Int, height: Int) throws {
        let home = try ToolHome()
        let ways = try Picture.everyWay(.gradient(width, height))
        for way in ways { try home.write(way.name, way.bytes) }
        for side in [300, 100, 38, 1] where side <= width {
            let rows = max(1, Int((Double(height) * Double(side) / Double(width)).rounded()))
            let out = "out\(side)"
            let records = try home.run(
                "img-downsample",
                ways.map(\.name) + [
                    "--width", "\(side)", "--output-dir", out, "--name-template",
                    "{stem}.png", "--format", "png",
                ]
            ).expect(0).records
            #expect(records.count == ways.count)
            for (record, way) in zip(records, ways) {
                #expect(record.variantSize("custom") == "\(side)x\(rows)", "\(way.name) of \(width)x\(height)")
                let stem = way.name.prefix { $0 != "." }
                let pixels = try home.pixels("\(out)/\(stem).png")
                #expect(pixels.words == "\(side)x\(rows)", "\(way.name) of \(width)x\(height)")
            }
        }
    }

    @Test func allDecodersShowTheSamePicture() throws {
        let home = try ToolHome()
        let picture = DrawnPicture.gradient(320, 240)
        let ways = try Picture.everyWay(picture)
        for way in ways { try home.write(way.name, way.bytes) }
        for side in [320, 120, 37] {
            let expected = try home.shrunk(["plain.png", "--width", "\(side)"], to: "expected.png")
            for way in ways {
                let made = try home.shrunk([way.name, "--width", "\(side)"])
                // A GIF has only 256 colours.
                let least = way.name.hasSuffix("gif") ? 24.0 : 34
                #expect(try #require(made.likeness(to: expected)) > least, "\(way.name) at \(side)")
            }
        }
    }

    // MARK: Orientation, rotation, regions

    /// Options apply to the upright picture.
    @Test(arguments: [
        ["--width", "30", "--height", "30", "--content-mode", "fill", "--gravity", "northwest"],
        ["--width", "30", "--height", "30", "--content-mode", "fill", "--gravity", "southeast"],
        ["--region", "10,20,40,30", "--width", "20"], ["--region", "50%,0,50%,100%"], ["--rotate", "90"],
        ["--rotate", "270", "--width", "41"], ["--rotate", "180", "--height", "33"],
        ["--rotate", "90", "--region", "0,0,25%,25%", "--width", "20", "--height", "20", "--content-mode", "force"],
        ["--height", "48", "--corner-radius", "9", "--gradient", "standard"],
    ])
    func orientationIsAppliedBeforeOtherOptions(options: [String]) throws {
        let home = try ToolHome()
        // Only positions matter. The decoders differ in the chroma of fine detail, so the picture has none.
        let stored = try Picture.encoded(.quarters(160, 96), .jpeg)
        var names: [String] = []
        for orientation in UInt8(1)...8 {
            let turned = Picture.turned(stored, orientation: orientation)
            try home.write("turned\(orientation).jpg", turned)
            let upright = try encode(decode(MemorySource(turned)), EncodeOptions(format: .png))
            try home.write("upright\(orientation).png", upright)
            names += ["turned\(orientation).jpg", "upright\(orientation).png"]
        }
        _ = try home.run(
            "img-downsample",
            names + options
                + (options.contains { $0.contains("idth") || $0 == "--height" }
                    ? [] : ["--height", "2000"]) + ["--format", "png", "--output-dir", "out"]
        ).expect(0)
        for orientation in 1...8 {
            let turned = try home.pixels("out/turned\(orientation)-custom.png")
            let upright = try home.pixels("out/upright\(orientation)-custom.png")
            let likeness = try #require(turned.likeness(to: upright), "\(turned.words) and \(upright.words)")
            #expect(likeness > 25, "orientation \(orientation): \(likeness)")
        }
    }

    @Test func rotationIsClockwise() throws {
        let home = try ToolHome()
        try home.write("quarters.png", DrawnPicture.quarters(40, 20).png())
        // Red is in the top left corner before the rotation.
        for (degrees, size, x, y) in [("90", "20x40", 17, 2), ("180", "40x20", 37, 17), ("270", "20x40", 2, 37)] {
            let made = try home.shrunk(["quarters.png", "--rotate", degrees])
            #expect(made.words == size && made.at(x, y) == [255, 0, 0], "\(degrees)")
        }
        try home.run("img-downsample", ["quarters.png", "--rotate", "45", "-o", "x.png"])
            .expectRefusal(64, "img-downsample", "--rotate", "45")
    }

    /// A picture of a red, a green and a blue field, side by side or stacked.
    private func fields(wide: Bool) -> DrawnPicture {
        let colours: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]]
        return DrawnPicture(width: wide ? 90 : 30, height: wide ? 30 : 90, channels: 3) { x, y in
            colours[(wide ? x : y) / 30]
        }
    }

    @Test(arguments: [
        ("center", 1, 1), ("north", 1, 0), ("northeast", 2, 0), ("east", 2, 1), ("southeast", 2, 2), ("south", 1, 2),
        ("southwest", 0, 2), ("west", 0, 1), ("northwest", 0, 0),
    ])
    func gravityChoosesThePartThatACropKeeps(gravity: String, column: Int, row: Int) throws {
        let home = try ToolHome()
        try home.write("wide.png", fields(wide: true).png())
        try home.write("tall.png", fields(wide: false).png())
        for (file, field) in [("wide.png", column), ("tall.png", row)] {
            for side in ["30", "15"] {
                let made = try home.shrunk(
                    [file, "--width", side, "--height", side, "--content-mode", "fill", "--gravity", gravity])
                let n = try #require(Int(side))
                #expect(made.words == "\(side)x\(side)")
                for (x, y) in [(0, 0), (n - 1, 0), (0, n - 1), (n / 2, n / 2), (n - 1, n - 1)] {
                    // Near an edge of the crop, the filter also reads pixels outside it.
                    #expect(
                        made.at(x, y)[field] >= (x == n / 2 ? 254 : 235), "\(file) \(gravity) \(side): \(made.at(x, y))"
                    )
                }
            }
        }
    }

    @Test(arguments: ["attention", "entropy"], [true, false])
    func cropKeepsTheSubject(gravity: String, wide: Bool) throws {
        let home = try ToolHome()
        let noise = DrawnPicture.noise(60, 60, seed: 5)
        // A colourful, busy subject near one end of a uniform background.
        for place in [10, 230] {
            let picture = DrawnPicture(width: wide ? 300 : 80, height: wide ? 80 : 300, channels: 3) { x, y in
                let (along, across) = wide ? (x, y) : (y, x)
                let isSubject = (place..<place + 60).contains(along) && (10..<70).contains(across)
                return isSubject ? [255, noise[along - place, across - 10][0], 40] : [60, 62, 66]
            }
            try home.write("subject.png", picture.png())
            for options in [["--width", "40", "--height", "40"], ["--width", "80", "--height", "80"]] {
                let made = try home.shrunk(
                    ["subject.png", "--content-mode", "fill", "--gravity", gravity] + options)
                let share = (made.mean(0) - 60) / 195
                #expect(made.size.width == made.size.height)
                // The subject covers 9/16 of the crop.
                #expect(share > 0.5, "\(gravity) at \(place), \(options): \(share)")
            }
        }
    }

    @Test func regionHasFullDetail() throws {
        let home = try ToolHome()
        let picture = DrawnPicture.noise(200, 100, seed: 3)
        try home.write("noise.png", picture.png())
        let part = try home.shrunk(["noise.png", "--region", "50,20,40,30"])
        #expect(part.words == "40x30")
        for (x, y) in [(0, 0), (39, 0), (0, 29), (39, 29), (17, 13)] {
            #expect(part.at(x, y) == picture[x + 50, y + 20].map(Int.init))
        }
        let percent = try home.shrunk(["noise.png", "--region", "25%,20%,20%,30%"], to: "percent.png")
        #expect(percent == part)
        let cut = try home.shrunk(["noise.png", "--region", "180,90,100,100"])
        #expect(cut.words == "20x10" && cut.at(19, 9) == picture[199, 99].map(Int.init))
        // A region of a JPEG equals that part of the decoded picture.
        try home.write("sky.jpg", Picture.sky)
        let whole = try decode(MemorySource(Picture.sky))
        let sky = try home.shrunk(["sky.jpg", "--region", "333,217,101,55"])
        #expect(sky.words == "101x55")
        for (x, y) in [(0, 0), (100, 54), (50, 20)] {
            for (a, b) in zip(sky.at(x, y), whole.at(x + 333, y + 217)) { #expect(abs(a - b) <= 2) }
        }
        for (region, status) in [
            ("200,0,10,10", 65), ("0,100,10,10", 65), ("100%,0,10%,10%", 65), ("0,0,0,10", 64), ("1,2,3", 64),
            ("-1,0,10,10", 64), ("0,0,101%,10", 64), ("a,b,c,d", 64),
        ] as [(String, Int32)] {
            let output = try home.run("img-downsample", ["noise.png", "--region=\(region)", "-o", "x.png"])
            try output.expectRefusal(status, "img-downsample", status == 65 ? "noise.png" : "--region")
            #expect(!TestFile.exists(home.path("x.png")))
        }
        try home.run("img-downsample", ["noise.png", "--region", "200,0,10,10", "--width", "5"])
            .expectFailure(65, code: "region-outside", tool: "img-downsample")
    }
}
