import Formats
import Images
import Records
import Support
import TestSupport
import Testing

/// Output formats, their file sizes, and animations.
struct DownsampleFormatTests {
    // MARK: Formats

    @Test func autoFormatFollowsTheSourceAndKeepsAlpha() throws {
        let home = try ToolHome()
        let clear = DrawnPicture.gradient(60, 40, channels: 4)
        try home.write("a.png", clear.png())
        try home.write("a.webp", try Picture.encoded(clear, .webp))
        for (file, format) in [("a.png", ImageFormat.png), ("a.webp", .webp)] {
            let record = try home.run("img-downsample", [file, "--width", "30", "--format", "auto"]).expect(0).record
            let path = try #require(record.variant("custom")?.string("path"))
            #expect(try Picture.header(path).format == format)
            let pixels = try home.pixels(path)
            #expect(pixels.hasAlpha && pixels.colour(15, 0)[3] < 20 && pixels.colour(15, 19)[3] > 235)
        }
        for format in ["png", "webp", "gif"] {
            let made = try home.shrunk(["a.png", "--width", "30"], to: "b.\(format)")
            #expect(made.hasAlpha && made.colour(15, 0)[3] < 20, "\(format)")
        }
        // --format overrides the file extension.
        _ = try home.run("img-downsample", ["a.png", "--format", "webp", "-o", "odd.png"]).expect(0)
        #expect(try Picture.header(home.path("odd.png")).format == .webp)
        _ = try home.run("img-downsample", ["a.png", "--format", "jpg", "-o", "b.jpg"]).expect(0)
        #expect(try Picture.header(home.path("b.jpg")).format == .jpeg)
    }

    @Test func animatedPNGIsReadAsAnAnimation() throws {
        let home = try ToolHome()
        let frames = (0..<3).map { index in
            DrawnPNGAnimation.Frame(
                width: 40, height: 30,
                bytes: (0..<1200).flatMap { _ in [UInt8(index * 100), 60, 0, 255] as [UInt8] })
        }
        try home.write("a.png", DrawnPNGAnimation(width: 40, height: 30, frames: frames).png())
        let record = try home.run("img-downsample", ["a.png", "--width", "20"]).expect(0).record
        let made = try #require(record.variant("custom"))
        #expect(made.string("format") == "webp" && made.integer("frames") == 3)
        for format in ["gif", "webp"] {
            _ = try home.run("img-downsample", ["a.png", "--width", "20", "-o", "b.\(format)"]).expect(0)
            let header = try ImageInspection.inspect(MemorySource(home.bytes("b.\(format)")))
            #expect(header.isAnimated == true, "\(format)")
        }
        #expect(try home.shrunk(["a.png", "--width", "20", "--frame", "2"], to: "c.png").colour(5, 5)[0] == 200)
        #expect(try home.shrunk(["a.png", "--width", "20"], to: "d.png").colour(5, 5)[0] == 0)
        let missing = try home.run("img-downsample", ["a.png", "--frame", "3", "-o", "e.png"])
        #expect(missing.status == 65 && missing.stderr.contains("frame"))
    }

    @Test func animationFarLargerThanItsSourceCausesAWarning() throws {
        let home = try ToolHome()
        let view = CameraView(width: 60, height: 40, count: 12, noise: 20, noisyShare: 0.03)
        let size = PixelSize(width: view.width, height: view.height)
        let frames = view.frames.map { PixelBuffer(size: size, channels: 4, bytes: $0) }
        try home.write("camera.gif", encodeAnimation(frames, delay: 40, EncodeOptions(format: .gif)))
        for status in ["made", "hit"] {
            let output = try home.run("img-downsample", ["camera.gif", "--width", "240", "--enlarge"]).expect(0)
            let made = try #require(output.record.variant("custom"))
            #expect(made.string("status") == status && made.integer("frames") == 12)
            let isWarned = output.stderr.contains("camera.gif: the animated custom takes")
            #expect(isWarned == (status == "made"), "\(output)")
        }
        for options in [["--width", "240", "--enlarge", "--frame", "0"], ["--width", "30"]] {
            let output = try home.run("img-downsample", ["camera.gif"] + options).expect(0)
            #expect(output.stderr.isEmpty, "\(output)")
        }
    }

