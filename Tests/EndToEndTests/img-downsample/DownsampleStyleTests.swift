import Images
import Records
import Support
import TestSupport
import Testing

/// Card styles: built in, overridden, and from a configuration file.
struct DownsampleStyleTests {
    private static let names = ["launch-card", "detail-view", "rocket-card", "preference-view"]

    @Test(arguments: [
        ("1", ["400x200", "400x300", "160x200", "160x120"], ["400x200", "400x300", "160x200", "90x120"]),
        ("2", ["800x400", "800x600", "320x400", "320x240"], ["800x400", "800x600", "320x400", "180x240"]),
        ("3", ["1200x600", "1200x900", "480x600", "480x360"], ["1200x600", "1200x900", "480x600", "270x360"]),
    ])
    func styleHasItsSizeAtEachScale(scale: String, wide: [String], tall: [String]) throws {
        let home = try ToolHome()
        try home.write("wide.jpg", Picture.sky)
        try home.write("tall.jpg", Picture.tallSky)
        let records = try home.run(
            "img-downsample",
            ["wide.jpg", "tall.jpg", "--variant", Self.names.joined(separator: ","), "--scale", scale]
        ).expect(0).records
        for (record, sizes) in zip(records, [wide, tall]) {
            #expect(Self.names.map { record.variantSize($0) } == sizes, "scale \(scale)")
            for name in Self.names {
                let path = try #require(record.variant(name)?.string("path"))
                #expect(try Picture.size(path) == record.variantSize(name))
            }
        }
    }

