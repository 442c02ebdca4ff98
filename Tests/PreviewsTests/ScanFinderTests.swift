import Formats
import Images
import Support
import TestSupport
import Testing

@testable import Previews

/// The ends of scans and passes, independent of the sizes of the received pieces.
struct ScanFinderTests {
    private static func pictures() throws -> [[UInt8]] {
        [
            try progressiveJPEG(), try interlacedPNG(61, 43), try interlacedPNG(9, 70, channels: 4),
            interlacedGIF(37, 29), interlacedGIF(20, 33, frames: 2),
        ]
    }

    @Test func pieceSizeDoesNotAffectTheScans() throws {
        for bytes in try Self.pictures() { try check(bytes) }
    }

    @Test func pieceSizeDoesNotAffectTheScansOfCorpusPictures() throws {
        for folder in ["photos", "png-suite", "gif", "malformed"] {
            for path in try Corpus.pictures(in: folder) {
                let bytes = try TestFile.bytes(path)
                if bytes.count < 150_000 { try check(bytes, path) }
            }
        }
    }

    private func check(_ bytes: [UInt8], _ name: String = "") throws {
        let whole = scans(in: bytes)
        for pieces in [1, 7, 4096] {
            let found = scans(in: bytes, pieces: pieces)
            #expect(found.map(\.number) == whole.map(\.number), "\(name) by \(pieces)")
            // zlib may read the first bytes of the next pass if they have arrived.
            let slack = bytes.first == 0x89 ? 4 : 0
            for (one, other) in zip(found, whole) {
                #expect(abs(one.end - other.end) <= slack, "\(name) by \(pieces)")
            }
        }
        #expect(whole.map(\.number) == whole.map(\.number).sorted() && whole.map(\.end) == whole.map(\.end).sorted())
        #expect(whole.allSatisfy { $0.end <= bytes.count }, "\(name)")
    }

    @Test func truncatedPictureHasTheScansBeforeTheCut() throws {
        for bytes in try Self.pictures() {
            let whole = scans(in: bytes)
            try #require(!whole.isEmpty)
            for count in stride(from: 0, through: bytes.count, by: bytes.count > 3000 ? 13 : 1) {
                let found = scans(in: Array(bytes[..<count]))
                #expect(found.map(\.number) == Array(whole.prefix(found.count).map(\.number)))
                // The next scan is found a few bytes after its end, so one of these bytes must be missing.
                if found.count < whole.count { #expect(count < whole[found.count].end + 8) }
            }
        }
    }

    @Test func everyScanAndPassButTheLastIsFound() throws {
        #expect(scans(in: try interlacedPNG(61, 43)).map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(scans(in: interlacedGIF(37, 29)).map(\.number) == [1, 2, 3])
        #expect(scans(in: interlacedGIF(37, 29, frames: 2)).map(\.number) == [1, 2, 3, 4])
        #expect(scans(in: try progressiveJPEG()).map(\.number) == Array(1...9))
    }

    @Test func passesWithoutPixelsAreSkipped() throws {
        // A picture one pixel wide has only the passes 1, 3, 5 and 7; with two rows it has only 1 and 7.
        #expect(scans(in: try interlacedPNG(1, 9)).map(\.number) == [1, 3, 5])
        #expect(scans(in: try interlacedPNG(1, 2)).map(\.number) == [1])
        #expect(scans(in: try interlacedPNG(1, 1)).isEmpty)
        #expect(scans(in: interlacedGIF(5, 3)).map(\.number) == [1, 3])
        #expect(scans(in: interlacedGIF(5, 1)).isEmpty)
    }

    @Test func nonProgressivePicturesHaveNoScans() throws {
        let plain = drawn(40, 30)
        for format in [OutputFormat.jpeg, .png, .webp, .gif] {
            #expect(scans(in: try encode(plain, EncodeOptions(format: format))).isEmpty, "\(format)")
        }
        for text in ["", "<html>", "GIF89a", String(repeating: "x", count: 100)] {
            #expect(scans(in: Array(text.utf8)).isEmpty)
        }
    }

    @Test func stuffedBytesRestartsAndSegmentBodiesDoNotEndAScan() throws {
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
        let start: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 6, 0xFF, 0xDA, 0xFF, 0xDA] + scan
        let first = start + [1, 2, 0xFF, 0x00, 3, 0xFF, 0xD0, 4, 0xFF, 0xD7, 0xFF, 0x01, 5]
        let table: [UInt8] = [0xFF, 0xFF, 0xC4, 0, 5, 0xFF, 0xD9, 0]
        let second = first + table + scan + [7, 8]
        let third = second + scan + [9]
        let bytes = third + [0xFF, 0xD9, 0xFF, 0xDA, 0, 2, 1, 0xFF, 0xC4]
        let expected = [CompleteScan(number: 1, end: first.count), CompleteScan(number: 2, end: second.count)]
        for pieces in [1, 3, .max] { #expect(scans(in: bytes, pieces: pieces) == expected) }
    }

    @Test func pictureOverTheLimitHasNoScans() throws {
        let limits = PreviewLimits(maxPictureBytes: 61 * 43 * 3)
        // With the filter byte of each row, the picture exceeds the limit.
        #expect(scans(in: try interlacedPNG(61, 43), limits: limits).isEmpty)
        #expect(scans(in: interlacedGIF(37, 29), limits: PreviewLimits(maxPictureBytes: 37 * 29 - 1)).isEmpty)
    }

    @Test func largestSizeInAHeaderDoesNotOverflow() throws {
        var bytes = try interlacedPNG(61, 43)
        for place in 16..<24 { bytes[place] = place % 4 == 0 ? 0x7F : 0xFF }
        #expect(scans(in: bytes, limits: PreviewLimits(maxPictureBytes: .max)).isEmpty)
        #expect(scans(in: bytes).isEmpty)
    }

    @Test func damagedPicturesDoNotCrash() throws {
        var random = SeededRandom(seed: 11)
        for bytes in try Self.pictures() {
            for _ in 0..<200 {
                var damaged = bytes
                for _ in 0..<3 {
                    let place = Int.random(in: 12..<bytes.count, using: &random)
                    damaged[place] = UInt8.random(in: 0...255, using: &random)
                }
                for scan in scans(in: damaged, pieces: 1000) { _ = try? preview(of: scan, in: damaged) }
            }
        }
    }
}
