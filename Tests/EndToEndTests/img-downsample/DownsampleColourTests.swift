import Formats
import Images
import Records
import Support
import TestSupport
import Testing

/// Colours, bit depths, transparency and metadata in img-downsample.
struct DownsampleColourTests {
    // MARK: Profiles

    @Test(arguments: ["adobe", "p3"]) func colourProfilesBecomeSRGB(name: String) throws {
        let home = try ToolHome()
        let profile = name == "adobe" ? DrawnProfile.adobeRGB : .displayP3
        let colours: [[UInt8]] = [[120, 150, 110], [200, 180, 170], [60, 70, 90], [128, 128, 128]]
        for colour in colours {
            let picture = DrawnPicture.solid(64, 48, colour)
            try home.write("a.png", picture.png(chunks: [profile.chunk]))
            try home.write("a.jpg", Picture.profiled(try Picture.encoded(picture, .jpeg), profile.bytes))
            let expected = profile.inSRGB(colour)
            for (file, target) in [("a.png", "b.png"), ("a.png", "b.jpg"), ("a.jpg", "b.jpg"), ("a.jpg", "b.webp")] {
                let made = try home.shrunk([file, "--width", "16"], to: target)
                let slack = target == "b.webp" ? 6 : file == "a.jpg" || target == "b.jpg" ? 4 : 1
                for (a, b) in zip(made.colour(8, 6), expected) {
                    #expect(
                        abs(a - b) <= slack,
                        "\(colour) of \(name), \(file) to \(target): \(made.colour(8, 6)), not \(expected)")
                }
                #expect(!contains(try home.bytes(target), profile.bytes.suffix(80)), "the output contains the profile")
            }
        }
    }

    @Test func grayProfileBecomesSRGBGray() throws {
        let home = try ToolHome()
        let profile = DrawnProfile.linearGray
        try home.write("a.png", DrawnPicture.solid(40, 30, [55]).png(chunks: [profile.chunk]))
        let made = try home.shrunk(["a.png", "--width", "20"])
        #expect(abs(made.colour(5, 5)[0] - profile.inSRGB([55])[0]) <= 1, "\(made.colour(5, 5))")
        let kept = try home.run(
            "img-downsample", ["a.png", "--width", "20", "--metadata", "profile", "-o", "kept.png"]
        )
        .expect(0)
        #expect(kept.stderr == "")
        #expect(abs(try home.pixels("kept.png").colour(5, 5)[0] - profile.inSRGB([55])[0]) <= 1)
    }

    @Test func pictureWithAKeptProfileShowsTheSameColours() throws {
        let home = try ToolHome()
        let profile = DrawnProfile.adobeRGB
        let colour: [UInt8] = [120, 150, 110]
        let picture = DrawnPicture.solid(64, 48, colour)
        try home.write("a.png", picture.png(chunks: [profile.chunk]))
        try home.write("a.jpg", Picture.profiled(try Picture.encoded(picture, .jpeg), profile.bytes))
        for file in ["a.png", "a.jpg"] {
            for target in ["b.png", "b.jpg", "b.webp"] {
                _ = try home.run("img-downsample", [file, "--width", "16", "--metadata", "profile", "-o", target])
                    .expect(0)
                // In a PNG, the profile is compressed.
                if target != "b.png" {
                    #expect(contains(try home.bytes(target), profile.bytes), "\(file) to \(target)")
                }
                // The samples are unchanged, so a viewer with colour management shows the same colours.
                let seen = try home.pixels(target).colour(8, 6)
                for (a, b) in zip(seen, profile.inSRGB(colour)) {
                    #expect(abs(a - b) <= 6, "\(file) to \(target): \(seen)")
                }
            }
            _ = try home.run("img-downsample", [file, "--width", "16", "--metadata", "profile", "-o", "b.gif"]).expect(
                0)
        }
    }

    @Test func outputWithoutProfileSupportIsSRGB() throws {
        let home = try ToolHome()
        let profile = DrawnProfile.adobeRGB
        let colour: [UInt8] = [120, 150, 110]
        try home.write("a.png", DrawnPicture.solid(60, 40, colour).png(chunks: [profile.chunk]))
        // An animation in WebP's extended format with a profile (container specification, VP8X and ICCP).
        let frames = [DrawnPicture.solid(60, 40, colour), .solid(60, 40, [10, 20, 30])]
        try home.write("plain.gif", DrawnAnimation(frames).gif())
        _ = try home.run("img-downsample", ["plain.gif", "-o", "plain.webp"]).expect(0)
        var webp = try home.bytes("plain.webp")
        let levels = try home.pixels("plain.webp").colour(5, 5)[..<3].map { UInt8($0) }
        let padded = profile.bytes + (profile.bytes.count % 2 == 0 ? [] : [0])
        webp.insert(
            contentsOf: Array("ICCP".utf8) + Picture.number(profile.bytes.count, 4).reversed() + padded, at: 30)
        webp[20] |= 0x20
        webp.replaceSubrange(4..<8, with: Picture.number(webp.count - 8, 4).reversed())
        try home.write("a.webp", webp)
        for (source, colour, target) in [
            ("a.png", colour, "b.gif"), ("a.webp", levels, "b.gif"), ("a.webp", levels, "b.webp"),
        ] {
            let made = try home.shrunk([source, "--width", "30", "--metadata", "profile"], to: target)
            for (a, b) in zip(made.colour(15, 10), profile.inSRGB(colour)) {
                #expect(abs(a - b) <= 8, "\(source) to \(target): \(made.colour(15, 10))")
            }
        }
        // Gray pictures become colour pictures if the format or the background requires it.
        let gray = DrawnProfile.linearGray
        try home.write("gray.png", DrawnPicture.solid(60, 40, [55]).png(chunks: [gray.chunk]))
        for (options, target) in [
            ([], "b.webp"), (["--corner-radius", "9", "--background", "#ff0000"], "b.jpg"), ([], "c.jpg"),
        ] {
            let made = try home.shrunk(["gray.png", "--metadata", "profile"] + options, to: target)
            #expect(abs(made.colour(30, 20)[0] - gray.inSRGB([55])[0]) <= 4, "\(target): \(made.colour(30, 20))")
        }
    }

    @Test func cmykBecomesSRGB() throws {
        let home = try ToolHome()
        let names: Set = ["cmyk.jpg", "cmyk-progressive.jpg", "jpg-cmyk-2.jpg", "cmyk-transform0.jpg"]
        for path in try Corpus.pictures(in: "photos") {
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            guard names.contains(name) else { continue }
            let whole = try decode(File.openInput(path))
            for target in ["b.png", "b.jpg"] {
                for options in [[], ["--metadata", "profile"]] {
                    let made = try home.shrunk([path, "--width", "\(whole.size.width / 2)"] + options, to: target)
                    #expect(made.channels == 3)
                    for channel in 0..<3 {
                        #expect(abs(made.mean(channel) - whole.mean(channel)) < 3, "\(name) to \(target)")
                    }
                }
            }
        }
    }

    // MARK: Depths and palettes

    @Test func sixteenBitsAndPalettesAreRead() throws {
        let home = try ToolHome()
        // The same ramp in several kinds of PNG.
        let ramp = (0..<64).map { UInt8($0 * 4) }
        let rgb16 = ramp.flatMap { level -> [UInt8] in [level, level, 255 - level, 255 - level, 100, 100] }
        let gray16 = ramp.flatMap { level -> [UInt8] in [level, level] }
        let palette = PNGChunk("PLTE", ramp.flatMap { level -> [UInt8] in [level, 255 - level, 100] })
        let transparent = PNGChunk("tRNS", (0..<64).map { UInt8($0 < 32 ? 0 : 255) })
        func rows(_ row: [UInt8]) -> [[UInt8]] { [[UInt8]](repeating: row, count: 32) }
        let indices = (0..<64).map { UInt8($0) }
        try home.write("rgb16.png", Picture.png(64, 32, depth: 16, colourType: 2, rows: rows(rgb16)))
        try home.write("gray16.png", Picture.png(64, 32, depth: 16, colourType: 0, rows: rows(gray16)))
        try home.write(
            "palette.png", Picture.png(64, 32, depth: 8, colourType: 3, rows: rows(indices), chunks: [palette]))
        try home.write(
            "see-through.png",
            Picture.png(64, 32, depth: 8, colourType: 3, rows: rows(indices), chunks: [palette, transparent]))
        // A picture with 1 bit per sample: the left half is black, and the right half is white.
        let bits = [UInt8](repeating: 0, count: 4) + [UInt8](repeating: 255, count: 4)
        try home.write("bits.png", Picture.png(64, 32, depth: 1, colourType: 0, rows: rows(bits)))
        for x in [2, 8, 13] {
            // The mean of the four source columns that become one column.
            let level = x * 16 + 6
            for file in ["rgb16.png", "palette.png"] {
                let seen = try home.shrunk([file, "--width", "16"]).colour(x, 4)
                for (a, b) in zip(seen, [level, 255 - level, 100, 255]) {
                    #expect(abs(a - b) <= 2, "\(file) at \(x): \(seen)")
                }
            }
            #expect(abs(try home.shrunk(["gray16.png", "--width", "16"]).colour(x, 4)[0] - level) <= 2)
            #expect(
                try home.shrunk(["see-through.png", "--width", "16"]).colour(x, 4)[3] == (x < 8 ? 0 : 255) || x == 8)
            #expect(try home.shrunk(["bits.png", "--width", "16"]).colour(x, 4)[0] == (x < 8 ? 0 : 255) || x == 8)
        }
    }

    // MARK: Transparency

    @Test(arguments: [false, true]) func transparentColoursDoNotBleed(linear: Bool) throws {
        let home = try ToolHome()
        // Visible red, and transparent green.
        let picture = DrawnPicture(width: 64, height: 64, channels: 4) { x, y in
            (x / 3 + y / 3) % 2 == 0 ? [255, 0, 0, 255] : [0, 255, 0, 0]
        }
        try home.write("a.png", picture.png())
        for width in ["20", "50", "128"] {
            let made = try home.shrunk(
                ["a.png", "--width", width, "--enlarge"] + (linear ? ["APOD_TOOLS_LINEAR=true"] : []), to: "b.png")
            for y in 0..<made.size.height {
                for x in 0..<made.size.width where made.colour(x, y)[3] > 8 {
                    let pixel = made.colour(x, y)
                    #expect(pixel[0] >= 250 && pixel[1] <= 5, "\(x),\(y) at \(width): \(pixel)")
                }
            }
            #expect(abs(made.mean(3) - 127.5) < 6)
        }
        // On a blue background, half of the picture is red and half is blue.
        let flat = try home.shrunk(["a.png", "--width", "8", "--background", "#0000ff"], to: "b.jpg")
        #expect(abs(flat.mean(0) - 127) < 12 && flat.mean(1) < 12 && abs(flat.mean(2) - 127) < 12)
    }

    // MARK: Linear light

    @Test(arguments: ["lines.png", "lines.jpg", "lines.webp", "lines.gif"])
    func linearLightKeepsTheBrightnessOfFineLines(file: String) throws {
        let home = try ToolHome()
        let lines = DrawnPicture(width: 128, height: 128, channels: 3) { _, y in
            y % 2 == 0 ? [255, 255, 255] : [0, 0, 0]
        }
        let bytes =
            switch file {
            case "lines.png": lines.png()
            case "lines.gif": lines.gif()
            default: try Picture.encoded(lines, file == "lines.jpg" ? .jpeg : .webp)
            }
        try home.write(file, bytes)
        for width in ["64", "32", "9"] {
            let plain = try home.shrunk([file, "--width", width]).mean(0)
            let linear = try home.shrunk([file, "--width", width, "APOD_TOOLS_LINEAR=true"]).mean(0)
            #expect(abs(plain - 127.5) < 4 && abs(linear - 188) < 4, "\(file) at \(width): \(plain), \(linear)")
        }
    }

    // MARK: Metadata

    private func contains(_ bytes: [UInt8], _ part: some Collection<UInt8>) -> Bool {
        let part = Array(part)
        guard let first = part.first, bytes.count >= part.count else { return false }
        for start in 0...bytes.count - part.count where bytes[start] == first {
            if bytes[start..<start + part.count].elementsEqual(part) { return true }
        }
        return false
    }

    /// Writes pictures with EXIF in several formats, and returns their names.
    private func tagged(_ home: ToolHome, orientation: Int) throws -> [String] {
        let exif = DrawnEXIF.tiff(orientation: orientation)
        let picture = DrawnPicture.quarters(160, 96)
        try home.write("a.jpg", Picture.tagged(try Picture.encoded(picture, .jpeg), exif: exif))
        try home.write("a.png", picture.png(chunks: [PNGChunk("eXIf", exif)]))
        return ["a.jpg", "a.png"]
    }

    @Test func metadataIsRemovedUnlessRequested() throws {
        let home = try ToolHome()
        for source in try tagged(home, orientation: 6) {
            #expect(contains(try home.bytes(source), DrawnEXIF.place.utf8))
            for target in ["b.jpg", "b.png", "b.webp", "b.gif"] {
                _ = try home.run("img-downsample", [source, "--width", "48", "-o", target]).expect(0)
                let bytes = try home.bytes(target)
                for text in [DrawnEXIF.place, DrawnEXIF.artist, DrawnEXIF.copyright, "Exif", "MM\u{0}*"] {
                    #expect(!contains(bytes, text.utf8), "\(text) in \(target) of \(source)")
                }
            }
            // Metadata is removed from a picture that is not resampled, too.
            _ = try home.run("img-downsample", [source, "-o", "same.jpg"]).expect(0)
            #expect(!contains(try home.bytes("same.jpg"), DrawnEXIF.place.utf8))
        }
    }

    @Test(arguments: [1, 3, 6, 8]) func keptMetadataDoesNotRotateThePictureAgain(orientation: Int) throws {
        let home = try ToolHome()
        for source in try tagged(home, orientation: orientation) {
            let plain = try home.shrunk([source, "--width", "48"], to: "plain.png")
            for target in ["b.jpg", "b.png", "b.webp"] {
                let made = try home.shrunk([source, "--width", "48", "--metadata", "exif"], to: target)
                let bytes = try home.bytes(target)
                #expect(
                    contains(bytes, DrawnEXIF.place.utf8) && contains(bytes, DrawnEXIF.copyright.utf8),
                    "\(target) of \(source)")
                let header = try Picture.header(home.path(target))
                #expect(header.orientation == .upright, "\(target) of \(source)")
                // Compares the upright pictures, as a viewer shows them.
                #expect(try #require(made.likeness(to: plain)) > 25, "\(target) of \(source)")
            }
        }
    }

    @Test func copyrightCanBeKeptAlone() throws {
        let home = try ToolHome()
        for source in try tagged(home, orientation: 6) {
            for target in ["b.jpg", "b.png", "b.webp"] {
                _ = try home.run("img-downsample", [source, "--width", "48", "--metadata", "copyright", "-o", target])
                    .expect(
                        0)
                let bytes = try home.bytes(target)
                #expect(!contains(bytes, DrawnEXIF.place.utf8), "\(target) of \(source)")
                let kept = try EmbeddedMetadata.read(MemorySource(bytes))
                #expect(
                    kept.copyright == DrawnEXIF.copyright && kept.artist == DrawnEXIF.artist, "\(target) of \(source)")
                #expect(try Picture.header(home.path(target)).orientation == .upright)
            }
        }
        // Missing metadata is not invented.
        try home.write("bare.jpg", try Picture.jpeg(40, 30))
        _ = try home.run("img-downsample", ["bare.jpg", "--metadata", "copyright,exif", "-o", "b.jpg"]).expect(0)
        #expect(!contains(try home.bytes("b.jpg"), "Exif".utf8))
    }
}
