import CJPEG
import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Planes of a gray or YCbCr picture: waves with noise.
private struct Planes {
    let size: PixelSize
    let sampling: ChromaSampling
    /// The rows of each plane.
    let rows: [[AlignedBuffer]]

    init(_ width: Int, _ height: Int, channels: Int, _ sampling: ChromaSampling, noise: Int) {
        size = PixelSize(width: width, height: height)
        self.sampling = sampling
        var random = SeededRandom(seed: 5)
        rows = sampling.planes(of: size, isGray: channels == 1).enumerated().map { plane, size in
            (0..<size.height).map { y in
                let row = AlignedBuffer(count: size.width)
                for x in 0..<size.width {
                    let smooth = (x * (3 + plane) + y * (5 - plane)) / 2 % 256
                    row.bytes[x] = UInt8(clamping: smooth + Int.random(in: -noise...noise, using: &random))
                }
                return row
            }
        }
    }

    var isGray: Bool { rows.count == 1 }

    /// The file of `JPEGPlaneWriter`.
    func encoded(_ options: EncodeOptions) throws -> [UInt8] {
        let sink = MemorySink()
        let writer = try JPEGPlaneWriter(
            size: size, isGray: isGray, coding: options.jpegCoding(sampling, size), metadata: options.metadata,
            into: EncoderOutput(.jpeg, sink))
        // Fewer rows than a strip at first, then the rest.
        for share in [7, 40, 100] {
            try writer.write(available: rows.map { $0.count * share / 100 }) { UnsafePointer(rows[$0][$1].bytes) }
        }
        try writer.finish()
        return sink.bytes
    }

    /// The file of libjpeg's encoder with the same tables.
    func encodedByLibjpeg(_ coding: JPEGCoding) -> [UInt8] {
        writtenByLibjpeg { info in
            (info.image_width, info.image_height) = (JDIMENSION(size.width), JDIMENSION(size.height))
            info.input_components = isGray ? 1 : 3
            info.in_color_space = isGray ? JCS_GRAYSCALE : JCS_YCbCr
            jpeg_set_defaults(&info)
            let down = isGray ? 1 : sampling.down
            info.comp_info[0].h_samp_factor = isGray ? 1 : Int32(sampling.across)
            info.comp_info[0].v_samp_factor = Int32(down)
            for table in 0..<2 {
                let steps = coding.tables.steps[table * 64..<table * 64 + 64].map(UInt32.init)
                jpeg_add_quant_table(&info, Int32(table), steps, 100, 1)
            }
            info.optimize_coding = coding.isOptimized ? 1 : 0
            info.raw_data_in = 1
            info.dct_method = JDCT_ISLOW
            jpeg_start_compress(&info, 1)
            while Int(info.next_scanline) < size.height {
                let strip = Int(info.next_scanline) / (8 * down)
                let samples = rows.enumerated().map { plane, rows in
                    let height = plane == 0 ? 8 * down : 8
                    return (0..<height).map { paddedRow(plane, min(strip * height + $0, rows.count - 1)) }
                }
                let table = PlaneRowTable(rowCounts: samples.map(\.count))
                for (plane, rows) in samples.enumerated() {
                    for (y, row) in rows.enumerated() { table.set(plane, y, row.bytes) }
                }
                _ = jpeg_write_raw_data(&info, table.planes, JDIMENSION(8 * down))
                withExtendedLifetime(samples) {}
            }
        }
    }

    /// A row whose last sample is repeated up to whole blocks.
    private func paddedRow(_ plane: Int, _ y: Int) -> AlignedBuffer {
        let width = sampling.planes(of: size, isGray: isGray)[plane].width
        let row = AlignedBuffer(count: roundedUp(width, to: 8 * 2))
        row.bytes.update(from: rows[plane][y].bytes, count: width)
        (row.bytes + width).update(repeating: row.bytes[width - 1], count: row.count - width)
        return row
    }
}

