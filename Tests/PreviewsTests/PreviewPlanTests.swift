import Testing

@testable import Previews

/// The selection of scans for previews.
struct PreviewPlanTests {
    private func taken(_ ends: [Int], copies: Bool, limits: PreviewLimits = .standard) -> [CompleteScan] {
        var plan = PreviewPlan(limits: limits)
        return ends.enumerated().map { CompleteScan(number: $0 + 1, end: $1) }.filter {
            plan.take($0, copies: copies)
        }
    }

    @Test func everyScanOfAnOrdinaryPictureGetsAPreview() {
        // The ends of libjpeg's scans of a photograph, in percent of the file.
        let ends = [9, 25, 28, 30, 45, 70, 71, 72, 73, 99].map { $0 * 10_000 }
        #expect(taken(ends, copies: true).count == ends.count)
    }

    @Test func previewsOfManyScansCopyAtMostEightTimesTheFile() {
        let ends = (1...10_000).map { $0 * 100 }
        let scans = taken(ends, copies: true, limits: PreviewLimits(maxPreviews: .max))
        #expect(scans.reduce(0) { $0 + $1.end } <= 8 * 1_000_000)
        #expect(scans.count > 32)
        #expect(taken(ends, copies: true).count == 32)
        #expect(taken(ends, copies: false).count == 32)
    }

    @Test func restartedDownloadDoesNotRepeatPreviews() {
        var plan = PreviewPlan(limits: .standard)
        let scans = [(2, 100), (1, 50), (2, 100), (3, 200)].map { CompleteScan(number: $0.0, end: $0.1) }
        let shown = scans.map { plan.take($0, copies: true) }
        #expect(shown == [true, false, false, true])
    }

    @Test func largestScanEndDoesNotOverflow() {
        #expect(taken([.max], copies: true).count == 1)
    }
}
