import Records
import Support
import TestSupport
import Testing

/// All tools refuse the same files, for every output format.
struct OneVerdictTests {
    private static let pictures = [
        "photos/baseline-420.jpg", "photos/progressive-420.jpg", "png-suite/rgb-8.png", "gif/still.gif",
        "gif/loop-once.gif",
        "webp/lossy.webp", "webp/lossless.webp", "webp/animated.webp", "others/lossy.jxl", "others/lossless.jxl",
        "others/avif-420.avif",
        "others/heic.heic", "others/tiff-lzw.tif",
    ]

    private static let damagedEnd: [UInt8] = [0x40, 0x41]

    /// Writes the test pictures, each truncated in several ways.
    private func files(_ home: ToolHome) throws -> [String] {
        var names: [String] = []
        for picture in Self.pictures {
            let bytes = try TestFile.bytes("\(Corpus.smallImages)/\(picture)")
            let name = picture.replacing("/", with: "-")
            // The last bytes of the TIFF are padding.
            for cut in picture.hasSuffix("tif") ? [9, bytes.count / 2] : [1, 2, 9, bytes.count / 2] {
                names.append("\(cut)-\(name)")
                try home.write(names[names.count - 1], Array(bytes.dropLast(cut)))
            }
        }
        let gif = try TestFile.bytes("\(Corpus.smallImages)/gif/loop-once.gif")
        try home.write("damaged-end.gif", gif.dropLast() + Self.damagedEnd)
        return names + ["damaged-end.gif"]
    }

    private func codes(_ home: ToolHome, _ tool: String, _ arguments: [String]) throws -> [String?] {
        try home.run(tool, arguments).expect(65).records.map { $0.string("error.code") }
    }

    @Test func truncatedFileIsRefusedByAllTools() throws {
        let home = try ToolHome()
        let names = try files(home)
        let kept = try codes(home, "img-cache", ["put"] + names)
        #expect(kept == names.map { $0 == "damaged-end.gif" ? "corrupt-image" : "truncated-image" })
        #expect(try codes(home, "img-downsample", ["--width", "20"] + names) == kept)
        #expect(try codes(home, "img-downsample", ["--width", "20", "--output-dir", "out"] + names) == kept)
        for name in names {
            for format in name.hasSuffix("gif") || name.hasSuffix("webp") ? ["png", "webp", "jpeg"] : ["png"] {
                let output = try home.run(
                    "img-downsample", [name, "--width", "20", "--format", format, "-o", "made"])
                #expect(output.status == 65, "\(name) as \(format): \(output)")
            }
        }
        let gifs = names.filter { $0.hasSuffix("gif") }
        let told = try codes(home, "gif-cache", ["info", "--json"] + gifs.map { "./\($0)" })
        #expect(told == gifs.map { $0 == "damaged-end.gif" ? "corrupt-gif" : "truncated-gif" })
    }

    @Test(arguments: ["png", "webp", "gif"])
    func allowDamagedShowsTheFramesOfADamagedGIF(format: String) throws {
        let home = try ToolHome()
        _ = try files(home)
        let arguments = ["damaged-end.gif", "--width", "20", "--format", format]
        for target in [[], ["--output-dir", "out"]] {
            try home.run("img-downsample", arguments + target + ["--allow-damaged=truncated"]).expect(65)
            let output = try home.run("img-downsample", arguments + target + ["--allow-damaged"]).expect(0)
            #expect(try output.record.variant("custom")?.bool("damaged") == true)
            #expect(output.stderr.contains("damaged-end.gif: the picture is damaged"), "\(output)")
        }
        let cut = try home.run(
            "img-downsample", ["1-gif-loop-once.gif", "--width", "20", "--format", format, "--allow-damaged=truncated"])
        #expect(try cut.expect(0).record.variant("custom")?.bool("truncated") == true)
    }
}