@Suite struct BaselineEncoderTests {
    @Test(arguments: [(1, 1), (7, 9), (8, 8), (16, 16), (17, 33), (93, 61), (200, 8), (241, 120)])
    func filesEqualThoseOfLibjpeg(width: Int, height: Int) throws {
        let samplings = [(1, 1), (2, 1), (1, 2), (2, 2)].map { ChromaSampling(across: $0.0, down: $0.1) }
        for (channels, sampling) in [(1, ChromaSampling.full)] + samplings.map({ (3, $0) }) {
            for (noise, quality) in [(0, 82), (30, 1), (30, 50), (30, 82), (255, 95), (255, 100)] {
                let planes = Planes(width, height, channels: channels, sampling, noise: noise)
                for effort in [0, 1, 3] {
                    let options = EncodeOptions(quality: quality, effort: effort)
                    let expected = planes.encodedByLibjpeg(options.jpegCoding(sampling, planes.size))
                    #expect(try planes.encoded(options) == expected, "\(sampling), \(noise), \(quality), \(effort)")
                }
            }
        }
    }

    @Test func profileTooLargeForItsSegmentsIsAnError() throws {
        var profile = [UInt8](repeating: 0, count: 255 * 65_519)
        profile.replaceSubrange(16..<20, with: "RGB ".utf8)
        profile.replaceSubrange(36..<40, with: "acsp".utf8)
        let segments = try PictureMetadata(profile: profile).segments(isGray: false)
        #expect(segments.count == 255 && segments.flatMap { $0.body.dropFirst(14) } == profile)
        #expect(throws: ImageError.encoder(.jpeg, "the colour profile has more than 16 MB")) {
            try PictureMetadata(profile: profile + [0]).segments(isGray: false)
        }
    }
}

@Suite struct HuffmanCodeTests {
    /// Returns the number of bits of each symbol.
    private func lengths(_ code: HuffmanCode) -> [Int: Int] {
        var (lengths, place): ([Int: Int], Int) = ([:], 0)
        for (index, count) in code.counts.enumerated() {
            for symbol in code.symbols[place..<place + Int(count)] { lengths[Int(symbol)] = index + 1 }
            place += Int(count)
        }
        return lengths
    }

    /// The share of all 16-bit codes that a code occupies; 1 without a reserved code.
    private func share(_ code: HuffmanCode) -> Int { lengths(code).values.reduce(0) { $0 + 65_536 >> $1 } }

    @Test func rareSymbolsHaveLongerCodes() {
        var uses = [UInt32](repeating: 0, count: 256)
        (uses[1], uses[5], uses[0xF0], uses[0x11]) = (50, 20, 10, 10)
        let code = HuffmanCode(optimizedFor: uses)
        #expect(lengths(code) == [1: 1, 5: 2, 0x11: 3, 0xF0: 4])
        #expect(code.symbols == [1, 5, 0x11, 0xF0])
    }

    @Test func singleSymbolHasACode() {
        var uses = [UInt32](repeating: 0, count: 256)
        uses[3] = 7
        #expect(
            HuffmanCode(optimizedFor: uses) == HuffmanCode(counts: [1] + [UInt8](repeating: 0, count: 15), symbols: [3])
        )
    }

    @Test func codesHaveAtMost16BitsAndNoCodeHasOnly1Bits() {
        // With frequencies that grow like Fibonacci numbers, each code is one bit longer than the next.
        var fibonacci: [UInt32] = [1, 1]
        while fibonacci.count < 40 { fibonacci.append(fibonacci.suffix(2).reduce(0, +)) }
        var random = SeededRandom(seed: 3)
        let noise = (0..<256).map { _ in UInt32.random(in: 0...1000, using: &random) }
        for uses in [fibonacci, noise, [UInt32](repeating: 1, count: 256)] {
            let code = HuffmanCode(optimizedFor: uses + [UInt32](repeating: 0, count: 256 - uses.count))
            #expect(Set(code.symbols.map(Int.init)) == Set(uses.indices.filter { uses[$0] > 0 }))
            #expect(share(code) < 65_536 && code.counts.reduce(0) { $0 + Int($1) } == code.symbols.count)
            let lengths = lengths(code)
            for (a, b) in zip(code.symbols, code.symbols.dropFirst()) { #expect(lengths[Int(a)]! <= lengths[Int(b)]!) }
        }
    }

    @Test func standardCodesHaveAllSymbols() {
        #expect(HuffmanCode.standard.map(\.symbols.count) == [12, 162, 12, 162])
        for code in HuffmanCode.standard {
            #expect(Set(code.symbols).count == code.symbols.count && share(code) < 65_536)
        }
    }
}