    @Test func tiffIsReadOrItsMissingLibraryIsReported() throws {
        let home = try ToolHome()
        let pages = [0, 1].map { page in
            var picture = DrawnTIFF(
                width: 60, height: 40, samplesPerPixel: 3,
                samples: (0..<2400).flatMap { _ in [200, UInt16(page * 90), 40] as [UInt16] })
            picture.photometric = 2
            picture.compression = .deflate
            return picture
        }
        let path = try home.write("a.tiff", DrawnTIFF.tiff(pages))
        let kept = try home.run("img-cache", ["put", path]).expect(0).record
        #expect(kept.string("cache.content_type") == "image/tiff" && kept.integer("cache.width") == 60)
        let output = try home.run("img-downsample", [path, "--width", "30"])
        if output.status == 69 {
            #expect(output.stderr.contains("cannot read TIFF: libtiff"))
            Log.standardError("\n*** NO LIBTIFF: reading TIFF with img-downsample is NOT TESTED.\n\n")
            return
        }
        let variant = try #require(try output.expect(0).record.variant("custom"))
        #expect(variant.string("format") == "jpeg" && variant.integer("width") == 30)
        for page in [0, 1] {
            let made = try home.shrunk(["a.tiff", "--width", "30", "--frame", "\(page)"], to: "\(page).png")
            #expect(made.colour(9, 9) == [200, page * 90, 40, 255])
        }
        let missing = try home.run("img-downsample", ["a.tiff", "--frame", "2", "-o", "c.png"])
        #expect(missing.status == 65 && missing.stderr.contains("2 pages"))
    }

    @Test func gifWithoutAPaletteIsBlackAsInBrowsers() throws {
        let home = try ToolHome()
        let animation = DrawnAnimation(
            width: 4, height: 4, palette: [[9, 9, 9], [250, 9, 9]],
            frames: [DrawnAnimation.Frame(width: 4, height: 4, pixels: .init(repeating: 1, count: 16))])
        var gif = animation.gif()
        // Removes the palette's flag (GIF89a §18) and its two colours.
        gif[10] &= 0x7F
        gif.removeSubrange(13..<19)
        try home.write("a.gif", gif)
        #expect(try home.shrunk(["a.gif"], to: "b.png").colour(2, 2)[..<3] == [0, 0, 0])
    }

