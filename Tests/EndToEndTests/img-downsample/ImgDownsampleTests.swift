import Formats
import Images
import Records
import Support
import TestSupport
import Testing

/// Inputs and outputs of `img-downsample`.
struct ImgDownsampleTests {
    /// Writes the same 120x80 gradient as JPEG, PNG, GIF and WebP.
    private func inputs(_ home: ToolHome) throws -> [(name: String, format: ImageFormat)] {
        let picture = DrawnPicture.gradient(120, 80)
        try home.write("a.jpg", try Picture.encoded(picture, .jpeg))
        try home.write("a.png", picture.png())
        try home.write("a.gif", picture.gif())
        try home.write("a.webp", try Picture.encoded(picture, .webp))
        return [("a.jpg", .jpeg), ("a.png", .png), ("a.gif", .gif), ("a.webp", .webp)]
    }

    @Test func noPictureIsWrittenToATerminal() throws {
        let home = try ToolHome()
        try home.write("a.png", DrawnPicture.gradient(30, 20).png())
        let output = try home.run("img-downsample", ["a.png", "--width", "9", "-o", "-"], stdout: .terminal)
        try output.expectRefusal(64, "img-downsample", "terminal", "> small.jpg")
        #expect(output.stdout == "")
    }

    @Test func commonFormatsAreReadAndWritten() throws {
        let home = try ToolHome()
        for (name, _) in try inputs(home) {
            for (target, format) in [
                ("b.jpg", ImageFormat.jpeg), ("b.jpeg", .jpeg), ("b.png", .png), ("b.webp", .webp),
            ] {
                let output = try home.run("img-downsample", [name, "--width", "60", "-o", target]).expect(0)
                #expect(output.stdout == "" && output.stderr == "", "\(output)")
                #expect(try Picture.header(home.path(target)).format == format, "\(name) to \(target)")
                #expect(try Picture.size(home.path(target)) == "60x40", "\(name) to \(target)")
                // Red increases to the right, for any input.
                let pixels = try decode(File.openInput(home.path(target)))
                let red = [0, 30, 59].map { Int(pixels.bytes[(20 * 60 + $0) * pixels.channels]) }
                #expect(red[0] < 40 && (100...150).contains(red[1]) && red[2] > 215, "\(name) to \(target): \(red)")
            }
        }
    }

    @Test func variantHasTheFormatOfItsSourceUnlessAnotherIsRequested() throws {
        let home = try ToolHome()
        let names = try inputs(home).map(\.name)
        let records = try home.run("img-downsample", names + ["--width", "30"]).expect(0).records
        #expect(records.map { $0.string("variants.custom.format") } == ["jpeg", "png", "gif", "webp"])
        let forced = try home.run("img-downsample", names + ["--width", "30", "--format", "webp"]).expect(0).records
        #expect(forced.map { $0.string("variants.custom.format") } == ["webp", "webp", "webp", "webp"])
        for record in records + forced {
            let path = try #require(record.string("variants.custom.path"))
            #expect(try Picture.header(path).format.id == record.string("variants.custom.format"))
            #expect(record.string("variants.custom.status") == "made")
            #expect(try TestFile.bytes(path).count == record.integer("variants.custom.bytes"))
        }
    }

