import Formats
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct HostileInputTests {
    private func code(_ bytes: [UInt8], limits: DecodeLimits = .standard) -> String? {
        failureCode {
            _ = try downsample(
                MemorySource(bytes), to: Geometry(width: 16), encode: EncodeOptions(),
                options: DecodeOptions(limits: limits))
        }
    }

    @Test func incompletePictureIsTruncated() throws {
        let picture = PixelBuffer.noise(100, 80, channels: 3)
        for format in OutputFormat.readable {
            let bytes = try encode(picture, EncodeOptions(format: format, quality: 90))
            for share in [30, 60, 95] {
                #expect(code(Array(bytes[0..<bytes.count * share / 100])) == "truncated-image")
            }
        }
    }

    @Test func jpegWithoutItsEndMarkerIsTruncated() throws {
        let bytes = try PixelBuffer.noise(64, 64, channels: 3).jpeg()
        #expect(code(Array(bytes.dropLast(2))) == "truncated-image")
    }

    @Test func bytesAfterTheEndAreAllowed() throws {
        for format in [OutputFormat.jpeg, .png] {
            let bytes = try encode(.waves(30, 30, channels: 3), EncodeOptions(format: format))
            #expect(code(bytes + [1, 2, 3, 4]) == nil)
        }
    }

    @Test func changedBytesCauseOnlyExpectedErrors() throws {
        var random = SeededRandom(seed: 21)
        let allowed: Set<String> = [
            "corrupt-image", "truncated-image", "unsupported-image", "not-an-image", "too-many-pixels",
            "out-of-memory-limit", "over-limit", "too-many-scans",
        ]
        for format in OutputFormat.readable {
            let bytes = try encode(.noise(40, 30, channels: 3), EncodeOptions(format: format))
            for _ in 0..<150 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<damaged.count, using: &random)
                    damaged[place] = UInt8.random(in: 0...255, using: &random)
                }
                let limits = DecodeLimits(maxPixels: 1_000_000)
                if let code = code(damaged, limits: limits) { #expect(allowed.contains(code)) }
            }
        }
    }

    @Test func unknownBytesAreNotAnImage() {
        #expect(code(Array("<html><body>not found".utf8)) == "not-an-image")
    }

    @Test func limitsAreCheckedBeforeDecoding() throws {
        let bytes = try PixelBuffer.waves(100, 50, channels: 3).jpeg()
        #expect(code(bytes, limits: DecodeLimits(maxPixels: 4999)) == "too-many-pixels")
        #expect(code(bytes, limits: DecodeLimits(maxPixels: 5000)) == nil)
        #expect(code(bytes, limits: DecodeLimits(maxInputBytes: bytes.count - 1)) == "too-many-bytes")
        let webp = try encode(.waves(100, 50, channels: 3), EncodeOptions(format: .webp))
        #expect(code(webp, limits: DecodeLimits(maxMemoryBytes: 10_000)) == "out-of-memory-limit")
    }

    @Test func hugePNGSizeIsRejected() {
        let header: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 8, 6, 0, 0, 0, 0, 0, 0, 0]
        #expect(code(header) == "too-many-pixels")
    }

    @Test func jpegWithAnInvalidQuantisationTableNumberIsCorrupt() throws {
        for isProgressive in [false, true] {
            let picture = PixelBuffer.waves(64, 48, channels: 3)
            var bytes = try encode(picture, EncodeOptions(format: .jpeg, isProgressive: isProgressive))
            let marker: [UInt8] = [0xFF, isProgressive ? 0xC2 : 0xC0]
            let frame = try #require(bytes.firstRange(of: marker)).lowerBound
            // A frame header has marker, length, precision, height, width and count; then number, factors and table of
            // each component.
            for table: UInt8 in [4, 16, 141, 255] {
                bytes[frame + 12] = table
                #expect(code(bytes) == "corrupt-image")
            }
        }
    }

    @Test func outputTooLargeForItsFormatIsRejected() throws {
        let bytes = try PixelBuffer.waves(10, 10, channels: 3).jpeg()
        #expect(
            failureCode {
                _ = try downsample(
                    MemorySource(bytes), to: .exactly(PixelSize(width: 20_000, height: 1)),
                    encode: EncodeOptions(format: .webp))
            } == "output-too-large")
    }
}
