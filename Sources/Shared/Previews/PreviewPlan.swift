/// Selects the scans for previews, so that a hostile picture with very many scans costs no more than others.
struct PreviewPlan {
    private let limits: PreviewLimits
    private var count = 0
    private var last = 0
    private var copied = 0

    init(limits: PreviewLimits) { self.limits = limits }

    /// Returns whether a scan gets a preview, and records its cost. Scans before the last preview, from a restarted
    /// download, get none.
    ///
    /// - Parameter copies: whether the preview is a copy of the file's beginning.
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
