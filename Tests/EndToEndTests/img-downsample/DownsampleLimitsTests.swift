import Images
import Records
import Support
import TestSupport
import Testing

/// Each limit has a field in the configuration file, an environment variable and an error code. Limits on bytes and
/// pixels also have options.
struct DownsampleLimitsTests {
    /// Limits, each with a file that exceeds it.
    static let cases: [(option: String, value: String, file: String, code: String)] = [
        ("max-bytes", "1KB", "sky.jpg", "too-many-bytes"), ("max-pixels", "1079999", "sky.jpg", "too-many-pixels"),
        ("max-frames", "4", "moving.gif", "too-many-frames"),
        ("max-animation-pixels", "11999", "moving.gif", "too-many-animation-pixels"),
        ("max-memory", "100KB", "progressive.jpg", "out-of-memory-limit"),
        ("max-seconds", "0.001", "sky.jpg", "too-slow"),
    ]

    private func write(_ file: String, into home: ToolHome) throws {
        let bytes: [UInt8] =
            switch file {
            case "moving.gif": DrawnAnimation((0..<5).map { .sky(60, 40, seed: $0) }).gif()
            case "progressive.jpg":
                try encode(
                    PixelBuffer(.sky(600, 400, seed: 1)), EncodeOptions(format: .jpeg, quality: 80, isProgressive: true)
                )
            default: Picture.sky
            }
        try home.write(file, bytes)
    }

    @Test(arguments: cases.indices) func limitHasAFieldAVariableAndAnErrorCode(index: Int) throws {
        let (option, value, file, code) = Self.cases[index]
        let home = try ToolHome()
        try write(file, into: home)
        // A still output would decode only a single frame of the animation.
        let target = file.hasSuffix("gif") ? "x.gif" : "x.jpg"
        let field = option.split(separator: "-").joined(separator: "_")
        let config = try home.configure("{\"\(field)\": \"\(value)\"}")
        let variable = "APOD_TOOLS_\(field.uppercased())"
        for way in [["\(variable)=\(value)"], ["--config", config]] {
            for destination in [[], ["--output-dir", "out"]] {
                let output = try home.run("img-downsample", [file, "--width", "200"] + way + destination)
                let record = try output.expectFailure(77, code: code, tool: "img-downsample")
                #expect(record.string("error.message")?.contains(file) == true)
                #expect(!record.has("variants"))
            }
            try home.run("img-downsample", [file, "--width", "200", "-o", target] + way)
                .expectRefusal(77, "img-downsample", file)
            let bytes = try home.bytes(file)
            try home.run("img-downsample", ["-", "--width", "200", "-o", target] + way, stdin: .bytes(bytes))
                .expectRefusal(77, "img-downsample")
            #expect(!TestFile.exists(home.path(target)) && home.leftovers == [])
        }
        #expect(TemporaryFolder.names(in: home.path("out")) == [])
        // The variable overrides the file, and a picture within the limit is accepted.
        let generous =
            option == "max-seconds" ? "60" : option.hasPrefix("max-m") || option == "max-bytes" ? "256MiB" : "18000000"
        _ = try home.run(
            "img-downsample", [file, "--width", "200", "-o", target, "--config", config, "\(variable)=\(generous)"]
        ).expect(0)
        for wrong in ["x", "-1", "0"] {
            let output = try home.run("img-downsample", [file, "--width", "200", "\(variable)=\(wrong)", "-o", target])
            if wrong == "0" && output.status == 77 { continue }
            #expect(output.status == 78 && output.stderr.contains(variable), "\(wrong): \(output)")
        }
        let broken = try home.configure("{\"\(field)\": \"much\"}")
        try home.run("img-downsample", [file, "--width", "200", "--config", broken])
            .expectRefusal(78, "img-downsample", broken, field)
        let typed = ["max-bytes", "max-pixels"].contains(option)
        #expect(try home.run("img-downsample", ["--help"]).expect(0).stdout.contains("--\(option)") == typed)
    }

    @Test func decompressionBombIsRefusedByItsHeader() throws {
        let home = try ToolHome()
        // A few bytes that claim enormous dimensions.
        let png = Picture.png(60_000, 60_000, depth: 8, colourType: 6, rows: [])
        var jpeg = try Picture.jpeg(8, 8)
        let frame = try #require((0..<jpeg.count - 1).first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        var gif = DrawnPicture.gradient(4, 4).gif()
        gif.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
        // Regardless of the limits, a JPEG scan must be long enough for its pixels.
        let bombs =
            [
                ("bomb.png", png, 77, "limit"), ("bomb.jpg", jpeg, 65, "a scan with incomplete data"),
                ("bomb.gif", gif, 77, "limit"),
            ] as [(String, [UInt8], Int32, String)]
        for (name, bytes, status, reason) in bombs {
            try home.write(name, bytes)
            let tool = try home.start("img-downsample", [name, "--width", "100", "-o", "x.png"], stdin: .empty)
            let output = tool.wait(deadline: .seconds(5))
            try output.expectRefusal(status, "img-downsample", name, reason)
        }
        // This GIF has many tiny frames.
        var animation = DrawnAnimation((0..<2).map { _ in .solid(2, 2, [0, 0, 0]) })
        animation.frames = [DrawnAnimation.Frame](repeating: animation.frames[0], count: 2001)
        try home.write("frames.gif", animation.gif())
        try home.run("img-downsample", ["frames.gif", "--width", "1"])
            .expectFailure(77, code: "too-many-frames", tool: "img-downsample")
    }

    @Test func memoryOfAPictureIsReleasedBeforeTheNext() throws {
        let home = try ToolHome()
        let jpeg = Picture.jpegSky(300, 200)
        // The memory limit holds fewer than three of these pictures.
        let names = try (0..<12).map { try home.write("\($0).jpg", jpeg) }
        for format in ["webp", "png"] {
            let tool = try home.start(
                "img-downsample",
                names + ["--width", "280", "--format", format, "--progressive", "APOD_TOOLS_MAX_MEMORY=1500KB"]
                    + ["--jobs", "2", "--output-dir", format], stdin: .empty)
            #expect(try tool.wait(deadline: .seconds(30)).expect(0).records.count == 12)
        }
    }
}
