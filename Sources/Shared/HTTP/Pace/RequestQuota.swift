import Support

/// How many requests a server still takes, as far as it has told, and when the next one may start. Pure: the time is
/// told, and it is the wall clock's, since processes share it.
///
/// Requests go out at once while more than a quarter of the limit is left, then further and further apart, and none
/// where none is left. A request counts as soon as it is let go, so that those who ask at the same moment get slots of
/// their own; what the server says of an older request is lowered by those that were let go since.
public struct RequestQuota: Sendable, Hashable {
    /// What whoever wants to make a request is told.
    public enum Turn: Sendable, Hashable {
        /// It may be made after this pause, and has been counted. The number is to be given back with the answer.
        case go(after: Duration, number: Int)
        /// No request is taken until then; whoever still wants to make one asks again.
        case refused(until: Timestamp)
    }

    /// The longest time between two requests that follow each other while there are any left.
    static let longestSpacing = Duration.seconds(60)
    /// How far ahead a slot may lie: as many of the longest pauses as there are ever likely to be processes that wait,
    /// since each takes one slot at a time.
    static let longestQueue = longestSpacing * 5
    /// Servers that name no window count by the hour, as api.nasa.gov does.
    static let usualWindow = Duration.seconds(3600)
    /// How long the answer to a request that was let go may take, until it counts as lost with its process.
    static let answerTime = Duration.seconds(10)
    /// How soon to ask again while answers are out.
    static let answerPoll = Duration.milliseconds(250)
    /// A time that lies further ahead than this was written before the clock was set back.
    static let clockTolerance = Duration.seconds(1)

    /// Requests a window; nil if the server has not said.
    public internal(set) var limit: Int?
    /// How many are left, less those that were let go since it was told; nil if that is not known.
    public internal(set) var remaining: Int?
    /// The time over which the server counts.
    var window = usualWindow
    /// When the server begins to count anew, where it says so.
    var renewedAt: Timestamp?
    /// Until when the server refuses everything, by its own word.
    var refusedUntil: Timestamp?
    /// The start of the last request that was let go; ahead of now where it is still waiting.
    var lastStart: Timestamp?
    /// How many requests have been let go.
    var count = 0
    /// The number of the latest request whose answer was seen.
    var answered = 0
    /// Starts within the window, the oldest first and each at least a 16th of the window after the one before: tells
    /// when the server will have forgotten some, where it counts over a window that moves along.
    var starts: [Timestamp] = []
    /// When something last changed.
    var changedAt: Timestamp?

    public init() {}

    /// Takes the next slot. Changes nothing where nothing is known of the server.
    public mutating func take(now: Timestamp) -> Turn {
        age(now: now)
        if let refusedUntil { return .refused(until: refusedUntil) }
        guard let remaining else { return .go(after: .zero, number: count) }
        guard remaining > 0 else {
            // Answers that are still out may bring better news than the guess that counts them as used.
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

    /// Takes in what the server said in its answer to the request of that number.
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
        // What a later request was told counts this one in. Those that started before anything was known bear the same
        // number, and their answers come in any order: the least is the latest.
        if let told = report.remaining, number >= answered {
            let left = max(told - max(count - number, 0), 0)
            remaining = number == answered ? min(remaining ?? left, left) : left
        }
        answered = min(max(answered, number), count)
        if let refusal = report.refusal, refusal > .zero {
            refusedUntil = max(refusedUntil ?? now, now + refusal)
            // By then there will be some again; how many, the next answer tells.
            remaining = nil
        }
    }

    /// How long after the request before the next one starts.
    ///
    /// The last quarter of the limit begins with no pause, and each request less makes it longer: by the time half of
    /// it is left, requests are as far apart as would keep them up for ever. They are no further apart than lets the
    /// rest last until the server begins to count anew. Where the limit is so small that the longest pause would not
    /// keep it up, pauses only cost time, and there are none.
    static func spacing(limit: Int?, remaining: Int, window: Duration, untilRenewal: Duration?) -> Duration {
        guard let limit, limit > 0, remaining > 0, remaining < limit / 4 else { return .zero }
        let even = window / limit
        guard even <= longestSpacing else { return .zero }
        let scarcity = Double(limit) / 4 / Double(remaining) - 1
        let rest = untilRenewal.map { max($0, .zero) / remaining } ?? longestSpacing
        return min(even * scarcity, rest, longestSpacing)
    }

    /// Forgets what is over by now.
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
