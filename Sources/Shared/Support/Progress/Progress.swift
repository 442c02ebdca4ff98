/// Shows the progress of a run once it has lasted half a second.
///
/// Functions pass it on as a parameter, like `Log`; any thread may call it. A separate thread draws ten times a second.
/// It starts with the first download or decoded picture, so a run with only cache hits starts no thread.
public final class Progress: Sendable {
    /// The reason for a pause before a request.
    public enum WaitReason: String, Sendable {
        /// The request failed and will be retried.
        case retry
        /// A rate limit allows no more requests for a while.
        case rateLimit = "rate-limit"
    }

    private struct State {
        var progress: ProgressState
        var thread: Thread?
        var isEnded = false
        var hasDrawn = false
        var lastLine: Duration?
    }

    private let style: ProgressStyle
    private let log: Log
    private let state: Monitor<State>
    private let meetsOutput: Bool

    /// Shows nothing.
    public static let none = Progress(.hidden, log: .silent)

    /// The time before the first drawing. A run that ends earlier ends before a user could read the line.
    private static let firstDrawing: Duration = .milliseconds(500)
    private static let betweenDrawings: Duration = .milliseconds(100)
    private static let betweenLines: Duration = .seconds(5)

    /// - Parameters:
    ///   - log: receives the lines if the style is `lines`.
    ///   - meetsOutput: whether standard output is also a terminal, so that records would collide with the drawn line.
    public init(_ style: ProgressStyle, log: Log, meetsOutput: Bool = false) {
        self.style = style
        self.log = log
        self.meetsOutput = meetsOutput
        state = Monitor(State(progress: ProgressState(began: style == .hidden ? .zero : SteadyTime.now())))
    }

    public var isHidden: Bool { style == .hidden }

    public func expect(records: Int) {
        if !isHidden { state.withLock { $0.progress.expected = records } }
    }

    /// Counts days instead of records, and sets their number if it is known.
    public func expect(days: Int?) {
        if isHidden { return }
        state.withLock { state in
            state.progress.unit = .days
            state.progress.expected = days
        }
    }

    /// Starts the drawing thread. Call it before work that may take long.
    public func beginWork() {
        if !isHidden { state.withLock(start) }
    }

    public func finishRecord(failed: Bool) {
        if !isHidden { state.withLock { $0.progress.finishRecord(failed: failed) } }
    }

    /// Counts received bytes of a download that is not shown.
    public func pass(bytes: Int) {
        if !isHidden { state.withLock { $0.progress.receive(0, bytes) } }
    }

    /// Clears the drawn line while `body` writes to standard output.
    public func clearingProgressLine<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        meetsOutput ? try StandardError.clearingProgressLine(body) : try body()
    }

    /// Stops showing progress and clears the drawn line, or writes a final line if lines were written.
    public func end() {
        if isHidden { return }
        let thread = state.update { state -> Thread? in
            state.isEnded = true
            defer { state.thread = nil }
            return state.thread
        }
        guard let thread else { return }
        thread.join()
        if case .drawn = style { StandardError.draw(nil) }
        if state.withLock({ $0.lastLine != nil }) { say(at: SteadyTime.now()) }
    }

    /// Shows a pause of `span` before a request to `host` while `body` waits.
    public func waiting<Result, E: Error>(
        _ reason: WaitReason, host: String, for span: Duration, _ body: () throws(E) -> Result
    ) throws(E) -> Result {
        if isHidden { return try body() }
        let number = state.withLock { state in
            start(&state)
            return state.progress.beginWait(reason, host: host, until: SteadyTime.now() + span)
        }
        defer { state.withLock { $0.progress.endWait(number) } }
        return try body()
    }

    // MARK: Downloads

    public struct Transfer: Sendable {
        fileprivate let progress: Progress
        fileprivate let number: Int

        /// - Parameters:
        ///   - bytes: the number of bytes from an earlier attempt.
        ///   - total: the final number of bytes, if known.
        public func expect(bytes: Int, total: Int?) {
            progress.state.withLock { $0.progress.expect(number, bytes: bytes, total: total) }
        }

        public func receive(_ bytes: Int) { progress.state.withLock { $0.progress.receive(number, bytes) } }

        /// Ends the download. If the run's only download is complete, redraws the line to show 100 %.
        public func end() {
            let shows = progress.state.withLock { state in
                state.progress.end(number)
                return state.hasDrawn && !state.isEnded && state.progress.single.map { $0.bytes == $0.total } ?? false
            }
            if shows { progress.show(at: SteadyTime.now()) }
        }
    }

    /// Starts to show a download, whose name may be untrusted. Returns nil if progress is hidden.
    public func beginTransfer(_ name: @autoclosure () -> String) -> Transfer? {
        if isHidden { return nil }
        let name = name()
        return state.withLock { state in
            start(&state)
            return Transfer(progress: self, number: state.progress.begin(name))
        }
    }

    // MARK: Drawing

    private func start(_ state: inout State) {
        guard state.thread == nil, !state.isEnded else { return }
        // Without a thread, the run continues but shows no progress.
        state.thread = try? Thread.start { [self] in run() }
    }

    private func run() {
        var wait = Self.firstDrawing - (SteadyTime.now() - state.withLock { $0.progress.began })
        while state.wait(atMost: max(wait, .zero), for: { $0.isEnded ? true : nil }) == nil {
            show(at: SteadyTime.now())
            wait = Self.betweenDrawings
        }
    }

    private func show(at now: Duration) {
        switch style {
        case .hidden: break
        case .drawn(let hasColour):
            let columns = Terminal.width(of: 2)
            let line = state.withLock { state in
                state.hasDrawn = true
                state.progress.sampleRate(at: now)
                return ProgressLine.drawn(state.progress, at: now, columns: columns, hasColour: hasColour)
            }
            StandardError.draw(line)
        case .lines:
            let isDue = state.withLock { state in
                state.progress.sampleRate(at: now)
                if let last = state.lastLine, now - last < Self.betweenLines { return false }
                state.lastLine = now
                return true
            }
            if isDue { say(at: now) }
        }
    }

    private func say(at now: Duration) {
        let progress = state.withLock { $0.progress }
        log.progress(ProgressLine.plain(progress, at: now), facts: progress.facts(at: now))
    }
}
