/// The time that a run has wasted waiting for a remote. Overlapping waits of several threads are counted once.
struct LostTime: Sendable, Equatable {
    /// Disjoint and sorted by time. Threads report a span when it ends, so a new span can overlap only the last few
    /// spans.
    private var spans: [Range<Duration>] = []
    private(set) var total = Duration.zero

    /// The number of spans to store: more than the number of threads that wait at the same time.
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
