import Formats
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct JPEGScanTests {
    /// The script that most programs use: libjpeg's `jpeg_simple_progression`.
    private static let script: [JPEGScan?] = [
        JPEGScan(component: 1, band: 1...5, missingBits: 0), JPEGScan(component: 3, band: 1...63, missingBits: 0),
        JPEGScan(component: 2, band: 1...63, missingBits: 0), JPEGScan(component: 1, band: 6...63, missingBits: 0),
        JPEGScan(component: 1, band: 1...63, missingBits: 2), JPEGScan(component: nil, band: 0...0, missingBits: 1),
        JPEGScan(component: 3, band: 1...63, missingBits: 1), JPEGScan(component: 2, band: 1...63, missingBits: 1),
        JPEGScan(component: 1, band: 1...63, missingBits: 1),
    ]

    private func choice(
        scale: Int, reduction: Double, step: Int = 2, quality: DecodeOptions.Quality = .fast
    ) -> ScanChoice {
        let components = (1...3).map { JPEGComponent(number: $0, step: step, blocks: 10) }
        return ScanChoice(
            scans: Self.script, components: components, scale: scale, reduction: reduction, quality: quality)
    }

    /// The scans that are decoded, as places in the script.
    private func included(_ choice: ScanChoice) -> [Int] {
        choice.includes.indices.filter { choice.includes[$0] }
    }

    @Test func atOneEighthOnlyTheMeansAreDecoded() {
        let choice = choice(scale: 1, reduction: 16, step: 200)
        #expect(included(choice) == [5])
        #expect(choice.sides == [1, 1, 1])
    }

    @Test func atTwoEighthsTheLowestBandIsEnough() {
        let choice = choice(scale: 2, reduction: 10)
        #expect(included(choice) == [0, 1, 2, 5])
        #expect(choice.sides == [2, 2, 2])
    }

    @Test(arguments: [(1, 0), (2, 4), (4, 24)])
    func theLastBandThatIsDecodedBeginsInTheSquareOfLowestFrequencies(_ scale: Int, _ last: Int) {
        // The last coefficient of the square in zigzag order, and the one behind it.
        let scans = [last, last + 1].map { JPEGScan(component: 1, band: $0...63, missingBits: 0) }
        let choice = ScanChoice(
            scans: scans, components: [JPEGComponent(number: 1, step: 2, blocks: 10)], scale: scale, reduction: 8,
            quality: .fast)
        // Scans of the means are always decoded.
        #expect(choice.includes == [true, false])
    }

    @Test func coarseStepsAreRefinedAndThenEveryBandIsNeeded() {
        let choice = choice(scale: 2, reduction: 10, step: 50)
        #expect(included(choice) == Array(0..<9))
        #expect(choice.sides == [8, 8, 8])
    }

    @Test func theLastBitGoesFirst() {
        // 0.75 x (2 x 2)² / 6³ is small enough, 0.75 x (2 x 4)² / 6³ is not.
        let choice = choice(scale: 4, reduction: 6)
        #expect(included(choice) == [0, 1, 2, 3, 4, 5])
        #expect(choice.sides == [8, 4, 4])
    }

    @Test func nothingIsLeftOutWhereItWouldShowOrIsAskedFor() {
        for choice in [
            choice(scale: 8, reduction: 20), choice(scale: 4, reduction: 3.9), choice(scale: 1, reduction: 1),
            choice(scale: 1, reduction: 20, quality: .full), choice(scale: 4, reduction: 8, step: 0),
        ] {
            #expect(included(choice) == Array(0..<9))
            #expect(choice.sides == [8, 8, 8])
        }
    }

    @Test func headersThatMakeNoSenseAreLeftToTheDecoder() {
        #expect(JPEGScan(header: [1, 7, 0x11, 1, 5, 0x21]) == JPEGScan(component: 7, band: 1...5, missingBits: 2))
        for header in [[], [0, 0, 0, 0], [1, 7, 0x11, 5, 1, 0], [1, 7, 0x11, 1, 64, 0], [2, 7, 0x11, 1, 5, 0]] {
            #expect(JPEGScan(header: header.map { UInt8($0) }) == nil)
        }
        let choice = ScanChoice(
            scans: [nil], components: [JPEGComponent(number: 1, step: 1, blocks: 1)], scale: 1, reduction: 30,
            quality: .fast)
        #expect(choice.includes == [true])
    }

    /// Data with stuffed and restart bytes, fill bytes before markers, and a table between scans.
    private static let first: [UInt8] = [1, 2, 0xFF, 0, 0xFF, 0xD3, 9]
    private static let table: [UInt8] = [0xFF, 0xC4, 0, 4, 0xFF, 0xD9]
    private static let second: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 5, 0x02, 3, 4, 0xFF, 0]
    private static let third: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 5, 0x21, 5, 6]

    @Test func scansAreFoundAndTakenOut() throws {
        let bytes = [7, 7] + Self.first + Self.table + Self.second + Self.third + [0xFF, 0xFF, 0xD9, 1, 1]
        let index = try JPEGScanIndex(MemorySource(bytes), from: 2, options: DecodeOptions())
        #expect(index.hasEnd && index.end == bytes.count - 2)
        #expect(
            index.scans.map(\.scan) == [
                JPEGScan(component: 1, band: 1...5, missingBits: 0),
                JPEGScan(component: 1, band: 1...5, missingBits: 2),
            ])
        func left(_ includes: [Bool]) -> [UInt8] {
            index.ranges(including: includes).flatMap { bytes[$0] }
        }
        #expect(left([true, true]) == Array(bytes.dropLast(2)))
        // A fill byte before the end marker belongs to the marker.
        #expect(left([true, false]) == [7, 7] + Self.first + Self.table + Self.second + [0xFF, 0xFF, 0xD9])
        #expect(left([false, false]) == [7, 7] + Self.first + Self.table + [0xFF, 0xFF, 0xD9])
    }

    @Test func aBrokenOffFileEndsBehindItsLastWholeSegment() throws {
        let bytes = Self.first + Self.table + Self.second
        for (count, end) in [(7, 7), (8, 8), (12, 7), (13, 13), (16, 13), (22, 13), (23, 23), (27, 27)] {
            let source = MemorySource(Array(bytes.prefix(count)))
            let index = try JPEGScanIndex(source, from: 0, options: DecodeOptions())
            #expect(!index.hasEnd)
            #expect(index.end == end, "\(count): \(index.end)")
        }
    }

    @Test func scansAreCounted() throws {
        let bytes = MemorySource(Self.first + (0..<9).flatMap { _ in Self.second } + [0xFF, 0xD9])
        for (limit, code) in [(10, nil), (9, "too-many-scans")] as [(Int, String?)] {
            let options = DecodeOptions(limits: DecodeLimits(maxScans: limit))
            #expect(failureCode { _ = try JPEGScanIndex(bytes, from: 0, options: options) } == code)
        }
    }
}