    @Test func styleHasItsGradientAndCorners() throws {
        let home = try ToolHome()
        try home.write("white.png", DrawnPicture.solid(800, 600, [255, 255, 255]).png())
        for (name, size, middle, isRound) in [
            // In the middle row, black has the opacity 0.8 - 0.3 × 1.5 = 0.35 in the standard gradient, and the
            // enhanced gradient ends.
            ("launch-card", "800x400", 166, true), ("detail-view", "800x600", 255, false),
            ("rocket-card", "320x400", 166, true), ("preference-view", "320x240", 166, true),
        ] {
            let made = try home.shrunk(["white.png", "--variant", name])
            let (width, height) = (made.size.width, made.size.height)
            #expect(made.words == size)
            #expect(abs(made.colour(width / 2, height / 2)[0] - middle) <= 1, "\(name)")
            #expect(made.colour(width / 2, 0)[0] >= 254 && abs(made.colour(width / 2, height - 1)[0] - 51) <= 1)
            #expect(made.hasAlpha == isRound, "\(name)")
            for (x, y) in [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)] {
                #expect(made.colour(x, y)[3] == (isRound ? 0 : 255), "\(name)")
            }
        }
        // The radius is in points, and --gradient overrides the style.
        let card = try home.shrunk(["white.png", "--variant", "launch-card", "--gradient", "none", "--scale", "1"])
        #expect(card.words == "400x200" && card.colour(200, 199) == [255, 255, 255, 255])
        // A radius of 16 points at scale 1: the outline meets the top row 16 pixels from the corner.
        #expect(card.colour(15, 0)[3] > 230 && card.colour(17, 0)[3] == 255 && card.colour(5, 0)[3] < 128)
        let square = try home.shrunk(["white.png", "--variant", "launch-card", "--corner-radius", "0"])
        #expect(!square.hasAlpha || square.colour(0, 0)[3] == 255)
    }

    @Test func optionsOverrideAStyle() throws {
        let home = try ToolHome()
        try home.write("wide.png", DrawnPicture.gradient(900, 300).png())
        for (options, size) in [
            (["--content-mode", "fit"], "800x267"), (["--content-mode", "force"], "800x400"),
            (["--content-mode", "force", "--no-enlarge"], "600x300"), (["--enlarge"], "800x400"), ([], "800x400"),
            (["--no-enlarge"], "600x300"), (["--content-mode", "contain", "--no-enlarge"], "800x400"),
            (["--width", "320"], "640x400"), (["--width", "320", "--height", "80"], "640x160"),
            (["--width", "320", "--aspect-ratio", "1:1"], "640x640"), (["--aspect-ratio", "4:1"], "800x200"),
            (["--height", "50", "--aspect-ratio", "2:1"], "200x100"),
        ] {
            #expect(try home.shrunk(["wide.png", "--variant", "launch-card"] + options).words == size, "\(options)")
        }
        let west = try home.shrunk(["wide.png", "--variant", "launch-card", "--gravity", "west", "--gradient", "none"])
        let east = try home.shrunk(["wide.png", "--variant", "launch-card", "--gravity", "east", "--gradient", "none"])
        #expect(west.mean(0) < 100 && east.mean(0) > 155)
    }

    @Test func sizeOfTheCardStyleIsInPoints() throws {
        let home = try ToolHome()
        try home.write("wide.png", DrawnPicture.gradient(900, 600).png())
        for (options, size) in [
            (["--width", "100", "--height", "50"], "200x100"), (["--width", "100", "--scale", "3"], "300x200"),
            (["--height", "50", "--aspect-ratio", "1:2", "--scale", "1"], "25x50"),
            (["--width", "100", "--height", "100", "--content-mode", "fit"], "200x133"),
        ] {
            #expect(try home.shrunk(["wide.png", "--variant", "card"] + options).words == size, "\(options)")
        }
        try home.run("img-downsample", ["wide.png", "--variant", "card", "-o", "x.png"])
            .expectRefusal(64, "img-downsample", "--width")
        for scale in ["0", "0.5", "4", "x", "nan"] {
            try home.run("img-downsample", ["wide.png", "--variant", "launch-card", "--scale", scale, "-o", "x.png"])
                .expectRefusal(64, "img-downsample", "--scale")
        }
        try home.run("img-downsample", ["wide.png", "--variant", "lunch-card", "-o", "x.png"])
            .expectRefusal(64, "img-downsample", "lunch-card", "did you mean launch-card?")
    }

    // MARK: The configuration file

    @Test func stylesComeFromTheConfigurationFile() throws {
        let home = try ToolHome()
        try home.write("wide.png", DrawnPicture.gradient(900, 600).png())
        let file = try home.configure(
            #"""
            {"styles": {"hero": {"width": 120, "aspect_ratio": "2:1", "corner_radius": 10, "gradient": "none",
                                 "gravity": "east"},
                        "rocket-card": {"height": 160}}}
            """#)
        for way in [["--config", file], []] {
            let environment: [String: String?] = way.isEmpty ? ["APOD_TOOLS_CONFIG": file] : [:]
            let record = try home.run(
                "img-downsample", ["wide.png", "--variant", "hero,rocket-card"] + way, environment: environment
            ).expect(0).record
            #expect(record.variantSize("hero") == "240x120" && record.variantSize("rocket-card") == "320x320")
            let listed = try home.run("img-downsample", ["styles"] + way, environment: environment).expect(0).records
            #expect(
                listed.map { $0.string("name") } == [
                    "launch-card", "detail-view", "rocket-card", "preference-view", "card", "hero",
                ])
            #expect(
                listed.map { $0.string("from") } == ["built-in", "built-in", file, "built-in", "built-in", file])
            #expect(listed.last?.integer("width") == 120 && listed.last?.string("gravity") == "east")
        }
        let hero = try home.shrunk(["wide.png", "--variant", "hero", "--config", file])
        #expect(hero.colour(0, 0)[3] == 0 && hero.colour(120, 119)[3] == 255)
        // On a terminal, the output is a table.
        let table = try home.run("img-downsample", ["styles", "--config", file], stdout: .terminal).expect(0)
        let lines = table.stdout.split(whereSeparator: \.isNewline)
        #expect(lines.count == 7 && lines.contains { $0.contains("hero") && $0.contains(file) })
        #expect(lines.first?.contains("corner") == true)
    }

}
