import Formats
import Images
import Libc
import Records
import Support
import TestSupport
import Testing

/// Many variants of a picture, and their records.
struct DownsampleVariantsTests {
    private static let names = "overlay,pager,launch-card,rocket-card,preference-view,detail-view"

    /// Properties that change when a file is replaced.
    private func identity(_ path: String) -> [Int] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return [Int(status.st_ino), Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
    }

    // MARK: Single decoding

    @Test(arguments: ["sky.jpg", "progressive.jpg", "sky.png", "sky.webp", "turned.jpg"])
    func variantsMadeTogetherEqualSingleVariants(file: String) throws {
        let home = try ToolHome()
        let sky = DrawnPicture.sky(501, 377, seed: 4)
        let bytes: [UInt8]
        switch file {
        case "progressive.jpg":
            bytes = try encode(PixelBuffer(sky), EncodeOptions(format: .jpeg, quality: 90, isProgressive: true))
        case "sky.png": bytes = sky.png(.stored)
        case "sky.webp": bytes = try Picture.encoded(sky, .webp)
        case "turned.jpg": bytes = Picture.turned(try Picture.encoded(sky, .jpeg), orientation: 6)
        default: bytes = try Picture.encoded(sky, .jpeg)
        }
        try home.write(file, bytes)
        let wishes = ["pager", "launch-card", "rocket-card", "preference-view"]
        let together = try home.run(
            "img-downsample",
            [file, "--variant", wishes.joined(separator: ","), "--fit", "90x90", "--format", "png"]
        ).expect(0).record
        for name in wishes + ["fit"] {
            let wish = name == "fit" ? ["--fit", "90x90"] : ["--variant", name]
            let alone = try home.shrunk([file] + wish)
            let path = try #require(together.variant(name)?.string("path"))
            let likeness = try #require(home.pixels(path).likeness(to: alone), "\(name) of \(file)")
            #expect(likeness >= 40, "\(name) of \(file): \(likeness) dB")
        }
    }

