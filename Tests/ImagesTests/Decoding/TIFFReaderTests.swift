import CTIFF
import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Whether libtiff is installed. Prints a warning if it is not.
let hasTIFF: Bool = {
    guard let fault = ctiff_load() else { return true }
    Log.standardError("\n*** \(String(cString: fault)): what is read as TIFF is NOT TESTED.\n\n")
    return false
}()

@Suite(.enabled(if: hasTIFF)) struct TIFFReaderTests {
    /// Samples from 0 to `most` that differ from pixel to pixel and from channel to channel.
    private func samples(_ width: Int, _ height: Int, _ samplesPerPixel: Int, most: Int = 255) -> [UInt16] {
        (0..<width * height * samplesPerPixel).map { UInt16($0 * 31 % (most + 1)) }
    }

    private func drawn(
        _ width: Int = 37, _ height: Int = 21, _ samplesPerPixel: Int = 3, bits: Int = 8,
        _ change: (inout DrawnTIFF) -> Void = { _ in }
    ) -> DrawnTIFF {
        var picture = DrawnTIFF(
            width: width, height: height, samplesPerPixel: samplesPerPixel,
            samples: samples(width, height, samplesPerPixel, most: 1 << bits - 1))
        picture.bits = bits
        picture.photometric = samplesPerPixel < 3 ? 1 : 2
        change(&picture)
        return picture
    }

    private func decoded(_ picture: DrawnTIFF) throws -> PixelBuffer { try decode(MemorySource(picture.tiff())) }

    private func code(_ bytes: [UInt8], _ limits: DecodeLimits = .standard) -> String? {
        failureCode { _ = try decode(MemorySource(bytes), limits: limits) }
    }

    @Test(arguments: DrawnTIFF.Compression.allCases, [1, 3])
    func eightBitSamplesAreUnchanged(compression: DrawnTIFF.Compression, samplesPerPixel: Int) throws {
        for (isSeparate, tile, isPredicted) in [
            (false, false, false), (true, false, false), (false, true, false), (true, true, true), (false, false, true),
        ] {
            for isBig in [false, true] {
                let picture = drawn(37, 21, samplesPerPixel) {
                    $0.compression = compression
                    // Horizontal differencing requires a compression that supports it.
                    $0.isPredicted = isPredicted && compression == .deflate
                    $0.isSeparate = isSeparate
                    $0.tile = tile ? (16, 16) : nil
                    $0.isBig = isBig
                    $0.isBigEndian = isBig
                }
                let buffer = try decoded(picture)
                #expect(buffer.size == PixelSize(width: 37, height: 21) && buffer.channels == samplesPerPixel)
                #expect(buffer.bytes == picture.samples.map { UInt8($0) }, "\(compression) \(isSeparate) \(tile)")
            }
        }
    }

    @Test(arguments: [1, 2, 4], [0, 1]) func samplesOfFewBitsAreScaledToAllLevels(bits: Int, photometric: Int) throws {
        let picture = drawn(37, 21, 1, bits: bits) { $0.photometric = photometric }
        let levels = picture.samples.map { UInt8(Int($0) * 255 / (1 << bits - 1)) }
        #expect(try decoded(picture).bytes == levels.map { photometric == 0 ? 255 - $0 : $0 })
    }

    @Test(arguments: [false, true]) func sixteenBitSamplesAreRounded(isBigEndian: Bool) throws {
        let picture = drawn(40, 10, 3, bits: 16) {
            $0.isBigEndian = isBigEndian
            $0.samples = $0.samples.map { $0 &* 2657 }
        }
        #expect(try decoded(picture).bytes == picture.samples.map { UInt8((Int($0) + 128) / 257) })
    }

    @Test func profileIsAppliedToAll16Bits() throws {
        // A linear ramp over two 8-bit levels, which become many levels in sRGB's shadows.
        let picture = drawn(512, 1, 3, bits: 16) {
            $0.samples = (0..<512 * 3).map { UInt16($0 / 3) }
            $0.profile = TestProfile.matrix(gamma: 1, wide: false)
        }
        #expect(Set(try decoded(picture).bytes).count > 8)
    }

    @Test func paletteColoursAreLookedUp() throws {
        let picture = drawn(20, 5, 1, bits: 4) {
            $0.photometric = 3
            let level = { (colour: Int) in (0..<16).map { UInt16($0 * colour * 257 % 65_536) } }
            $0.shorts[320] = level(3) + level(5) + level(16)
        }
        let expected = picture.samples.flatMap { number in
            [3, 5, 16].map { UInt8(Int(number) * $0 * 257 % 65_536 >> 8) }
        }
        #expect(try decoded(picture).bytes == expected)
    }

    @Test func premultipliedAndStraightAlphaBecomeStraight() throws {
        for kind in [1, 2] {
            let picture = drawn(2, 1, 4) {
                $0.samples = [100, 50, 0, 100, 7, 8, 9, 255]
                $0.shorts[338] = [UInt16(kind)]
            }
            let colours: [UInt8] = kind == 1 ? [255, 128, 0, 100] : [100, 50, 0, 100]
            #expect(try decoded(picture).bytes == colours + [7, 8, 9, 255])
        }
        // A fourth sample without a known meaning is dropped.
        let unknown = drawn(2, 1, 4) { $0.shorts[338] = [0] }
        #expect(try decoded(unknown).channels == 3)
    }

    @Test(arguments: [(1, 2), (2, 4)]) func extraSampleWithoutATagIsAlpha(
        photometric: Int, samples: Int
    ) throws {
        let levels = (0..<UInt16(2 * samples)).map { 10 + $0 * 20 }
        let picture = drawn(2, 1, samples) {
            $0.photometric = photometric
            $0.samples = levels
        }
        #expect(try ImageHeader.read(MemorySource(picture.tiff())).hasAlpha == true)
        #expect(try decoded(picture).bytes == levels.map(UInt8.init))
        // Two extra samples have no known meaning.
        let several = drawn(2, 1, samples + 1) { $0.photometric = photometric }
        #expect(try decoded(several).channels == samples - 1)
    }

    @Test(arguments: [false, true]) func cmykKeepsItsAlpha(isSeparate: Bool) throws {
        let opaque = drawn(3, 1, 4) {
            $0.photometric = 5
            $0.samples = [0, 0, 0, 0, 0, 0, 0, 255, 0, 255, 255, 0]
        }
        var clear = opaque
        clear.samplesPerPixel = 5
        clear.isSeparate = isSeparate
        for (kind, samples) in [
            (2, [0, 0, 0, 0, 100, 0, 0, 0, 255, 255, 0, 255, 255, 0, 51]),
            // The inks are premultiplied by alpha.
            (1, [0, 0, 0, 0, 100, 0, 0, 0, 255, 255, 0, 51, 51, 0, 51]),
        ] as [(UInt16, [UInt16])] {
            clear.samples = samples
            clear.shorts[338] = [kind]
            let (buffer, colours) = try (decoded(clear), decoded(opaque))
            #expect(buffer.channels == 4)
            for x in 0..<3 {
                #expect(buffer.sample(x, 0, 3) == [100, 255, 51][x])
                for channel in 0..<3 { #expect(buffer.sample(x, 0, channel) == colours.sample(x, 0, channel)) }
            }
        }
    }

    @Test(arguments: [4, 8]) func palettePictureKeepsItsAlpha(bits: Int) throws {
        let most = 1 << bits - 1
        let picture = drawn(2, 1, 2, bits: bits) {
            $0.photometric = 3
            $0.samples = [1, UInt16(most), 2, 3]
            let level = { (colour: Int) in (0...most).map { UInt16(($0 * colour) & 255) * 257 } }
            $0.shorts[320] = level(30) + level(50) + level(70)
            $0.shorts[338] = [2]
        }
        #expect(try decoded(picture).bytes == [30, 50, 70, 255, 60, 100, 140, UInt8(3 * 255 / most)])
    }

    /// Two rows of 16 pixels with this data in group 4 (ITU-T T.6).
    private func fax(_ data: [UInt8]) -> [UInt8] {
        func tag(_ number: Int, _ value: Int) -> [UInt8] {
            [UInt8(number & 255), UInt8(number >> 8), 4, 0, 1, 0, 0, 0, UInt8(value & 255), UInt8(value >> 8), 0, 0]
        }
        let tags = [tag(256, 16), tag(257, 2), tag(259, 4), tag(273, 8), tag(278, 2), tag(279, data.count)]
        let start = Array("II*\0".utf8) + [UInt8(8 + data.count), 0, 0, 0] + data
        return start + [UInt8(tags.count), 0] + tags.joined() + [0, 0, 0, 0]
    }

    @Test func faxWithoutAPhotometricTagUsesWhiteIsZero() throws {
        // "Vertical, 0" for each row, then the end of the block.
        let bytes = fax([0b1100_0000, 0b0000_0100, 0b0000_0000, 0b0100_0000])
        #expect(try decode(MemorySource(bytes)).bytes.allSatisfy { $0 == 255 })
    }

    /// libtiff reports no reason for this failure.
    @Test func faxThatEndsBeforeItsFirstRowIsCorrupt() {
        let bytes = fax([0b0000_0000, 0b0001_0000, 0b0000_0001, 0])
        #expect(
            message { _ = try decode(MemorySource(bytes)) }
                == "65 the TIFF is corrupt: libtiff cannot decode the picture")
    }

    @Test func cmykIsConvertedToRGB() throws {
        let picture = drawn(3, 1, 4) {
            $0.photometric = 5
            $0.samples = [0, 0, 0, 0, 0, 0, 0, 255, 0, 255, 255, 0]
        }
        let buffer = try decoded(picture)
        #expect(buffer.channels == 3 && Array(buffer.bytes[..<3]) == [255, 255, 255])
        #expect(buffer.bytes[3..<6].allSatisfy { $0 < 60 })
        #expect(buffer.bytes[6] > 180 && buffer.bytes[7] < 90 && buffer.bytes[8] < 90)
    }

    @Test func picturesAreRotatedByTheirOrientation() throws {
        let picture = drawn(4, 2, 1) { $0.shorts[274] = [6] }
        let buffer = try decoded(picture)
        #expect(buffer.size == PixelSize(width: 2, height: 4))
        #expect(buffer.sample(1, 0, 0) == UInt8(picture.samples[0]))
    }

    @Test func eachPageIsAFrame() throws {
        let pages = [drawn(6, 4, 1), drawn(10, 3, 3)]
        let source = MemorySource(DrawnTIFF.tiff(pages))
        for (index, page) in pages.enumerated() {
            let buffer = try decodeFrame(index, of: source)
            #expect(buffer.size == PixelSize(width: page.width, height: page.height))
            #expect(buffer.bytes == page.samples.map { UInt8($0) })
        }
        #expect(failureCode { _ = try decodeFrame(2, of: source) } == "no-such-frame")
    }

    // MARK: Damage and limits

    @Test func unsupportedKindsAreReported() {
        #expect(code(drawn(4, 4, 3) { $0.photometric = 8 }.tiff()) == "unsupported-image")
        #expect(code(drawn(4, 4, 3) { $0.shorts[339] = [3, 3, 3] }.tiff()) == "unsupported-image")
        let spot = drawn(4, 4, 4) { ($0.photometric, $0.shorts[332]) = (5, [2]) }
        #expect(code(spot.tiff()) == "unsupported-image")
    }

    /// Replaces the value of a tag with a single 16-bit or 32-bit value in a little-endian file.
    private func replacing(_ tag: Int, by value: UInt32, in bytes: [UInt8]) throws -> [UInt8] {
        var bytes = bytes
        let number = [UInt8(tag & 255), UInt8(tag >> 8)]
        let place = try #require(
            [3, 4].lazy.compactMap { kind in bytes.firstRange(of: number + [kind, 0, 1, 0, 0, 0]) }.first)
        for index in 0..<4 { bytes[place.upperBound + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
        return bytes
    }

    @Test func unsupportedAndInvalidSizesAreNamed() throws {
        let tiled = drawn(16, 16, 1) { $0.tile = (16, 16) }.tiff()
        let wide = try replacing(322, by: 1 << 31 - 16, in: tiled)
        let rows: [([UInt8], String)] = [
            (drawn(4, 4, 1) { $0.photometric = 2 }.tiff(), "unsupported TIFF: 1 sample per pixel"),
            (drawn(1, 1, 65) { $0.photometric = 2 }.tiff(), "unsupported TIFF: 65 samples per pixel"),
            (
                drawn(12, 16, 1, bits: 1) { $0.tile = (12, 16) }.tiff(),
                "unsupported TIFF: tiles that are 12 pixels wide"
            ),
            // A width above the limit, and a width and height whose product exceeds it.
            (try replacing(322, by: 1 << 31 + 16, in: tiled), "the TIFF is corrupt: an invalid strip or tile size"),
            (
                try replacing(323, by: 1 << 31 - 16, in: wide),
                "the TIFF is corrupt: an invalid strip or tile size"
            ),
        ]
        for (bytes, expected) in rows { #expect(message { _ = try decode(MemorySource(bytes)) } == "65 \(expected)") }
    }

    @Test func limitsAreCheckedBeforeMemoryIsAllocated() {
        let bytes = drawn(64, 64, 3) { $0.tile = (64, 64) }.tiff()
        #expect(code(bytes, DecodeLimits(maxPixels: 4095)) == "too-many-pixels")
        #expect(code(bytes, DecodeLimits(maxMemoryBytes: 20_000)) == "out-of-memory-limit")
        #expect(code(bytes) == nil)
    }

    @Test func truncatedAndChangedFilesAreDecodedOrRejected() {
        let whole = drawn(20, 9, 3) { $0.compression = .deflate }.tiff()
        for count in stride(from: 0, to: whole.count, by: 7) {
            let code = code(Array(whole[..<count]))
            #expect(code != nil, "\(count)")
        }
        var random = SeededRandom(seed: 11)
        let limits = DecodeLimits(maxPixels: 1 << 16, maxMemoryBytes: 1 << 22, maxSeconds: 5)
        for _ in 0..<400 {
            var bytes = whole
            for _ in 0..<2 {
                bytes[Int.random(in: 8..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            let source = MemorySource(bytes)
            _ = failureCode { _ = try ImageInspection.inspect(source) }
            _ = code(bytes, limits)
        }
    }
}
