/// Formats the progress of a run as a line of text.
enum ProgressLine {
    /// Returns a line of at most `columns` columns. Omits the least important parts if necessary.
    static func drawn(
        _ state: ProgressState, at now: Duration, columns: Int, hasColour: Bool
    ) -> (text: String, columns: Int) {
        // The last column stays free: some terminals wrap as soon as it is used.
        let room = max(columns - 1, 1)
        return state.single.map { bar($0, state, at: now, room: room, hasColour: hasColour) }
            ?? fitted(parts(state, at: now), room: room)
    }

    /// Returns the full line, for a log.
    static func plain(_ state: ProgressState, at now: Duration) -> String {
        guard let single = state.single else { return parts(state, at: now).joined(separator: ", ") }
        return ([TerminalText.escaped(single.name)] + parts(single, state, at: now)).joined(separator: ", ")
    }

    // MARK: Several records

    private static func parts(_ state: ProgressState, at now: Duration) -> [String] {
        if state.unit == .days { return days(state, at: now) }
        let finished = state.finished
        if state.expected == 1, finished == 0, state.received == 0 {
            return [state.nextWait.map { waitOfHost($0, at: now) } ?? working(state, at: now)]
        }
        var counts = state.expected.map { "\(finished) of \($0) done" } ?? "\(finished) done"
        if state.failed > 0 { counts += ", \(state.failed) failed" }
        var parts = [counts]
        if let wait = state.nextWait { parts.append(waitOfHost(wait, at: now)) }
        if state.received > 0 {
            parts.append(ByteCount.description(state.received))
            parts.append(rate(state))
        }
        if let left = state.secondsLeft(at: now) { parts.append("\(time(left)) left") }
        return parts
    }

    private static func days(_ state: ProgressState, at now: Duration) -> [String] {
        let finished = state.finished
        if finished == 0, state.expected ?? 1 == 1 {
            return [state.nextWait.map { waitOfHost($0, at: now) } ?? working(state, at: now)]
        }
        var counts = state.expected.map { "\(finished) of \($0) days" } ?? counted(finished, "day")
        if state.failed > 0 { counts += ", \(state.failed) failed" }
        var parts = [counts]
        if let wait = state.nextWait { parts.append(waitOfHost(wait, at: now)) }
        let rate = state.finishedRate.perSecond
        // Lower rates are not informative.
        if rate >= 0.1 { parts.append("\(rate < 10 ? tenths(rate) : String(Int(min(rate, 1e9)))) days/s") }
        if let left = state.secondsLeft(at: now) { parts.append("\(time(left)) left") }
        return parts
    }

    private static func working(_ state: ProgressState, at now: Duration) -> String {
        "working for \(time(Int(max((now - state.began).inSeconds, 0))))"
    }

    private static func wait(_ wait: ProgressState.Wait, at now: Duration) -> String {
        let seconds = Self.seconds(until: wait.end, at: now)
        return switch wait.reason {
        case .retry: "retry in \(seconds) s"
        case .rateLimit: "rate limit: next request in \(seconds) s"
        }
    }

    private static func waitOfHost(_ wait: ProgressState.Wait, at now: Duration) -> String {
        "\(TerminalText.escaped(wait.host)): \(self.wait(wait, at: now))"
    }

    /// Returns the seconds until `end`, rounded up, at least 0.
    static func seconds(until end: Duration, at now: Duration) -> Int {
        max(Int((end - now).inSeconds.rounded(.up)), 0)
    }

    private static func fitted(_ parts: [String], room: Int) -> (text: String, columns: Int) {
        var parts = parts
        while parts.count > 1, width(parts) > room { parts.removeLast() }
        return TerminalText.cut(parts.joined(separator: "  "), toColumns: room)
    }

    // MARK: A single download

