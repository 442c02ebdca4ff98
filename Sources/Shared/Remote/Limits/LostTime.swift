/// How long a run has waited for a remote without any use. Time that several threads waited at once counts once. Pure.
struct LostTime: Sendable, Equatable {
    /// Disjoint, in order. Threads report a span when it ends, so that only the last few can overlap the next one.
    private var spans: [Range<Duration>] = []
    private(set) var total = Duration.zero

    /// More than there are threads that wait at once.
    private static let spanLimit = 64

    mutating func add(_ span: Range<Duration>) {
        var (start, end) = (span.lowerBound, span.upperBound)
        while let last = spans.last, last.upperBound >= start {
            start = min(start, last.lowerBound)
            end = max(end, last.upperBound)
            total -= last.upperBound - last.lowerBound
            spans.removeLast()
        }
        spans.append(start..<end)
        total += end - start
        if spans.count > Self.spanLimit { spans.removeFirst() }
    }
}
