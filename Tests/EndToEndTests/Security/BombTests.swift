import Formats
import Images
import Libc
import Records
import Support
import TestSupport
import Testing

/// Small files that claim large dimensions.
enum Bomb {
    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] { little(value, count).reversed() }

    /// A truecolour PNG (colour type 2) with the given chunks before its pixel data, which is a single byte.
    static func png(_ width: Int, _ height: Int, isInterlaced: Bool = false, _ chunks: [PNGChunk] = []) -> [UInt8] {
        let header = big(width, 4) + big(height, 4) + [8, 2, 0, 0, isInterlaced ? 1 : 0]
        let all = [PNGChunk("IHDR", header)] + chunks + [PNGChunk("IDAT", Deflate.zlib([0])), PNGChunk("IEND", [])]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + all.flatMap(\.bytes)
    }

    /// The headers of a JPEG: unused tables, one component, one scan.
    static func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
        let quantisation: [UInt8] = [0xFF, 0xDB, 0, 67, 0] + Array(repeating: 1, count: 64)
        return [0xFF, 0xD8] + quantisation + [0xFF, 0xC0, 0, 11, 8] + big(height, 2) + big(width, 2) + [1, 1, 0x11, 0]
            + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0, 0xFF, 0xD9]
    }

    /// A GIF with frames of a single pixel on a large canvas.
    static func gif(_ width: Int, _ height: Int, frames: Int) -> [UInt8] {
        // An image of 1x1 pixels with 2-bit codes: clear, 0, end.
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        return Array("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
            + (0..<frames).flatMap { _ in frame } + [0x3B]
    }

    /// An animated WebP with frames of a single pixel, whose data comes from a real picture.
    static func webp(_ width: Int, _ height: Int, frames: Int, pixel: [UInt8]) -> [UInt8] {
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            Array(name.utf8) + little(body.count, 4) + body + (body.count % 2 == 0 ? [] : [0])
        }
        // Drops the RIFF tag, the size and the WEBP tag.
        let data = Array(pixel.dropFirst(12))
        let frame = chunk("ANMF", little(0, 6) + little(0, 6) + little(100, 3) + [0] + data)
        let body =
            chunk("VP8X", [0x12, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
            + chunk("ANIM", [0, 0, 0, 0, 0, 0]) + (0..<frames).flatMap { _ in frame }
        return Array("RIFF".utf8) + little(body.count + 4, 4) + Array("WEBP".utf8) + body
    }

    /// A zlib stream of a few thousand bytes that decompresses to 258 × `matches` zeros: a block with fixed codes (RFC
    /// 1951 §3.2.6), a zero, then matches of length 258 (11000101) at distance 1 (00000). No checksum.
    static func zeros(matches: Int) -> [UInt8] {
        var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
        for _ in 0..<matches { bits += [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0] }
        bits += [0, 0, 0, 0, 0, 0, 0]
        var bytes: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: bits.count, by: 8) {
            bytes.append((start..<min(start + 8, bits.count)).reduce(0) { $0 | bits[$1] << ($1 - start) })
        }
        return bytes
    }
}

/// Small files that would be expensive to process.
@Suite(.serialized) struct BombTests {
    /// The error code for each file, in order; nil for a picture.
    private func codes(_ home: ToolHome, _ files: [[UInt8]], _ options: [String] = []) throws -> [String?] {
        let paths = try files.enumerated().map { try home.write("bomb\($0)", $1) }
        let arguments = paths + ["--variant", "pager", "--output-dir", "out"] + options
        let output = try home.run("img-downsample", arguments, deadline: .seconds(60))
        #expect([0, 65, 77].contains(output.status), "\(output)")
        return try output.records.map { $0.string("error.code") }
    }

