import Formats
import Support
import TestSupport
import Testing

@testable import Images
@testable import JPEG

@Suite struct ScanChoiceTests {
    private static func scan(
        _ components: [Int], _ band: ClosedRange<Int>, missing: Int = 0, bits: Int = 0, step: UInt16 = 2
    ) -> JPEGFrame.Scan {
        JPEGFrame.Scan(
            components: components.map {
                JPEGFrame.Scan.Component(
                    index: $0, dcCode: nil, acCode: nil, steps: [UInt16](repeating: step, count: 64))
            }, band: band, missingBits: missing, bits: bits, restartInterval: 0, dataOffset: 0)
    }

    /// The scans that most programs write: libjpeg's `jpeg_simple_progression`.
    private static func script(step: UInt16) -> [JPEGFrame.Scan] {
        [
            scan([0, 1, 2], 0...0, bits: 1, step: step), scan([0], 1...5, bits: 2, step: step),
            scan([2], 1...63, bits: 1, step: step), scan([1], 1...63, bits: 1, step: step),
            scan([0], 6...63, bits: 2, step: step), scan([0], 1...63, missing: 2, bits: 1, step: step),
            scan([0, 1, 2], 0...0, missing: 1, step: step), scan([2], 1...63, missing: 1, step: step),
            scan([1], 1...63, missing: 1, step: step), scan([0], 1...63, missing: 1, step: step),
        ]
    }

    /// Returns the indices of the scans in `script` that `ScanChoice` selects.
    private func needed(
        scale: Int, reduction: Double, step: UInt16 = 2, skipsFineScans: Bool = true
    ) -> [Int] {
        let last = BlockLayout(size: scale).last
        let needed = ScanChoice.needed(
            Self.script(step: step), last: [last, last, last], scale: scale, reduction: reduction,
            skipsFineScans: skipsFineScans)
        return needed.indices.filter { needed[$0] }
    }

    @Test func atOneEighthOnlyDCScansAreDecoded() {
        #expect(needed(scale: 1, reduction: 16, step: 200) == [0, 6])
    }

    @Test func atTwoEighthsTheHighBandAndRefinementsAreSkipped() {
        #expect(needed(scale: 2, reduction: 10) == [0, 1, 2, 3, 6])
    }

    @Test(arguments: BlockLayout.sizes.filter { $0 <= 4 })
    func bandsAfterTheLastKeptCoefficientAreSkipped(_ size: Int) {
        // A band that begins at the last kept coefficient, and a band that begins after it.
        let last = BlockLayout(size: size).last
        let scans = [Self.scan([0], 0...0)] + [max(last, 1), last + 1].map { Self.scan([0], $0...63) }
        let needed = ScanChoice.needed(scans, last: [last], scale: size, reduction: 8, skipsFineScans: true)
        #expect(needed == [true, size > 1, false])
    }

    @Test func coarseQuantisationStepsNeedAllScans() {
        #expect(needed(scale: 2, reduction: 10, step: 50) == Array(0..<10))
    }

    @Test func scansThatRefineTheLastBitAreSkippedFirst() {
        // The error 0.75 x (2 x 2)² / 6³ is small enough, but 0.75 x (2 x 4)² / 6³ is not.
        #expect(needed(scale: 4, reduction: 6) == [0, 1, 2, 3, 4, 5, 6])
    }

    @Test func allScansAreDecodedIfTheyAreVisibleOrSkippingIsDisabled() {
        #expect(needed(scale: 8, reduction: 20) == Array(0..<10))
        #expect(needed(scale: 4, reduction: 3.9) == Array(0..<10))
        #expect(needed(scale: 2, reduction: 20, skipsFineScans: false) == Array(0..<10))
        // Unknown quantisation steps.
        #expect(needed(scale: 4, reduction: 8, step: 0) == Array(0..<10))
    }
}

extension CorpusTests {
    /// Returns the luma samples of a photograph at a scale.
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

    @Test func skippedScansBarelyChangePhotographs() throws {
        for path in try Corpus.pictures(in: "photos") where path.contains("progr") {
            let full = try luma(path, scale: 1, reduction: 16, quality: .full)
            #expect(try luma(path, scale: 1, reduction: 16, quality: .fast) == full, "\(path)")
            let less = try luma(path, scale: 2, reduction: 8, quality: .fast)
            #expect(psnr(less, try luma(path, scale: 2, reduction: 8, quality: .full)) > 30, "\(path)")
        }
    }
}
