import Formats
import Images
import Support
import TestSupport
import Testing

@testable import Previews

/// The pixels and bytes of previews.
struct PreviewDrawingTests {
    /// Returns the picture with every pixel replaced by the first pixel of its block.
    private func blocks(_ pixels: PixelBuffer, _ width: Int, _ height: Int) -> PixelBuffer {
        var result = pixels
        let channels = pixels.channels
        for y in 0..<pixels.size.height {
            for x in 0..<pixels.size.width {
                let source = ((y / height * height) * pixels.size.width + x / width * width) * channels
                let target = (y * pixels.size.width + x) * channels
                for c in 0..<channels { result.bytes[target + c] = pixels.bytes[source + c] }
            }
        }
        return result
    }

    /// Returns the picture with transparent pixels set to black.
    private func visible(_ pixels: PixelBuffer) -> PixelBuffer {
        guard pixels.channels == 4 else { return pixels }
        var result = pixels
        for place in stride(from: 0, to: result.bytes.count, by: 4) where result.bytes[place + 3] == 0 {
            for c in 0..<3 { result.bytes[place + c] = 0 }
        }
        return result
    }

    private static let passBlocks = [(8, 8), (4, 8), (4, 4), (2, 4), (2, 2), (1, 2)]

    private func checkPNG(_ bytes: [UInt8], _ name: String = "") throws {
        let whole = try decode(MemorySource(bytes))
        for scan in scans(in: bytes) {
            let shown = try decode(MemorySource(try preview(of: scan, in: bytes)))
            let block = Self.passBlocks[scan.number - 1]
            #expect(shown == blocks(whole, block.0, block.1), "\(name) after pass \(scan.number)")
        }
    }

    @Test func pixelsOfAPNGPassFillTheirBlocks() throws {
        for channels in 1...4 { try checkPNG(try interlacedPNG(61, 43, channels: channels)) }
        for width in 1...9 {
            for height in 1...9 { try checkPNG(try interlacedPNG(width, height), "\(width)x\(height)") }
        }
    }

    /// Every depth and colour type, with palettes and transparent colours.
    @Test func pixelsOfPassesInCorpusPNGsFillTheirBlocks() throws {
        var paths = try Corpus.pictures(in: "png-suite").filter {
            $0.contains("/basi") || $0.hasSuffix("-interlaced.png") && !$0.contains("/size-")
        }
        if Corpus.isPresent {
            paths += try ["benchRGB-interlace.png", "pil123rgba-interlaced.png"].map {
                try Corpus.path("images/photos/\($0)")
            }
        }
        for path in paths {
            let bytes = try TestFile.bytes(path)
            #expect(!scans(in: bytes).isEmpty, "\(path)")
            try checkPNG(bytes, path)
        }
    }

    @Test func rowsOfAGIFPassAreRepeated() throws {
        for bytes in [
            interlacedGIF(37, 29), interlacedGIF(20, 33, frames: 2), interlacedGIF(5, 6, colours: 4, transparent: 1),
            interlacedGIF(3, 2, colours: 2),
        ] {
            let whole = try decode(MemorySource(bytes))
            for scan in scans(in: bytes) {
                let shown = try decode(MemorySource(try preview(of: scan, in: bytes)))
                let expected = blocks(whole, 1, [8, 4, 2, 1][scan.number - 1])
                #expect(visible(shown) == visible(expected), "pass \(scan.number)")
            }
        }
    }

    @Test func rowsOfPassesInCorpusGIFsAreRepeated() throws {
        for name in try Corpus.pictures(in: "gif") where name.hasSuffix("interlaced.gif") {
            let bytes = try TestFile.bytes(name)
            let whole = try decode(MemorySource(bytes))
            let found = scans(in: bytes)
            #expect(found.map(\.number) == [1, 2, 3], "\(name)")
            for scan in found {
                let shown = try decode(MemorySource(try preview(of: scan, in: bytes)))
                #expect(shown == blocks(whole, 1, [8, 4, 2][scan.number - 1]), "\(name), pass \(scan.number)")
            }
        }
    }