    @Test func excessiveDimensionsAreRefused() throws {
        let home = try ToolHome()
        let pixel = try Picture.webp(1, 1)
        let codes = try codes(
            home,
            [
                Bomb.png(0x7FFF_FFFF, 0x7FFF_FFFF), Bomb.png(20_000, 20_001),
                Bomb.png(19_000, 19_000, isInterlaced: true),
                Bomb.jpeg(65_500, 65_500), Bomb.gif(65_535, 65_535, frames: 2), Bomb.gif(1, 1, frames: 10_000),
                Bomb.gif(2000, 2000, frames: 1100), Bomb.webp(100_000, 40_000, frames: 2, pixel: pixel),
                Bomb.webp(16_383, 16_383, frames: 2, pixel: pixel), Bomb.webp(2000, 2000, frames: 1100, pixel: pixel),
                Bomb.webp(10, 10, frames: 2500, pixel: pixel),
            ])
        #expect(
            codes == [
                "too-many-pixels", "too-many-pixels", "out-of-memory-limit", "too-many-pixels", "too-many-pixels",
                "too-many-frames", "too-many-animation-pixels", "too-many-pixels", "out-of-memory-limit",
                "too-many-animation-pixels", "too-many-frames",
            ])
    }

    @Test func thousandsOfScansAreRefused() throws {
        let home = try ToolHome()
        let size = PixelSize(width: 64, height: 64)
        let pixels = PixelBuffer(size: size, channels: 1, bytes: .init(repeating: 9, count: 4096))
        let jpeg = try encode(pixels, EncodeOptions(format: .jpeg, isProgressive: true))
        let last = try #require(jpeg.indices.dropLast().last { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xDA })
        let scan = Array(jpeg[last..<jpeg.count - 2])
        let bomb = Array(jpeg[..<last]) + (0..<3000).flatMap { _ in scan } + [0xFF, 0xD9]
        #expect(try codes(home, [bomb]) == ["too-many-scans"])
        #expect(
            try codes(home, [bomb], ["APOD_TOOLS_DECODER=full", "--allow-damaged=truncated"]) == ["too-many-scans"])
    }

    @Test func fileOverTheByteLimitIsRefused() throws {
        let home = try ToolHome()
        let path = try home.write("large.png", Bomb.png(10, 10))
        // The sparse file uses no disk space.
        #expect(truncate(path, 300 << 20) == 0)
        let output = try home.run("img-downsample", [path, "--variant", "pager", "--output-dir", "out"])
        try output.expectFailure(77, code: "too-many-bytes", tool: "img-downsample")
    }

    @Test func largeCompressedMetadataIsNotUnpacked() throws {
        let home = try ToolHome()
        let zeros = Bomb.zeros(matches: 60_000)
        let drawn = DrawnPicture.gradient(8, 8).png()
        func with(_ name: String, _ head: String) -> [UInt8] {
            let body = Array(head.utf8) + [0, 0] + zeros
            // Inserts the chunk after the header.
            return Array(drawn[..<33]) + PNGChunk(name, body).bytes + Array(drawn[33...])
        }
        #expect(try codes(home, [with("zTXt", "Comment"), with("iCCP", "bomb")]) == [nil, nil])
        #expect(try codes(home, [with("zTXt", "Comment")], ["--metadata", "exif"]) == [nil])
    }

    @Test func pictureOverTheTimeLimitIsRefused() throws {
        let home = try ToolHome()
        let picture = DrawnPicture.noise(1500, 1000, seed: 4)
        let png = picture.png(.stored, filter: PNGFilter.none)
        #expect(try codes(home, [png], ["APOD_TOOLS_MAX_SECONDS=0.001"]) == ["too-slow"])
        #expect(try codes(home, [png], ["APOD_TOOLS_MAX_SECONDS=0.001", "--format", "webp"]) == ["too-slow"])
    }

    @Test func concurrentPicturesShareTheMemoryLimit() throws {
        let home = try ToolHome()
        let pixels = PixelBuffer(
            size: PixelSize(width: 1500, height: 1500), channels: 3, bytes: .init(repeating: 7, count: 6_750_000))
        // Each picture needs 7 MB for all of its pixels.
        let png = try encode(pixels, EncodeOptions(format: .png, isProgressive: true))
        let paths = try (0..<12).map { try home.write("\($0).png", png) }
        let tool = try home.start(
            "img-downsample",
            [
                "--width", "200", "--output-dir", "out", "--jobs", "4", "APOD_TOOLS_MAX_MEMORY=9MB",
                "--allow-path", ".",
            ])
        for path in paths { tool.write(Array(JSON.object(["path": .string(path)]).bytes) + [UInt8(ascii: "\n")]) }
        for _ in paths { #expect(tool.readLine(within: .seconds(60))?.contains("\"made\"") == true) }
        let peak = tool.peakMemory ?? 0
        let output = tool.wait()
        #expect(output.status == 0, "\(output)")
        // The unoptimised tool itself uses up to 18 MB; four concurrent pictures would need 28 MB more.
        if !isUnderAddressSanitizer { #expect(peak < 40 << 20, "\(peak)") }
    }

    @Test func damagedWebPWithLargeDimensionsUsesLittleMemory() throws {
        let home = try ToolHome()
        var webp = try Picture.webp(40, 30)
        // In a lossy stream, the size follows the start code (RFC 6386 §9.1).
        let code = try #require((0..<webp.count - 7).first { webp[$0..<$0 + 3].elementsEqual([0x9D, 0x01, 0x2A]) })
        webp.replaceSubrange(code + 3..<code + 7, with: [0xF8, 0x2A, 0xE0, 0x2E])
        let path = try home.write("large.webp", webp)
        let tool = try home.start(
            "img-downsample",
            ["--width", "20", "--output-dir", "out", "APOD_TOOLS_MAX_MEMORY=4GB", "--allow-path", "."])
        tool.write(Array(JSON.object(["path": .string(path)]).bytes) + [UInt8(ascii: "\n")])
        #expect(tool.readLine(within: .seconds(60))?.contains("\"corrupt-image\"") == true)
        // The claimed 11000x12000 pixels would need 396 MB.
        if !isUnderAddressSanitizer, let peak = tool.peakMemory { #expect(peak < 64 << 20, "\(peak)") }
        #expect(tool.wait().status == 65)
    }

    @Test(.enabled(if: Corpus.isPresent)) func veryLargeBaselineJPEGUsesLittleMemory() throws {
        let home = try ToolHome()
        let path = try Corpus.path("images/photos/giant-20000x14000-gray.jpg")
        let tool = try home.start(
            "img-downsample", ["--variant", "pager", "--output-dir", "out"],
            environment: ["APOD_TOOLS_ALLOW_PATH": "/"])
        tool.write(Array(JSON.object(["path": .string(path)]).bytes) + [UInt8(ascii: "\n")])
        #expect(tool.readLine(within: .seconds(60))?.contains("\"made\"") == true)
        if !isUnderAddressSanitizer, let peak = tool.peakMemory { #expect(peak < 48 << 20, "\(peak)") }
        #expect(tool.wait().status == 0)
    }

    // MARK: Interruption

    private func noise(_ width: Int, _ height: Int, _ options: EncodeOptions) throws -> [UInt8] {
        let picture = DrawnPicture.noise(width, height, seed: 8)
        let pixels = PixelBuffer(size: PixelSize(width: width, height: height), channels: 3, bytes: picture.bytes)
        return try encode(pixels, options)
    }

    /// Interrupts the tool once it writes its output. Expects that only the input remains.
    private func interrupt(_ input: [UInt8], _ output: String, _ options: [String] = []) throws {
        let home = try ToolHome()
        let file = try home.write("in", input)
        let running = try home.start("img-downsample", [file, "-o", output] + options, stdin: .empty)
        while running.isRunning, TemporaryFolder.names(in: home.work).count < 2 {}
        running.kill(SIGTERM)
        let end = running.wait(deadline: .seconds(20))
        #expect(!end.overran, "\(end)")
        // The tool may have finished before the signal.
        if end.status == nil {
            #expect(end.signal == SIGTERM, "\(end)")
            #expect(TemporaryFolder.names(in: home.work) == ["in"], "\(end)")
        }
    }

    @Test func signalEndsALongDecodeOrEncodeAndLeavesNoFile() throws {
        let progressive = try noise(1800, 1400, EncodeOptions(format: .jpeg, quality: 95, isProgressive: true))
        try interrupt(progressive, "out.png", ["--width", "1790", "APOD_TOOLS_DECODER=full"])
        try interrupt(progressive, "out.webp", ["--width", "1790"])
        try interrupt(progressive, "out.jpg", ["--width", "1790", "--progressive"])
        try interrupt(progressive, "small.webp", ["--width", "1000", "--fit-bytes", "20KB"])
        try interrupt(noise(1800, 1400, EncodeOptions(format: .webp, quality: 95)), "out.png", ["--width", "1790"])
        let frames = (0..<40).map { DrawnPicture.noise(120, 90, seed: UInt64($0)) }
        try interrupt(DrawnAnimation(frames).gif(), "out.gif", ["--width", "600", "--enlarge"])
        try interrupt(DrawnAnimation(frames).gif(), "out.webp", ["--width", "600", "--enlarge"])
    }
}
