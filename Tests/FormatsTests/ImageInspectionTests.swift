import Formats
import Support
import TestSupport
import Testing

@Suite struct ImageInspectionTests {
    private func inspect(_ bytes: [UInt8]) throws -> ImageHeader { try ImageInspection.inspect(MemorySource(bytes)) }
    private func code(_ bytes: [UInt8]) -> String? { failure { _ = try inspect(bytes) }?.code }
    private func fault(_ bytes: [UInt8]) -> String? { failure { _ = try inspect(bytes) }?.fault }

    @Test func completePicturesPass() throws {
        for (name, bytes) in Tiny.all {
            #expect(throws: Never.self, "\(name)") { try inspect(bytes) }
            #expect(throws: Never.self, "\(name) with bytes after its end") {
                try inspect(bytes + [0, 1, 0xFF, 0xD8])
            }
        }
    }

    @Test func everyPrefixIsTruncatedOrNotAnImage() {
        for (name, bytes) in Tiny.all {
            #expect(code([]) == "empty-body")
            for length in 1..<bytes.count {
                let code = code(Array(bytes[..<length]))
                #expect(code == "truncated-image" || length < 12 && code == "not-an-image", "\(name) cut at \(length)")
            }
        }
    }

    @Test(arguments: [
        (0xDE as UInt8, "a hierarchical picture"), (0xF7, "JPEG-LS"), (0xC3, "a lossless picture"),
        (0xC5, "a hierarchical picture"), (0xCF, "a hierarchical picture"),
    ])
    func unsupportedJPEGsAreReportedAsUnsupported(marker: UInt8, kind: String) {
        let frame = Tiny.frameHeader(width: 20, height: 10, code: marker)
        let fault = failure { _ = try inspect([0xFF, 0xD8] + frame + Tiny.scan + [0xFF, 0xD9]) }
        #expect(fault == .notRead(.jpeg, kind) && fault?.code == "unsupported-image")
    }

    @Test func jpegsWithOtherDepthsOrComponentCountsAreUnsupported() {
        let deep = Tiny.segment(0xC1, [12, 0, 9, 0, 9, 1, 1, 0x11, 0])
        #expect(failure { _ = try inspect([0xFF, 0xD8] + deep + Tiny.scan) } == .notRead(.jpeg, "12 bits per sample"))
        let pair = Tiny.segment(0xC0, [8, 0, 9, 0, 9, 2, 1, 0x11, 0, 2, 0x11, 0])
        #expect(failure { _ = try inspect([0xFF, 0xD8] + pair + Tiny.scan) } == .notRead(.jpeg, "2 components"))
    }

    /// A segment that libjpeg rejects.
    struct FaultySegment: Sendable {
        let fault: String
        let code: UInt8
        let body: [UInt8]

        private static let zeros = [UInt8](repeating: 0, count: 16)

        static let all = [
            Self(fault: "two frame headers", code: 0xC0, body: [8, 0, 9, 0, 9, 1, 1, 0x11, 0]),
            Self(fault: "an invalid quantisation table", code: 0xDB, body: [4] + Tiny.steps[5...]),
            Self(fault: "an invalid quantisation table", code: 0xDB, body: [0x10] + Tiny.steps[5...]),
            Self(fault: "an invalid Huffman table", code: 0xC4, body: [0x20] + zeros),
            Self(fault: "an invalid Huffman table", code: 0xC4, body: [0, 1] + zeros[1...]),
            Self(fault: "a restart interval of invalid length", code: 0xDD, body: [1]),
            Self(fault: "a hierarchical or extension marker", code: 0xF0, body: [1]),
            Self(fault: "a scan of an unknown component", code: 0xDA, body: [1, 2, 0, 0, 63, 0]),
            Self(fault: "a scan header of invalid length", code: 0xDA, body: [1, 1, 0, 0, 63, 0, 0]),
        ]
    }

    @Test(arguments: FaultySegment.all) func invalidJPEGSegmentsAreReported(_ segment: FaultySegment) {
        #expect(fault(Tiny.jpeg(between: Tiny.segment(segment.code, segment.body))) == segment.fault)
    }

    @Test(arguments: [
        ([8, 0, 9, 0, 9, 1, 1, 0x51, 0], "a sampling factor outside 1 to 4"),
        ([8, 0, 9, 0, 9, 1, 1, 0x11, 0, 0], "a frame header of invalid length"),
        ([8, 0, 9, 0, 9, 1, 1, 0x11], "a frame header of invalid length"),
        ([8, 0, 9, 0, 9, 1, 1, 0x11, 1], "no quantisation table for a component"),
    ])
    func invalidJPEGFrameHeadersAreReported(body: [UInt8], expected: String) {
        let start = [0xFF, 0xD8] + Tiny.steps + Tiny.segment(0xC0, body)
        #expect(fault(start + Tiny.scan + [0xFF, 0xD9]) == expected)
    }

    @Test(arguments: [0xD8, 0x02, 0xBF] as [UInt8]) func misplacedMarkersAreReported(code marker: UInt8) {
        let double = marker == 0xD8 ? "two SOI markers" : nil
        #expect(fault(Tiny.jpeg(between: [0xFF, marker])) == double)
        #expect(fault(Tiny.jpeg(before: [0xFF, marker])) == double ?? "a reserved marker")
        // Decoders end a scan at a reserved marker, and continue at the next known marker.
        let end: [UInt8] = [0xFF, marker, 0xFF, 0xD9]
        #expect(fault(Tiny.jpeg().dropLast(2) + end) == double)
    }

    /// A picture whose blocks need at least 3 bits: the shortest codes have 1 bit for DC and 2 bits for AC.
    private func coded(_ size: (Int, Int), scan: [UInt8] = [1, 1, 0, 0, 63, 0], process: UInt8 = 0xC0, data: Int)
        -> [UInt8]
    {
        let rest = [UInt8](repeating: 0, count: 14)
        let tables = Tiny.segment(0xC4, [0x00, 1, 0] + rest + [0]) + Tiny.segment(0xC4, [0x10, 0, 1] + rest + [0])
        let frame = Tiny.frameHeader(width: size.0, height: size.1, code: process)
        let bytes = [UInt8](repeating: 0x55, count: data)
        return [0xFF, 0xD8] + Tiny.steps + tables + frame + Tiny.segment(0xDA, scan) + bytes + [0xFF, 0xD9]
    }

    @Test func scanTooShortForItsBlocksIsCorrupt() {
        let incomplete = "a scan with incomplete data"
        // 10 x 5 blocks of 3 bits.
        #expect(code(coded((80, 33), data: 19)) == nil)
        #expect(fault(coded((80, 33), data: 18)) == incomplete)
        #expect(fault(coded((65_535, 65_535), data: 1)) == incomplete)
        // A DC scan needs 1 bit per block, also as a refinement. An AC scan may need none.
        for scan: [UInt8] in [[1, 1, 0, 0, 0, 1], [1, 1, 0, 0, 0, 0x10]] {
            #expect(code(coded((80, 33), scan: scan, process: 0xC2, data: 7)) == nil)
            #expect(fault(coded((80, 33), scan: scan, process: 0xC2, data: 6)) == incomplete)
        }
        #expect(code(coded((80, 33), scan: [1, 1, 0, 1, 63, 0], process: 0xC2, data: 1)) == nil)
        // The minimum is unknown for arithmetic coding and missing tables.
        #expect(code(coded((80, 33), process: 0xC9, data: 1)) == nil)
        #expect(code(coded((80, 33), scan: [1, 1, 0x11, 0, 63, 0], data: 1)) == nil)
    }

    @Test func onlyUsedHuffmanTablesMustBeValid() {
        let rest = [UInt8](repeating: 0, count: 15)
        let tables =
            [[0x00, 3] + rest + [0, 1, 2], [0x00, 1] + rest + [16], [0x10, 3] + rest + [0, 1, 2]] as [[UInt8]]
        for table in tables {
            #expect(fault(Tiny.jpeg(between: Tiny.segment(0xC4, table))) == "an invalid Huffman table")
            let unused = [table[0] | 1] + table[1...]
            #expect(code(Tiny.jpeg(between: Tiny.segment(0xC4, unused))) == nil)
        }
    }

    @Test func unusualTablesThatDecodersAcceptAreAccepted() {
        let wide = Tiny.segment(0xDB, [0x11] + [UInt8](repeating: 1, count: 128))
        let none = [UInt8](repeating: 0, count: 15)
        let codes = Tiny.segment(0xC4, [0x13, 2] + none + [1, 2] + [0, 0] + none)
        #expect(code(Tiny.jpeg(before: wide + codes + Tiny.segment(0xDD, [0, 4]))) == nil)
    }

    @Test func sourceShorterThanItsCountIsTruncated() {
        for (name, bytes) in Tiny.all {
            let source = ShrunkenSource(bytes: MemorySource(Array(bytes.dropLast(2))), count: bytes.count)
            #expect(failure { _ = try ImageInspection.inspect(source) }?.code == "truncated-image", "\(name)")
        }
    }

    @Test func randomChangesNeverCrash() {
        var random = SeededRandom(seed: 7)
        for (_, bytes) in Tiny.all {
            for _ in 0..<3_000 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                if Bool.random(using: &random) { changed.removeLast(Int.random(in: 0..<changed.count, using: &random)) }
                do {
                    let header = try inspect(changed)
                    #expect(header.storedSize.width > 0 && header.storedSize.height > 0)
                    _ = try? GIFStructure.read(MemorySource(changed))
                } catch {
                    #expect(error is FormatFailure)
                }
            }
        }
    }

    @Test func endMarkerWithinASegmentOfAJPEGIsIgnored() {
        let thumbnail = Tiny.exifSegment(Tiny.tiff(orientation: 1) + Tiny.jpeg())
        let bytes = Tiny.jpeg(before: thumbnail)
        #expect(code(Array(bytes.dropLast(2))) == "truncated-image")
    }

    @Test func jpegWithoutAScanIsCorrupt() {
        let bytes = [0xFF, 0xD8] + Tiny.frameHeader(width: 2, height: 2) + [0xFF, 0xD9]
        #expect(fault(bytes) == "no scan before the end marker")
    }

    @Test func markersAcrossWindowBoundariesAreFound() throws {
        // The inspection reads windows of 64 KB. Places the end marker at each offset around the end of the first
        // window, after data with many stuffed zeros or fill bytes.
        for fill: [UInt8] in [[0x55], [0xFF, 0x00], [0xFF, 0xFF, 0xD3], [0xFF]] {
            for length in 65_500..<65_540 {
                let data = (0..<length).map { fill[$0 % fill.count] }
                let start = [0xFF, 0xD8] + Tiny.steps + Tiny.frameHeader(width: 2, height: 2) + Tiny.scan
                let bytes = start + data + [0xFF, 0x00, 0xFF, 0xD9]
                // If `data` ends with 0xFF, this byte is a fill byte.
                #expect(throws: Never.self, "\(fill) \(length)") { try inspect(bytes) }
            }
        }
    }

    @Test func longScanIsInspectedInFewReads() throws {
        let data = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        let source = CountingSource(
            [0xFF, 0xD8] + Tiny.steps + Tiny.frameHeader(width: 2, height: 2) + Tiny.scan + data + [0xFF, 0xD9])
        _ = try ImageInspection.inspect(source)
        #expect(source.reads < 70)
    }

    @Test func gifFrameWithTooLittleDataIsTruncated() {
        // 5 codes of 3 bits have 15 pixels at most.
        #expect(code(Tiny.gif(Tiny.gifFrame(width: 5, height: 3, dataBytes: 2))) == nil)
        let short = Tiny.gifFrame(width: 4, height: 4, dataBytes: 2)
        #expect(code(Tiny.gif(short)) == "truncated-image")
        #expect(code(Tiny.gif(Tiny.gifFrame(), short)) == "truncated-image")
    }

    @Test func inspectionDetectsAnimationAndAlphaOfAGIF() throws {
        let still = try inspect(Tiny.gif(Tiny.gifFrame()))
        #expect(still.isAnimated == false && still.hasAlpha == false)
        let moving = try inspect(Tiny.gif(Tiny.control(delay: 1, transparent: 3), Tiny.gifFrame(), Tiny.gifFrame()))
        #expect(moving.isAnimated == true && moving.hasAlpha == true)
    }
}
