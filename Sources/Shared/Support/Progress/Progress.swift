/// Shows how far a run is, once it has lasted for half a second.
///
/// Passed down like `Log`, and told from any thread what happens. A separate thread draws ten times a second; it is
/// started with the first download or picture that is worked on, so that a run that finds everything in the cache has
/// none.
public final class Progress: Sendable {
    /// Why a request waits.
    public enum WaitReason: String, Sendable {
        /// Something failed, and will be retried.
        case retry
        /// The server takes no more requests for a while.
        case rateLimit = "rate-limit"
    }

    private struct State {
        var progress: ProgressState
        var thread: Thread?
        var isEnded = false
        var hasDrawn = false
        /// When the last line of a log was written.
        var lastLine: Duration?
    }

    private let style: ProgressStyle
    private let log: Log
    private let state: Monitor<State>
    /// Whether standard output is a terminal, where records would collide with what is drawn.
    private let meetsOutput: Bool

    /// Shows nothing.
    public static let none = Progress(.hidden, log: .silent)

    /// Shorter work is over before anybody could read it.
    private static let firstDrawing: Duration = .milliseconds(500)
    private static let betweenDrawings: Duration = .milliseconds(100)
    private static let betweenLines: Duration = .seconds(5)

    /// - Parameter log: where `lines` are written.
    public init(_ style: ProgressStyle, log: Log, meetsOutput: Bool = false) {
        self.style = style
        self.log = log
        self.meetsOutput = meetsOutput
        state = Monitor(State(progress: ProgressState(began: style == .hidden ? .zero : SteadyTime.now())))
    }

    public var isHidden: Bool { style == .hidden }

    /// Says how many records there will be.
    public func expect(records: Int) {
        if !isHidden { state.withLock { $0.progress.expected = records } }
    }

    /// Says that the records are days, and how many there will be, if that is known.
    public func expect(days: Int?) {
        if isHidden { return }
        state.withLock { state in
            state.progress.unit = .days
            state.progress.expected = days
        }
    }

    /// Says that something begins that may take long.
    public func beginWork() {
        if !isHidden { state.withLock(start) }
    }

    public func finishRecord(failed: Bool) {
        if !isHidden { state.withLock { $0.progress.finishRecord(failed: failed) } }
    }

    /// Counts bytes that were read or received, but belong to no download that is shown.
    public func pass(bytes: Int) {
        if !isHidden { state.withLock { $0.progress.receive(0, bytes) } }
    }

    /// Runs `body`, which writes to standard output, while nothing is drawn. Throws what `body` throws.
    public func aside<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        meetsOutput ? try StandardError.aside(body) : try body()
    }

    /// Stops showing progress, and clears what is drawn. If lines were written, a last one tells the result.
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

    /// Runs `body`, which waits this long before a request to `host`, and shows that. Throws what `body` throws.
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

    /// A download that is shown.
    public struct Transfer: Sendable {
        fileprivate let progress: Progress
        fileprivate let number: Int

        /// - Parameters:
        ///   - bytes: how many there are already.
        ///   - total: how many there will be; nil if that is not known.
        public func expect(bytes: Int, total: Int?) {
            progress.state.withLock { $0.progress.expect(number, bytes: bytes, total: total) }
        }

        public func receive(_ bytes: Int) { progress.state.withLock { $0.progress.receive(number, bytes) } }

        /// Ends the download; if it is complete, that is drawn.
        public func end() {
            let shows = progress.state.withLock { state in
                state.progress.end(number)
                return state.hasDrawn && !state.isEnded && state.progress.single.map { $0.bytes == $0.total } ?? false
            }
            if shows { progress.show(at: SteadyTime.now()) }
        }
    }

    /// Begins to show a download by a name that may come from a stranger; returns nil if nothing is shown.
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
        // If the system refuses a thread, there are more important problems.
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

    /// Writes a line for a log.
    private func say(at now: Duration) {
        let progress = state.withLock { $0.progress }
        log.progress(ProgressLine.plain(progress, at: now), facts: progress.facts(at: now))
    }
}