extension CorpusTests {
    /// Luma of a photograph at a scale, by `planes`.
    private func luma(_ path: String, scale: Int, reduction: Double, quality: DecodeOptions.Quality) throws -> [UInt8] {
        let reader = try JPEGReader(File.openInput(path), options: DecodeOptions(quality: quality))
        let planes = try reader.planes(scale: scale, reduction: reduction)
        let rows = planes.planes.map { AlignedBuffer(count: $0.rowBytes * $0.groupRows) }
        var luma: [UInt8] = []
        let (size, groupRows) = (planes.planes[0].size, planes.planes[0].groupRows)
        for first in stride(from: 0, to: size.height, by: groupRows) {
            try planes.readGroup { rows[$0].bytes + $1 * planes.planes[$0].rowBytes }
            for y in 0..<min(groupRows, size.height - first) {
                let row = rows[0].bytes + y * planes.planes[0].rowBytes
                luma.append(contentsOf: UnsafeBufferPointer(start: row, count: size.width))
            }
        }
        try planes.finish()
        return luma
    }

    @Test func progressivePhotographsLoseNextToNothingAtOneEighth() throws {
        for path in try Corpus.pictures(in: "photos") where path.contains("progr") {
            let full = try luma(path, scale: 1, reduction: 16, quality: .full)
            #expect(try luma(path, scale: 1, reduction: 16, quality: .fast) == full, "\(path)")
            let less = try luma(path, scale: 2, reduction: 8, quality: .fast)
            #expect(psnr(less, try luma(path, scale: 2, reduction: 8, quality: .full)) > 30, "\(path)")
        }
    }
}