    @Test func listAndRepeatedOptionsAreEquivalent() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        let list = try home.run("img-downsample", ["sky.jpg", "--variant", "pager,rocket-card"]).expect(0).record
        let repeated = try home.run(
            "img-downsample", ["sky.jpg", "--variant", "rocket-card", "--variant", "pager", "--variant", "pager"]
        ).expect(0).record
        for name in ["pager", "rocket-card"] {
            #expect(list.variant(name)?.string("path") == repeated.variant(name)?.string("path"))
            #expect(repeated.variant(name)?.string("status") == "hit")
        }
        for wrong in ["pager,", ",pager", "", "pager,,overlay"] {
            try home.run("img-downsample", ["sky.jpg", "--variant", wrong])
                .expectRefusal(64, "img-downsample", "unknown variant")
        }
    }

    @Test func cachedVariantIsNotMadeAgain() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        let first = try home.run("img-downsample", ["sky.jpg", "--variant", "pager"]).expect(0).record
        let path = try #require(first.variant("pager")?.string("path"))
        let before = identity(path)
        let record = try home.run("img-downsample", ["sky.jpg", "--variant", Self.names]).expect(0).record
        for name in Self.names.split(separator: ",").map(String.init) {
            #expect(record.variant(name)?.string("status") == (name == "pager" ? "hit" : "made"), "\(name)")
        }
        #expect(record.variant("pager")?.string("path") == path && identity(path) == before)
        let again = try home.run("img-downsample", ["sky.jpg", "--variant", Self.names]).expect(0).record
        for name in Self.names.split(separator: ",").map(String.init) {
            #expect(again.variant(name)?.string("status") == "hit", "\(name)")
            #expect(again.variant(name)?.string("path") == record.variant(name)?.string("path"))
            #expect(again.variant(name)?.integer("bytes") == record.variant(name)?.integer("bytes"))
        }
        // Only the missing file is made again.
        unlink(path)
        let repaired = try home.run("img-downsample", ["sky.jpg", "--variant", "overlay,pager"]).expect(0).record
        #expect(repaired.variant("pager")?.string("status") == "made")
        #expect(repaired.variant("overlay")?.string("status") == "hit")
        #expect(TestFile.exists(path))
    }

    // MARK: One record per variant

    /// The names of the variants in each record.
    private func variants(_ records: [Record]) throws -> [Set<String>] {
        try records.map { Set(try Record(parsing: try #require($0.raw("variants"))).names) }
    }

    @Test(arguments: [false, true]) func incrementalRecordsBeginWithTheSmallestVariant(intoFolder: Bool) throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        let arguments = [
            "sky.jpg", "--variant", "overlay,pager", "--width", "50", "--fit", "90x90", "--incremental",
        ]
        let records = try home.run("img-downsample", arguments + (intoFolder ? ["--output-dir", "out"] : []))
            .expect(0).records
        let order = ["custom", "fit", "pager", "overlay"]
        #expect(try variants(records) == (1...4).map { Set(order[..<$0]) })
        for record in records {
            #expect(record.string("path") == home.path("sky.jpg"))
            for name in try variants([record])[0] {
                let variant = try #require(record.variant(name))
                #expect(variant.string("status") == "made")
                #expect(try TestFile.bytes(#require(variant.string("path"))).count == variant.integer("bytes"))
            }
        }
        // Without `--incremental`, there is a single record with all variants.
        let one = try home.run(
            "img-downsample", arguments.dropLast() + (intoFolder ? ["--output-dir", "out"] : [])
        ).expect(0).record
        #expect(try variants([one]) == [Set(order)])
    }

    @Test(arguments: [1, 6, 8]) func embeddedThumbnailComesFirst(orientation: Int) throws {
        let home = try ToolHome()
        let sky = try Picture.encoded(.sky(640, 480, seed: 9), .jpeg)
        // The thumbnail differs from the picture.
        let thumbnail = try Picture.encoded(.quarters(160, 120), .jpeg)
        let exif = DrawnEXIF.tiff(orientation: orientation, thumbnail: thumbnail)
        try home.write("sky.jpg", Picture.tagged(sky, exif: exif))
        for options in [[], ["--output-dir", "out"]] {
            let records = try home.run(
                "img-downsample", ["sky.jpg", "--variant", "pager", "--width", "60", "--incremental"] + options
            ).expect(0).records
            #expect(
                try variants(records) == [
                    ["thumbnail"], ["thumbnail", "custom"], ["thumbnail", "custom", "pager"],
                ])
            let first = try #require(records.first?.variant("thumbnail")?.string("path"))
            let shown = try home.pixels(first)
            #expect(shown.words == (orientation == 1 ? "160x120" : "120x160"))
            let corner = orientation == 1 ? (5, 5) : orientation == 6 ? (114, 5) : (5, 154)
            let red = shown.at(corner.0, corner.1)
            #expect(red[0] > 230 && red[1] < 25 && red[2] < 25, "\(red)")
            #expect(try Picture.header(first).orientation == .upright)
        }
        // Without `--incremental`, there is no thumbnail.
        let plain = try home.run("img-downsample", ["sky.jpg", "--variant", "pager"]).expect(0).record
        #expect(plain.variant("thumbnail") == nil)
    }

    @Test func uprightThumbnailIsNotRotatedAgain() throws {
        let home = try ToolHome()
        let sky = try Picture.encoded(.sky(640, 480, seed: 9), .jpeg)
        let thumbnail = try Picture.encoded(.quarters(120, 160), .jpeg)
        try home.write(
            "sky.jpg", Picture.tagged(sky, exif: DrawnEXIF.tiff(orientation: 6, thumbnail: thumbnail, own: 1)))
        let first = try home.run("img-downsample", ["sky.jpg", "--width", "60", "--incremental"])
            .expect(0).records.first
        let shown = try home.pixels(#require(first?.variant("thumbnail")?.string("path")))
        #expect(shown.words == "120x160" && shown.at(5, 5)[0] > 230 && shown.at(5, 5)[1] < 25)
    }

    @Test(arguments: [false, true]) func blackBarsOfAThumbnailAreCropped(isTurned: Bool) throws {
        let home = try ToolHome()
        let sky = try Picture.encoded(.sky(600, 400, seed: 9), .jpeg)
        let thumbnail = try Picture.encoded(.quarters(160, 120), .jpeg)
        let exif = DrawnEXIF.tiff(orientation: isTurned ? 6 : 1, thumbnail: thumbnail)
        try home.write("sky.jpg", Picture.tagged(sky, exif: exif))
        let first = try home.run("img-downsample", ["sky.jpg", "--width", "60", "--incremental"])
            .expect(0).records.first
        let shown = try home.pixels(#require(first?.variant("thumbnail")?.string("path")))
        #expect(shown.words == (isTurned ? "106x160" : "160x106"))
    }

    @Test func damagedThumbnailIsIgnored() throws {
        let home = try ToolHome()
        let sky = try Picture.encoded(.sky(320, 240, seed: 9), .jpeg)
        let thumbnail = try Picture.encoded(.quarters(160, 120), .jpeg)
        for broken in [Array(thumbnail[..<(thumbnail.count / 2)]), [0xFF, 0xD8, 0xFF, 0xD9], [1, 2, 3, 4, 5]] {
            try home.write("sky.jpg", Picture.tagged(sky, exif: DrawnEXIF.tiff(thumbnail: broken)))
            let output = try home.run(
                "img-downsample", ["sky.jpg", "--width", "60", "--incremental"]
            ).expect(0)
            #expect(try output.record.variant("custom")?.integer("width") == 60 && output.stderr == "")
        }
    }

    // MARK: Records

    @Test func unknownFieldsStayUnchanged() throws {
        let home = try ToolHome()
        let path = try home.write("a.png", DrawnPicture.gradient(40, 20).png())
        let line =
            #"{"z":1.500,"path":"\#(path)","title":"M\u00e9ssier \/ 31","deep":{"b":[1e3,-0.0]},"#
            + #""variants":{"mine":{"path":"x","width":7.0},"custom":{"path":"old"}},"n":123456789012345678901}"#
        let options = ["--width", "9", "--allow-path", "."]
        let output = try home.run("img-downsample", options, stdin: .lines([line])).expect(0)
        let text = output.lines[0]
        for kept in [
            #""z":1.500"#, #""title":"M\u00e9ssier \/ 31""#, #""deep":{"b":[1e3,-0.0]}"#,
            #""n":123456789012345678901"#, #""mine":{"path":"x","width":7.0}"#,
        ] { #expect(text.contains(kept), "\(kept) in \(text)") }
        let record = try output.record
        #expect(record.names == ["z", "path", "title", "deep", "variants", "n"])
        #expect(try variants([record]) == [["mine", "custom"]])
        #expect(record.variantSize("custom") == "9x5")
    }

    @Test func failureNamesItsFileAndOtherFilesAreMade() throws {
        let home = try ToolHome()
        try home.write("good.jpg", Picture.sky)
        try home.write("text.jpg", "this is no picture at all, although its name says so")
        try home.write("cut.jpg", Array(Picture.sky[..<(Picture.sky.count / 2)]))
        let names = ["text.jpg", "good.jpg", "cut.jpg", "missing.jpg"]
        let output = try home.run("img-downsample", names + ["--variant", "pager"])
        let records = try output.records
        #expect(output.status == 65 && records.count == 4)
        for (record, name) in zip(records, names) where name != "good.jpg" {
            let message = try #require(record.string("error.message"))
            #expect(message.contains(name) && output.errorLines.contains("img-downsample: \(message)"))
            #expect(record.string("error.tool") == "img-downsample")
            #expect(record.integer("error.exit") == (name == "missing.jpg" ? 66 : 65))
        }
        #expect(records[1].variant("pager")?.string("status") == "made" && !records[1].has("error"))
    }

    @Test func recordsOfTheSamePictureMakeAVariantOnce() throws {
        let home = try ToolHome()
        let path = try home.write("sky.jpg", Picture.sky)
        let lines = (0..<6).map { #"{"id":\#($0),"path":"\#(path)"}"# }
        let records = try home.run(
            "img-downsample", ["--variant", "pager,rocket-card", "--jobs", "4", "--allow-path", "."],
            stdin: .lines(lines)
        ).expect(0).records
        #expect(records.map { $0.integer("id") } == Array(0..<6))
        for name in ["pager", "rocket-card"] {
            #expect(records.filter { $0.variant(name)?.string("status") == "made" }.count == 1)
            #expect(Set(records.compactMap { $0.variant(name)?.string("path") }).count == 1)
        }
        #expect(home.blobs.count == 3 && home.leftovers == [])
        // Concurrent runs do not make a variant twice either.
        try home.write("other.jpg", Picture.tallSky)
        let runs = try (0..<2).map { _ in
            try home.start("img-downsample", ["other.jpg", "--variant", "pager"], stdin: .empty)
        }
        let both = try runs.map { try $0.wait().expect(0).record }
        #expect(Set(both.compactMap { $0.variant("pager")?.string("path") }).count == 1)
        #expect(both.filter { $0.variant("pager")?.string("status") == "made" }.count == 1)
        #expect(home.blobs.count == 5)
    }

    @Test func truncatedPictureIsShownOnlyIfAllowed() throws {
        let home = try ToolHome()
        let path = try home.write("cut.jpg", Array(Picture.sky[..<(Picture.sky.count * 2 / 3)]))
        let arguments = ["cut.jpg", "--width", "100"]
        func refused() throws {
            try home.run("img-downsample", arguments)
                .expectFailure(65, code: "truncated-image", tool: "img-downsample")
            _ = try home.run("img-cache", ["put", path]).expect(65)
        }
        try refused()
        for status in ["made", "hit"] {
            let record = try home.run("img-downsample", arguments + ["--allow-damaged=truncated"]).expect(0).record
            let variant = try #require(record.variant("custom"))
            #expect(variant.bool("truncated") == true && variant.string("status") == status)
            #expect(record.variantSize("custom") == "100x75")
            #expect(try Picture.size(#require(variant.string("path"))) == "100x75")
        }
        // A variant cached with `--allow-damaged=truncated` does not make the picture valid without the option.
        try refused()
        let folder = try home.run("img-downsample", arguments + ["--allow-damaged=truncated", "--output-dir", "out"])
            .expect(0)
        #expect(try folder.record.variant("custom")?.bool("truncated") == true)
    }

    /// The sky with damaged entropy-coded data.
    private static let damaged: [UInt8] = {
        var bytes = Picture.sky
        for place in stride(from: bytes.count / 2, to: bytes.count / 2 + 40, by: 4) { bytes[place] = 0xEE }
        // Inserts a restart marker, although the picture has no restart intervals.
        bytes.replaceSubrange(bytes.count / 2 + 44..<bytes.count / 2 + 46, with: [0xFF, 0xD3])
        return bytes
    }()

    @Test func damagedPictureIsShownOnlyIfAllowedAndIsMarked() throws {
        let home = try ToolHome()
        try home.write("bad.jpg", Self.damaged)
        try home.write("good.jpg", Picture.sky)
        let arguments = ["bad.jpg", "--width", "100"]
        func refused(_ options: [String]) throws {
            try home.run("img-downsample", arguments + options)
                .expectFailure(65, code: "corrupt-image", tool: "img-downsample")
        }
        try refused([])
        for status in ["made", "hit"] {
            let output = try home.run("img-downsample", arguments + ["--allow-damaged"]).expect(0)
            let variant = try #require(output.record.variant("custom"))
            #expect(variant.bool("damaged") == true && variant.string("status") == status)
            #expect(output.stderr.contains("bad.jpg: the picture is damaged"), "\(output)")
        }
        // A variant made with `--allow-damaged` is not used without the option.
        try refused([])
        let good = try home.run("img-downsample", ["good.jpg", "--width", "100", "--allow-damaged"]).expect(0)
        #expect(try good.record.variant("custom")?.has("damaged") == false && good.stderr.isEmpty)
    }

    @Test func allowDamagedIncludesTruncatedPictures() throws {
        let home = try ToolHome()
        try home.write("cut.jpg", Array(Picture.sky[..<(Picture.sky.count * 2 / 3)]))
        let output = try home.run("img-downsample", ["cut.jpg", "--width", "100", "--allow-damaged"]).expect(0)
        let variant = try #require(output.record.variant("custom"))
        #expect(variant.bool("truncated") == true && !variant.has("damaged"))
    }

    @Test func bothDecodersShowTheSamePixels() throws {
        let home = try ToolHome()
        try home.write("sky.jpg", Picture.sky)
        func pixels(_ options: [String]) throws -> [UInt8] {
            try home.run("img-downsample", ["sky.jpg", "--format", "png", "-o", "sky.png"] + options).expect(0)
            return try decode(MemorySource(TestFile.bytes(home.path("sky.png")))).bytes
        }
        #expect(try pixels([]) == pixels(["APOD_TOOLS_DECODER=libjpeg"]))
        // The decoders do not share cached variants, because their pixels differ at smaller sizes.
        let arguments = ["sky.jpg", "--width", "100"]
        for options in [[], ["APOD_TOOLS_DECODER=libjpeg"]] {
            let output = try home.run("img-downsample", arguments + options).expect(0)
            #expect(try output.record.variant("custom")?.string("status") == "made")
        }
    }

    @Test func invalidExifIsIgnored() throws {
        let home = try ToolHome()
        let head = Array("Exif\0\0".utf8)
        let blocks: [[UInt8]] = [
            [], [0x45], head, head + [0x49, 0x49], head + Array("II*\0".utf8) + [0xFF, 0xFF, 0xFF, 0xFF],
            head + Array("MM\0*".utf8) + [0, 0, 0, 8, 0xFF, 0xFF] + .init(repeating: 0xFF, count: 60),
            head + Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 9, 0, 0xFF, 0xFF, 0xFF, 0x7F, 9, 9, 9, 9],
        ]
        for (index, block) in blocks.enumerated() {
            let segment = [0xFF, 0xE1, 0, UInt8(block.count + 2)] + block
            // Stray bytes follow the segment, as if its length were wrong.
            let bytes = Picture.sky[..<2] + segment + [0, 0x12] + Picture.sky[2...]
            let path = try home.write("\(index).jpg", Array(bytes))
            _ = try home.run("img-cache", ["put", path]).expect(0)
            for kind in ["exif", "copyright"] {
                _ = try home.run("img-downsample", [path, "--width", "50", "--metadata", kind]).expect(0)
            }
        }
    }
}
