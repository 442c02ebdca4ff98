import Support

/// How many requests a server still takes, as far as it has said, and when the next one may start. Pure: it is given
/// the time, which is that of the wall clock, since processes share quotas.
///
/// Requests start at once while more than a quarter of the limit is left; then they are spaced further and further
/// apart, and none starts once none is left. A request counts as soon as it may start, so that those who ask at the
/// same moment get different slots. What the server says in an answer is lowered by the requests that have started
/// since that one.
public struct RequestQuota: Sendable, Hashable {
    /// The reply to somebody who wants to make a request.
    public enum Turn: Sendable, Hashable {
        /// It may be made after this pause, and has been counted. Pass the number to `learn` together with the answer.
        case go(after: Duration, number: Int)
        /// No request is taken until then; ask again after that.
        case refused(until: Timestamp)
    }

    /// The longest time between two successive requests while any are left.
    static let longestSpacing = Duration.seconds(60)
    /// How far ahead a slot may lie: enough for the longest pauses of as many processes as are ever likely to wait,
    /// since each takes one slot at a time.
    static let longestQueue = longestSpacing * 5
    /// Servers that name no window count by the hour, as api.data.gov does.
    static let usualWindow = Duration.seconds(3600)
    /// How long the answer to a request may take before it counts as lost with its process.
    static let answerTime = Duration.seconds(10)
    /// How soon to ask again while answers are awaited.
    static let answerPoll = Duration.milliseconds(250)
    /// A time further ahead than this was written before the clock was set back.
    static let clockTolerance = Duration.seconds(1)

    /// Requests a window; nil if the server has not said.
    public internal(set) var limit: Int?
    /// How many requests are left, less those that were made since the server said so; nil if that is not known.
    public internal(set) var remaining: Int?
    /// The time over which the server counts.
    var window = usualWindow
    /// When the server starts counting again; nil if it has not said.
    var renewedAt: Timestamp?
    /// Until when the server refuses all requests, as it said itself.
    var refusedUntil: Timestamp?
    /// The start of the last request; in the future if that is still waiting.
    var lastStart: Timestamp?
    /// How many requests have been counted.
    var count = 0
    /// The number of the latest request whose answer was seen.
    var answered = 0
    /// Starts within the window, the oldest first and each at least a 16th of the window after the one before. They
    /// tell when a server that counts over a sliding window will have forgotten some.
    var starts: [Timestamp] = []
    /// When something last changed.
    var changedAt: Timestamp?

    public init() {}

    /// Takes the next slot. Changes nothing if nothing is known about the server.
    public mutating func take(now: Timestamp) -> Turn {
        age(now: now)
        if let refusedUntil { return .refused(until: refusedUntil) }
        guard let remaining else { return .go(after: .zero, number: count) }
        guard remaining > 0 else {
            // Answers that are still awaited may bring better news than the guess that counts them as used.
            if answered < count, let lastStart, now - lastStart < Self.answerTime {
                return .refused(until: now + Self.answerPoll)
            }
            return .refused(until: renewedAt ?? (starts.first ?? now) + window)
        }
        let spacing = Self.spacing(
            limit: limit, remaining: remaining, window: window, untilRenewal: renewedAt.map { $0 - now })
        let start = lastStart.map { max(now, $0 + spacing) } ?? now
        if start - now > Self.longestQueue { return .refused(until: start) }
        self.remaining = remaining - 1
        lastStart = start
        count += 1
        note(start: start)
        changedAt = now
        return .go(after: start - now, number: count)
    }

    /// Learns what the server said in its answer to the request of that number.
    public mutating func learn(_ report: QuotaReport, number: Int, now: Timestamp) {
        age(now: now)
        changedAt = now
        limit = report.limit ?? limit
        if starts.isEmpty { starts = [now] }
        if let renewal = report.renewal {
            renewedAt = now + renewal
            // A month's quota is not one of an hour, whatever is left of the month.
            window = max(report.window ?? window, renewal)
        } else {
            window = report.window ?? window
        }
        // What the answer to a later request said includes this one. Requests that started before anything was known
        // have the same number, and their answers come in any order: the lowest count is the latest.
        if let told = report.remaining, number >= answered {
            let left = max(told - max(count - number, 0), 0)
            remaining = number == answered ? min(remaining ?? left, left) : left
        }
        answered = min(max(answered, number), count)
        if let refusal = report.refusal, refusal > .zero {
            refusedUntil = max(refusedUntil ?? now, now + refusal)
            // By then there will be some again; the next answer will tell how many.
            remaining = nil
        }
    }

    /// How long after the last request the next one starts.
    ///
    /// The last quarter of the limit begins without pauses, and each request makes the next pause longer: once half of
    /// that quarter is left, requests are spaced so that they could go on for ever. Pauses are never longer than needed
    /// to make the rest last until the server starts counting again. If the limit is so small that even the longest
    /// pause would not make it last, pauses would only cost time, and there are none.
    static func spacing(limit: Int?, remaining: Int, window: Duration, untilRenewal: Duration?) -> Duration {
        guard let limit, limit > 0, remaining > 0, remaining < limit / 4 else { return .zero }
        let even = window / limit
        guard even <= longestSpacing else { return .zero }
        let scarcity = Double(limit) / 4 / Double(remaining) - 1
        let rest = untilRenewal.map { max($0, .zero) / remaining } ?? longestSpacing
        return min(even * scarcity, rest, longestSpacing)
    }

    /// Forgets what no longer counts.
    private mutating func age(now: Timestamp) {
        if let changedAt, changedAt > now + Self.clockTolerance { self = RequestQuota() }
        if let refusedUntil, refusedUntil <= now { self.refusedUntil = nil }
        if let renewedAt, renewedAt <= now {
            self.renewedAt = nil
            remaining = limit
            starts = []
        }
        let past = starts.prefix { $0 + window <= now }.count
        guard past > 0 else { return }
        starts.removeFirst(past)
        if starts.isEmpty {
            remaining = limit
        } else if remaining == 0, renewedAt == nil {
            remaining = 1
        }
    }

    private mutating func note(start: Timestamp) {
        if let last = starts.last, start - last < window / 16 { return }
        starts.append(start)
    }
}
