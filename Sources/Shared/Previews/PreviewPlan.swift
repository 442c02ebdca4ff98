/// Selects the scans that get previews. This limits the cost of a malicious picture with very many scans.
struct PreviewPlan {
    private let limits: PreviewLimits
    private var count = 0
    private var last = 0
    private var copied = 0

    init(limits: PreviewLimits) { self.limits = limits }

    /// Returns whether a scan gets a preview, and records its cost. If a download is restarted, no scan gets a second
    /// preview.
    ///
    /// - Parameter copies: whether the preview is a copy of the start of the file.
    mutating func take(_ scan: CompleteScan, copies: Bool) -> Bool {
        guard count < limits.maxPreviews, scan.number > last else { return false }
        if copies {
            let (room, overflow) = scan.end.multipliedReportingOverflow(by: limits.maxCopies)
            guard overflow || scan.end <= room - copied else { return false }
            copied += scan.end
        }
        count += 1
        last = scan.number
        return true
    }
}
