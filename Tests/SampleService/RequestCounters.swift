import Support

/// Counts requests by path, and the maximum number of concurrent requests.
final class RequestCounters: Sendable {
    private struct State {
        var total = 0
        var current = 0
        var highest = 0
        var paths: [String: Int] = [:]
        var attempts: [String: Int] = [:]
        var periods: [String: Period] = [:]
    }

    private struct Period {
        let end: ContinuousClock.Instant
        var used = 0
    }

    private let state = Monitor(State())

    func begin(_ path: String) {
        state.withLock {
            $0.total += 1
            $0.current += 1
            $0.highest = max($0.highest, $0.current)
            $0.paths[path, default: 0] += 1
        }
    }

    func end() { state.withLock { $0.current -= 1 } }

    /// Counts an attempt at `target`, and returns its number, from 1.
    func attempt(at target: String) -> Int {
        state.withLock {
            $0.attempts[target, default: 0] += 1
            return $0.attempts[target, default: 0]
        }
    }

    /// Counts a request for a quota. Returns the number of requests in the current period, which began with its first
    /// request, and the time left in it.
    func use(_ name: String, within length: Duration) -> (used: Int, rest: Duration) {
        state.withLock { state in
            let now = ContinuousClock.now
            var period = state.periods[name] ?? Period(end: now + length)
            if period.end <= now { period = Period(end: now + length) }
            period.used += 1
            state.periods[name] = period
            return (period.used, period.end - now)
        }
    }

    func reset() {
        state.withLock {
            $0.total = 0
            $0.highest = $0.current
            $0.paths = [:]
            $0.attempts = [:]
            $0.periods = [:]
        }
    }

    var json: String {
        let state = state.withLock { $0 }
        let paths = state.paths.sorted { $0.key < $1.key }.map { "\(TerminalText.jsonString($0.key)):\($0.value)" }
        return "{\"total\":\(state.total),\"highest\":\(state.highest),\"paths\":{\(paths.joined(separator: ","))}}"
    }

    /// One line per path: the count, a tab and the path.
    var text: String {
        let state = state.withLock { $0 }
        let paths = state.paths.sorted { $0.key < $1.key }.map { "\($0.value)\t\($0.key)\n" }
        return "\(state.total)\ttotal\n\(state.highest)\thighest\n" + paths.joined()
    }
}