    @Test func avifIsWrittenOrItsMissingLibraryIsReported() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", try Picture.encoded(.sky(160, 120, seed: 3), .jpeg))
        let output = try home.run("img-downsample", ["sky.jpg", "--width", "80", "-o", "b.avif"])
        if output.status == 69 {
            #expect(output.stderr.contains("AVIF") && output.stderr.contains("libavif"))
            #expect(!TestFile.exists(home.path("b.avif")))
            Log.standardError("\n*** NO LIBAVIF: writing AVIF with img-downsample is NOT TESTED.\n\n")
            return
        }
        _ = try output.expect(0)
        let bytes = try home.bytes("b.avif")
        #expect(String(decoding: bytes[4..<12], as: UTF8.self) == "ftypavif")
        // The size in the `ispe` box (ISO/IEC 23008-12, 6.5.3).
        let place = try #require((0..<bytes.count - 16).first { bytes[$0..<$0 + 4].elementsEqual("ispe".utf8) })
        #expect(Array(bytes[place + 8..<place + 16]) == [0, 0, 0, 80, 0, 0, 0, 60])
        let again = try home.run("img-downsample", ["sky.jpg", "--width", "80", "--format", "avif", "-o", "-"]).expect(
            0)
        #expect(again.stdoutBytes == bytes)
        let record = try home.run(
            "img-downsample", ["sky.jpg", "--width", "80", "--format", "avif", "--output-dir", "out"]
        )
        .expect(0).record
        #expect(record.variant("custom")?.string("format") == "avif")
        #expect(TemporaryFolder.names(in: home.path("out")) == ["sky-custom.avif"])
        let small = try home.run("img-downsample", ["sky.jpg", "--width", "80", "--quality", "20", "-o", "small.avif"])
        _ = try small.expect(0)
        #expect(try home.bytes("small.avif").count < bytes.count)
        let cached = try home.run("img-downsample", ["sky.jpg", "--width", "80", "--format", "avif"]).expect(0).record
        #expect(cached.variant("custom")?.string("path")?.hasSuffix(".avif") == true)
    }

    @Test func higherQualityNeedsMoreBytes() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        for format in ["jpg", "webp"] {
            var counts: [Int] = []
            for quality in ["10", "50", "82", "95"] {
                _ = try home.run(
                    "img-downsample", ["sky.jpg", "--width", "300", "--quality", quality, "-o", "b.\(format)"]
                )
                .expect(0)
                counts.append(try home.bytes("b.\(format)").count)
            }
            #expect(counts == counts.sorted() && Set(counts).count == 4, "\(format): \(counts)")
            _ = try home.run("img-downsample", ["sky.jpg", "--width", "300", "-o", "b.\(format)"]).expect(0)
            #expect(try home.bytes("b.\(format)").count == counts[2], "the default quality must be 82")
        }
    }

    @Test func higherEffortNeedsFewerBytes() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        func count(_ format: String, _ options: [String]) throws -> Int {
            _ = try home.run("img-downsample", ["sky.jpg", "--width", "300", "-o", "b.\(format)"] + options).expect(0)
            return try home.bytes("b.\(format)").count
        }
        for format in ["jpg", "png", "webp"] {
            let counts = try ["0", "3", "9"].map { try count(format, ["--effort", $0]) }
            #expect(counts == counts.sorted(by: >) && counts[0] > counts[2], "\(format): \(counts)")
        }
        let file = try home.configure(#"{"effort": 9}"#)
        #expect(try count("webp", ["--config", file]) == count("webp", ["--effort", "9"]))
    }

    @Test func chromaIsKeptIfRequested() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        // The luma sampling factors in the frame header (T.81, B.2.2).
        func factors(_ options: [String]) throws -> UInt8? {
            _ = try home.run("img-downsample", ["sky.jpg", "--width", "200", "-o", "b.jpg"] + options).expect(0)
            let bytes = try home.bytes("b.jpg")
            let header = bytes.indices.first { bytes[$0] == 0xFF && [0xC0, 0xC2].contains(bytes[$0 + 1]) }
            return header.map { bytes[$0 + 11] }
        }
        #expect(try factors(["--chroma", "420"]) == 0x22)
        #expect(try factors(["--chroma", "444"]) == 0x11)
        #expect(try factors(["--chroma", "auto", "--quality", "90"]) == 0x11)
        #expect(try factors(["--chroma", "420", "--quality", "100"]) == 0x22)
    }

    @Test(arguments: ["jpg", "webp"]) func highestQualityThatFitsIsUsed(format: String) throws {
        let home = try ToolHome()
        try home.write("sky.png", DrawnPicture.sky(240, 180, seed: 6).png(.stored))
        func bytes(_ options: [String]) throws -> [UInt8] {
            _ = try home.run("img-downsample", ["sky.png", "--width", "120", "-o", "b.\(format)"] + options).expect(0)
            return try home.bytes("b.\(format)")
        }
        let whole = try bytes([]).count
        for share in [8, 5] {
            let limit = whole * share / 10
            let fitted = try bytes(["--fit-bytes", "\(limit)"])
            #expect(fitted.count <= limit)
            // A binary search finds the highest quality up to 82 that fits.
            var (least, most) = (1, 82)
            while least < most {
                let middle = (least + most + 1) / 2
                if try bytes(["--quality", "\(middle)"]).count <= limit { least = middle } else { most = middle - 1 }
            }
            let direct = try bytes(["--quality", "\(least)"])
            #expect(direct.count == fitted.count, "quality \(least): \(direct.count), not \(fitted.count) of \(limit)")
            #expect(try bytes(["--quality", "\(least + 1)"]).count > limit)
        }
        // A picture that fits at the default quality is unchanged.
        #expect(try bytes(["--fit-bytes", "1MB"]).count == whole)
        let impossible = try home.run(
            "img-downsample", ["sky.png", "--width", "120", "--format", format, "--fit-bytes", "100"])
        let record = try impossible.expectFailure(77, code: "does-not-fit", tool: "img-downsample")
        #expect(record.string("error.message")?.contains("sky.png") == true)
        try home.run("img-downsample", ["sky.png", "--width", "120", "--fit-bytes", "100", "-o", "x.png"])
            .expectRefusal(77, "img-downsample", "sky.png")
        #expect(!TestFile.exists(home.path("x.png")))
    }

    @Test func progressiveOptionWritesAProgressiveJPEG() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", try Picture.encoded(.sky(200, 150, seed: 2), .jpeg))
        let plain = try home.shrunk(["sky.jpg", "--width", "100"], to: "plain.jpg")
        let made = try home.shrunk(["sky.jpg", "--width", "100", "--progressive"], to: "made.jpg")
        // A progressive JPEG has SOF2 instead of SOF0 (T.81, table B.1).
        func marker(_ name: String) throws -> UInt8? {
            let bytes = try home.bytes(name)
            return (0..<bytes.count - 1).first { bytes[$0] == 0xFF && [0xC0, 0xC2].contains(bytes[$0 + 1]) }.map {
                bytes[$0 + 1]
            }
        }
        #expect(try marker("plain.jpg") == 0xC0 && marker("made.jpg") == 0xC2)
        #expect(made == plain)
        _ = try home.shrunk(["sky.jpg", "--width", "100", "--progressive"], to: "made.png")
        #expect(try home.bytes("made.png")[28] == 1, "interlaced")
        #expect(try home.pixels("made.png") == home.shrunk(["sky.jpg", "--width", "100"], to: "plain.png"))
    }

    @Test func equalInputGivesEqualBytes() throws {
        var seen: [String: Set<[UInt8]>] = [:]
        for jobs in ["1", "2", "1"] {
            let home = try ToolHome()
            try home.write("sky.jpg", Picture.jpegSky(240, 180))
            try home.write("tall.jpg", Picture.turned(Picture.jpegSky(240, 180), orientation: 6))
            try home.write("noise.png", DrawnPicture.noise(120, 90, channels: 4, seed: 1).png())
            let frames = (0..<3).map { DrawnPicture.sky(60, 40, seed: UInt64($0)) }
            try home.write("moving.gif", DrawnAnimation(frames).gif())
            for format in ["auto", "webp", "png"] {
                _ = try home.run(
                    "img-downsample",
                    [
                        "sky.jpg", "tall.jpg", "noise.png", "moving.gif", "--variant", "launch-card,preference-view",
                        "--width", "99",
                    ]
                        + ["--format", format, "--jobs", jobs, "--output-dir", "out-\(format)"]
                ).expect(0)
                for name in TemporaryFolder.names(in: home.path("out-\(format)")) {
                    seen["\(format)/\(name)", default: []].insert(try home.bytes("out-\(format)/\(name)"))
                }
            }
        }
        #expect(seen.count == 24)
        for (name, bytes) in seen { #expect(bytes.count == 1, "\(name)") }
    }

    @Test func hashIsPrintedWithTheVariant() throws {
        let home = try ToolHome()
        try home.write("a.png", DrawnPicture.solid(64, 48, [200, 40, 30]).png())
        let arguments = [
            "a.png", "--variant", "rocket-card,card", "--width", "20", "--gradient", "none", "--print-hash",
        ]
        for destination in [[], ["--output-dir", "out"], []] {
            let record = try home.run("img-downsample", arguments + destination).expect(0).record
            for name in ["rocket-card", "card"] {
                let variant = try #require(record.variant(name))
                #expect(variant.string("dominant_colour") == "#c8281e", "\(variant)")
                let hash = try #require(variant.string("thumbhash"))
                #expect(hash.count >= 8 && hash.allSatisfy { $0.isLetter || $0.isNumber || "+/=".contains($0) })
            }
        }
        let plain = try home.run("img-downsample", arguments.dropLast()).expect(0).record
        #expect(plain.variant("card")?.has("thumbhash") == false)
    }

    // MARK: Animations

    /// An animated GIF of 60x40 pixels with three frames of different colours and delays. The last frame covers only a
    /// part of the canvas.
    private func moving(loop: Int?) -> [UInt8] {
        let palette: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]
        var frames = (0..<3).map {
            DrawnAnimation.Frame(width: 60, height: 40, pixels: [UInt8](repeating: UInt8($0), count: 2400))
        }
        for index in frames.indices { frames[index].delay = [7, 20, 300][index] }
        // The last frame is drawn over a part of the second frame.
        frames[2] = DrawnAnimation.Frame(width: 20, height: 20, pixels: [UInt8](repeating: 2, count: 400))
        (frames[2].x, frames[2].y, frames[2].delay) = (40, 20, 300)
        return DrawnAnimation(width: 60, height: 40, palette: palette, frames: frames, loop: loop).gif()
    }

    /// The stored delays in milliseconds, and the number of plays (0 for infinite).
    private func timing(_ bytes: [UInt8]) throws -> (delays: [Int], plays: Int) {
        if bytes.starts(with: Array("GIF8".utf8)) {
            let structure = try GIFStructure.read(MemorySource(bytes))
            return (structure.frames.map(\.delayMilliseconds), structure.plays)
        }
        // In RIFF, the chunk ANIM has the number of plays after the background colour, and ANMF has a delay at offset
        // 12 (WebP container).
        func little(_ place: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        var (place, delays, plays) = (12, [Int](), 1)
        while place + 8 <= bytes.count {
            let name = String(decoding: bytes[place..<place + 4], as: UTF8.self)
            if name == "ANIM" { plays = little(place + 12, 2) }
            if name == "ANMF" { delays.append(little(place + 20, 3)) }
            place += 8 + (little(place + 4, 4) + 1) / 2 * 2
        }
        return (delays, plays)
    }

    @Test(arguments: [0, 4, nil] as [Int?]) func animationsKeepTheirTiming(loop: Int?) throws {
        let home = try ToolHome()
        try home.write("a.gif", moving(loop: loop))
        let expected = try timing(home.bytes("a.gif"))
        #expect(expected.delays == [70, 200, 3000] && expected.plays == (loop == 0 ? 0 : loop == nil ? 1 : 5))
        let ways = [
            ("a.gif", "b.gif"), ("a.gif", "b.webp"), ("b.webp", "c.gif"), ("b.webp", "c.webp"), ("c.gif", "d.webp"),
        ]
        for (source, target) in ways {
            _ = try home.run("img-downsample", [source, "--width", "30", "-o", target]).expect(0)
            let made = try timing(home.bytes(target))
            #expect(made.delays == expected.delays && made.plays == expected.plays, "\(source) to \(target): \(made)")
            #expect(try Picture.size(home.path(target)) == "30x20")
            for (frame, colours) in [
                (0, [[255, 0, 0], [255, 0, 0]]), (1, [[0, 255, 0], [0, 255, 0]]), (2, [[0, 255, 0], [0, 0, 255]]),
            ] {
                let shown = try decodeFrame(frame, of: File.openInput(home.path(target)))
                for (place, colour) in zip([(5, 5), (25, 15)], colours) {
                    for (a, b) in zip(shown.colour(place.0, place.1), colour) {
                        #expect(
                            abs(a - b) < 30, "frame \(frame), \(source) to \(target): \(shown.colour(place.0, place.1))"
                        )
                    }
                }
            }
        }
        let record = try home.run("img-downsample", ["a.gif", "--width", "30", "--variant", "pager"]).expect(0).record
        for name in ["custom", "pager"] {
            #expect(record.variant(name)?.integer("frames") == 3 && record.variant(name)?.integer("source_frames") == 3)
        }
    }

    @Test func frameOptionSelectsAFrameOfAnAnimation() throws {
        let home = try ToolHome()
        try home.write("a.gif", moving(loop: 0))
        _ = try home.run("img-downsample", ["a.gif", "-o", "a.webp"]).expect(0)
        for file in ["a.gif", "a.webp"] {
            for (options, corner, field) in [
                (["--frame", "0"], [255, 0, 0], [255, 0, 0]),
                (["--frame", "1"], [0, 255, 0], [0, 255, 0]), (["--frame", "2"], [0, 255, 0], [0, 0, 255]),
            ] {
                for target in ["b.png", "b.jpg", "b.gif", "b.webp"] {
                    let made = try home.shrunk([file, "--width", "30"] + options, to: target)
                    for (a, b) in zip(made.colour(5, 5) + made.colour(25, 15), corner + [255] + field + [255]) {
                        #expect(abs(a - b) < 40, "\(file) \(options) to \(target)")
                    }
                    if target == "b.gif" {
                        #expect(try GIFStructure.read(MemorySource(home.bytes(target))).frameCount == 1)
                    }
                    if target == "b.webp" { #expect(try Picture.header(home.path(target)).isAnimated != true) }
                }
            }
            let output = try home.run("img-downsample", [file, "--frame", "3", "--width", "9"])
            let record = try output.expectFailure(65, code: "no-such-frame", tool: "img-downsample")
            #expect(record.string("error.message")?.contains("3") == true)
            try home.run("img-downsample", [file, "--frame", "3", "-o", "x.png"]).expectRefusal(
                65, "img-downsample", file)
            let still = try home.run("img-downsample", [file, "--frame", "0", "--width", "20"]).expect(0).record
            #expect(
                still.variant("custom")?.integer("frames") == 1
                    && still.variant("custom")?.integer("source_frames") == 3)
        }
        // A still picture has one frame.
        try home.write("a.png", DrawnPicture.gradient(20, 10).png())
        _ = try home.run("img-downsample", ["a.png", "--frame", "0", "-o", "b.png"]).expect(0)
        try home.run("img-downsample", ["a.png", "--frame", "1", "-o", "x.png"]).expectRefusal(
            65, "img-downsample", "a.png")
        for wrong in [["--frame", "-1"], ["--frame", "x"]] {
            #expect(try home.run("img-downsample", ["a.png", "-o", "x.png"] + wrong).status == 64, "\(wrong)")
        }
    }

    @Test(arguments: ["b.gif", "b.webp"]) func cornersAndGradientAreDrawnOnEveryFrame(target: String) throws {
        let home = try ToolHome()
        try home.write("a.gif", moving(loop: 0))
        _ = try home.run(
            "img-downsample",
            [
                "a.gif", "--width", "40", "--height", "40", "--content-mode", "fill", "--corner-radius", "12",
                "--gradient", "standard",
            ]
                + ["-o", target]
        ).expect(0)
        for frame in 0..<3 {
            let shown = try decodeFrame(frame, of: File.openInput(home.path(target)))
            #expect(shown.words == "40x40")
            for (x, y) in [(0, 0), (39, 0), (0, 39), (39, 39)] { #expect(shown.colour(x, y)[3] == 0, "frame \(frame)") }
            let (above, below) = (shown.colour(10, 1), shown.colour(10, 38))
            #expect(above[3] == 255 && below[3] == 255)
            #expect(
                above[..<3].max()! > 225 && (30...90).contains(below[..<3].max()!), "frame \(frame): \(above) \(below)")
        }
        #expect(try timing(home.bytes(target)).delays == [70, 200, 3000])
    }

    @Test(arguments: ["attention", "entropy"]) func allFramesAreCroppedAtTheSamePosition(gravity: String) throws {
        let home = try ToolHome()
        // A busy spot that moves along a ramp. The ramp identifies the position of the crop.
        let noise = DrawnPicture.noise(30, 30, seed: 7)
        let frames = [10, 100, 160].map { place in
            DrawnPicture(width: 200, height: 40, channels: 3) { x, y in
                let isSpot = (place..<place + 30).contains(x) && (5..<35).contains(y)
                return isSpot ? [255, noise[x - place, y - 5][0], 0] : [0, 0, UInt8(x / 50 * 85)]
            }
        }
        try home.write("a.gif", DrawnAnimation(frames).gif())
        _ = try home.run(
            "img-downsample",
            ["a.gif", "--width", "40", "--height", "40", "--content-mode", "fill", "--gravity", gravity, "-o", "b.gif"]
        ).expect(0)
        let shown = try (0..<3).map { try decodeFrame($0, of: File.openInput(home.path("b.gif"))) }
        // The first row shows only the ramp.
        for x in [0, 20, 39] { #expect(shown[0].colour(x, 0) == shown[1].colour(x, 0)) }
        for x in [0, 20, 39] { #expect(shown[0].colour(x, 0) == shown[2].colour(x, 0)) }
        #expect(shown[0].mean(0) > 80 && shown[2].mean(0) < 20)
    }
}