    /// Returns percentage, amount, rate and time left, in order of importance.
    private static func parts(
        _ transfer: ProgressState.Transfer, _ state: ProgressState, at now: Duration
    ) -> [String] {
        let wait = state.nextWait.map { Self.wait($0, at: now) }
        guard transfer.bytes > 0 || transfer.total != nil else { return [wait ?? "waiting"] }
        var parts: [String] = []
        if let total = transfer.total {
            parts.append("\(percent(transfer.bytes, of: total)) %")
            parts.append("\(ByteCount.description(transfer.bytes)) of \(ByteCount.description(total))")
        } else {
            parts.append(ByteCount.description(transfer.bytes))
        }
        if let wait { return parts + [wait] }
        parts.append(rate(state))
        if let left = state.secondsLeft(at: now) { parts.append("\(time(left)) left") }
        return parts
    }

    /// The minimum length of the bar, which fits into 80 columns together with a name and all figures.
    private static let shortestBar = 8
    /// Columns reserved for the longest usual figures and the shortest bar. The name is cut to the remaining columns,
    /// so that the line does not shift while the figures change.
    private static let columnsOfFigures = 64
    private static let longestBar = 40
    private static let shortestName = 12
    /// The columns of the brackets and of the spaces before them.
    private static let barFrame = 4

    private static func bar(
        _ transfer: ProgressState.Transfer, _ state: ProgressState, at now: Duration, room: Int, hasColour: Bool
    ) -> (text: String, columns: Int) {
        var parts = parts(transfer, state, at: now)
        let full = TerminalText.cut(TerminalText.escaped(transfer.name), toColumns: max(shortestName, room / 3))
        let least = min(full.columns, shortestName) + 2
        while parts.count > 1, least + width(parts) > room { parts.removeLast() }
        let hasBar = transfer.total != nil && least + width(parts) + barFrame + shortestBar <= room
        let rest = room - 2 - width(parts)
        let forName =
            hasBar
            ? min(max(room - columnsOfFigures, shortestName), rest - barFrame - shortestBar) : max(rest, 1)
        let name = TerminalText.cut(full.text, toColumns: forName)
        var columns = name.columns + 2 + width(parts)
        guard columns <= room else { return TerminalText.cut(name.text, toColumns: room) }
        var pieces = parts
        if hasBar, let total = transfer.total {
            let length = min(room - columns - barFrame, longestBar)
            let done = total > 0 ? Int(Double(length) * Double(transfer.bytes) / Double(total)) : length
            let filled = String(repeating: "=", count: done)
            let shown = hasColour ? "\u{1B}[32m\(filled)\u{1B}[0m" : filled
            pieces.insert("[\(shown)\(String(repeating: " ", count: length - done))]", at: 1)
            columns += length + barFrame
        }
        return (([name.text] + pieces).joined(separator: "  "), columns)
    }

    // MARK: Figures

    /// Returns the columns of the parts joined by two spaces. All parts are ASCII.
    private static func width(_ parts: [String]) -> Int {
        parts.reduce(0) { $0 + $1.utf8.count } + 2 * (parts.count - 1)
    }

    /// Rounds down, so that 100 means complete.
    private static func percent(_ bytes: Int, of total: Int) -> Int {
        total > 0 ? Int(Double(bytes) / Double(total) * 100) : 100
    }

    private static func rate(_ state: ProgressState) -> String {
        "\(ByteCount.description(Int(min(max(state.rate.perSecond, 0), 1e18))))/s"
    }

    /// For example `0.4` or `3.0`.
    private static func tenths(_ value: Double) -> String {
        let count = Int((value * 10).rounded())
        return "\(count / 10).\(count % 10)"
    }

    /// For example `0:07`, `12:34` or `1:02:03`.
    static func time(_ seconds: Int) -> String {
        func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let minutes = seconds / 60
        let rest = padded(seconds % 60)
        return minutes < 60 ? "\(minutes):\(rest)" : "\(minutes / 60):\(padded(minutes % 60)):\(rest)"
    }
}