    @Test func screenOutsideTheImageOfAGIFIsTransparent() throws {
        let bytes = interlacedGIF(10, 17, screen: (16, 24), at: (4, 5), colours: 20)
        let shown = try decode(
            MemorySource(try preview(of: try #require(scans(in: bytes).first), in: bytes)))
        #expect(shown.size == PixelSize(width: 16, height: 24) && shown.channels == 4)
        for y in 0..<24 {
            for x in 0..<16 {
                let isInside = (4..<14).contains(x) && (5..<22).contains(y)
                #expect(shown.bytes[(y * 16 + x) * 4 + 3] == (isInside ? 255 : 0), "\(x), \(y)")
            }
        }
        // An image that extends beyond the screen is clipped.
        let wide = interlacedGIF(30, 40, screen: (16, 24), at: (4, 5), colours: 20)
        let cut = try preview(of: try #require(scans(in: wide).first), in: wide)
        #expect(try decode(MemorySource(cut)).size == PixelSize(width: 16, height: 24))
        let full = interlacedGIF(10, 17, screen: (16, 24), at: (4, 5), colours: 256)
        #expect(throws: PreviewFailure.noFreeColour) { try preview(of: scans(in: full)[0], in: full) }
        let rows: [(PreviewFailure, String)] = [
            (.damaged, "65 preview-damaged: the picture is damaged"),
            (
                .noFreeColour,
                """
                65 preview-colours: the GIF's first image does not cover the canvas, and its palette of 256 colours \
                has no free entry for the transparent area
                """
            ),
            (.outOfMemory, "75 out-of-memory: not enough memory for the preview"),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }

    @Test func jpegPreviewConsistsOfTheScansSoFarAndAnEndMarker() throws {
        let bytes = try progressiveJPEG()
        var last = Double.infinity
        let whole = try decode(MemorySource(bytes))
        for scan in scans(in: bytes) {
            let shown = try preview(of: scan, in: bytes)
            #expect(shown == bytes[..<scan.end] + [0xFF, 0xD9])
            // `decode` refuses truncated files, so each preview is complete. No preview differs more from the picture
            // than the previous preview does.
            let pixels = try decode(MemorySource(shown))
            let difference = zip(pixels.bytes, whole.bytes).reduce(0.0) { $0 + abs(Double($1.0) - Double($1.1)) }
            #expect(pixels.size == whole.size && difference <= last)
            last = difference
        }
    }

    @Test func previewsOfCorpusJPEGsCanBeDecoded() throws {
        let drawn = [
            "gray-progressive.jpg", "progressive-420-restart.jpg", "progressive-422.jpg", "progressive-444.jpg",
        ]
        let real = [
            "progressive.jpeg", "progressive3.jpg", "video-001.progressive.jpeg", "non_interleaved_420_64x64.jpg",
            "flower_small.q85_420_non_interleaved.jpg", "rebuilt_relax_fill_bytes_before_marker.jpg",
            "down_sampled_grayscale_prog.jpg",
        ]
        let names = Set(drawn + real)
        for name in try Corpus.pictures(in: "photos") where names.contains(Self.last(name)) {
            let bytes = try TestFile.bytes(name)
            let found = scans(in: bytes)
            #expect(!found.isEmpty, "\(name)")
            for scan in found {
                let shown = try preview(of: scan, in: bytes)
                _ = try ImageInspection.inspect(MemorySource(shown))
                let pixels = try decode(MemorySource(shown))
                #expect(try pixels.size == ImageHeader.read(MemorySource(bytes)).uprightSize, "\(name) \(scan)")
            }
        }
    }

    private static func last(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

    @Test func previewDoesNotDependOnBytesAfterItsScan() throws {
        let bytes = try interlacedPNG(61, 43)
        for scan in scans(in: bytes) {
            let early = try preview(of: scan, in: bytes)
            let late = try preview(of: CompleteScan(number: scan.number, end: bytes.count), in: bytes)
            #expect(early == late)
        }
    }

    @Test func fileThatEndsBeforeTheScanIsRefused() throws {
        for bytes in [try progressiveJPEG(), try interlacedPNG(61, 43), interlacedGIF(37, 29)] {
            let last = try #require(scans(in: bytes).last)
            #expect(throws: PreviewFailure.damaged) {
                try preview(of: last, in: Array(bytes[..<(last.end - 60)]))
            }
        }
    }
}