    @Test func pictureIsNotEnlargedByDefault() throws {
        let home = try ToolHome()
        try home.write("small.png", DrawnPicture.gradient(50, 20).png())
        let sizes = [
            (["--variant", "pager"], "pager"), (["--variant", "overlay"], "overlay"), (["--width", "400"], "custom"),
            (["--height", "21"], "custom"), (["--width", "51", "--height", "2000"], "custom"),
        ]
        for (arguments, name) in sizes {
            let record = try home.run("img-downsample", ["small.png"] + arguments).expect(0).record
            let field = try #require(FieldPath("variants.\(name)"))
            let variant = try Record(parsing: try #require(record.raw(field)))
            #expect(variant.integer("width") == 50 && variant.integer("height") == 20, "\(arguments)")
        }
        for (arguments, size) in [
            (["--height", "10"], "25x10"), (["--width", "25", "--height", "5"], "13x5"), (["--width", "1"], "1x1"),
        ] {
            _ = try home.run("img-downsample", ["small.png", "-o", "out.png"] + arguments).expect(0)
            let made = try Picture.size(home.path("out.png"))
            #expect(made == size || made == size.replacing("13", with: "12"), "\(arguments): \(made)")
        }
    }

    @Test func pictureIsRotatedUprightAndItsTagRemoved() throws {
        let home = try ToolHome()
        let stored = try Picture.encoded(.quarters(160, 96), .jpeg)
        // The corner of the upright picture that shows the red top left quarter of the stored picture (CIPA DC-008,
        // 4.6.5.A).
        let corners: [UInt8: (x: Int, y: Int)] = [
            1: (0, 0), 2: (1, 0), 3: (1, 1), 4: (0, 1), 5: (0, 0), 6: (1, 0), 7: (1, 1), 8: (0, 1),
        ]
        for orientation in UInt8(0)...9 {
            try home.write("turned.jpg", Picture.turned(stored, orientation: orientation))
            _ = try home.run("img-downsample", ["turned.jpg", "--width", "40", "-o", "up.png"]).expect(0)
            let swaps = (5...8).contains(orientation)
            let header = try Picture.header(home.path("up.png"))
            #expect(header.orientation == .upright)
            #expect(try Picture.size(home.path("up.png")) == (swaps ? "40x67" : "40x24"), "orientation \(orientation)")
            let pixels = try decode(File.openInput(home.path("up.png")))
            let corner = corners[orientation] ?? (0, 0)
            let (x, y) = (corner.x == 0 ? 4 : 35, corner.y == 0 ? 4 : pixels.size.height - 5)
            let start = (y * 40 + x) * pixels.channels
            let (red, green, blue) = (pixels.bytes[start], pixels.bytes[start + 1], pixels.bytes[start + 2])
            #expect(red > 230 && green < 25 && blue < 25, "orientation \(orientation): \(red) \(green) \(blue)")
        }
    }

    // MARK: Input and output

    @Test func pictureIsReadFromAndWrittenToAPipe() throws {
        let home = try ToolHome()
        for (name, format) in try inputs(home) {
            let bytes = try TestFile.bytes(home.path(name))
            let output = try home.run("img-downsample", ["-", "--width", "30", "-o", "-"], stdin: .bytes(bytes)).expect(
                0)
            let header = try Picture.header(output.stdoutBytes)
            #expect(header.format == format, "\(name)")
            #expect(header.storedSize == PixelSize(width: 30, height: 20), "\(name)")
        }
        _ = try home.shell("img-downsample - --height 10 -o out.webp < a.gif").expect(0)
        #expect(try Picture.header(home.path("out.webp")).format == .webp)
        _ = try home.shell("img-downsample <(cat a.gif) --height 10 -o named.png").expect(0)
        #expect(try Picture.header(home.path("named.png")).storedSize.height == 10)
    }

    @Test func damagedPictureIsNamedAndItsTargetStaysUnchanged() throws {
        let home = try ToolHome()
        let (jpeg, png) = (try Picture.jpeg(200, 150), DrawnPicture.noise(100, 80, seed: 4).png())
        let webp = try Picture.webp(200, 150)
        let gif = DrawnPicture.gradient(100, 80).gif()
        for (name, bytes) in [("cut.jpg", jpeg), ("cut.png", png), ("cut.webp", webp), ("cut.gif", gif)] {
            let file = try home.write(name, Array(bytes[..<(bytes.count * 2 / 3)]))
            try home.write("kept.png", "older")
            let output = try home.run("img-downsample", [name, "--width", "50", "-o", "kept.png"])
            try output.expectRefusal(65, "img-downsample", name)
            #expect(try TestFile.text(home.path("kept.png")) == "older")
            let record = try home.run("img-downsample", [name, "--width", "50", "--output-dir", "out"]).expect(65)
                .record
            #expect(
                record.string("error.code") == "truncated-image" || record.string("error.code") == "corrupt-image",
                "\(name)")
            #expect(record.string("error.message")?.contains(name) == true)
            #expect(record.string("path") == file && !record.has("variants"))
            #expect(try home.run("img-downsample", [name, "--variant", "pager"]).expect(65).record.has("error"))
        }
        #expect(TemporaryFolder.names(in: home.path("out")) == [])
        #expect(home.blobs == [] && home.leftovers.allSatisfy { !$0.contains("cut") })
    }
}
