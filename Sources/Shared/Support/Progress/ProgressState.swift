/// How far a run is: what has been done, and what is under way. A value that knows no clock but the times it is told.
struct ProgressState: Sendable {
    /// A download under way.
    struct Transfer: Sendable, Equatable {
        let name: String
        /// Bytes that are there, those of an earlier attempt among them.
        var bytes = 0
        /// How many there will be, where the server says so.
        var total: Int?
    }

    /// What is counted.
    enum Unit: Sendable {
        /// Records, with what is downloaded for them.
        case records
        /// Days of which many come with one download: neither downloads nor bytes say anything of them.
        case days
    }

    var unit = Unit.records
    /// How many records there will be; nil where nobody knows, as of a stream.
    var expected: Int?
    private(set) var done = 0
    private(set) var failed = 0
    /// By number, so that the oldest comes first.
    private(set) var transfers: [Int: Transfer] = [:]
    /// Bytes received in all.
    private(set) var received = 0
    private(set) var rate = Rate()
    /// Of finished records. Days come in pages, a page may take seconds, and the mean since the beginning would say
    /// nothing of the days to come where the first ones were in the cache.
    private(set) var finishedRate = Rate(settling: 10)
    private(set) var began: Duration
    private var nextNumber = 0

    init(began: Duration, expected: Int? = nil) {
        self.began = began
        self.expected = expected
    }

    mutating func finishRecord(failed hasFailed: Bool) {
        if hasFailed { failed += 1 } else { done += 1 }
    }

    /// Begins a download and gives its number.
    mutating func begin(_ name: String) -> Int {
        nextNumber += 1
        transfers[nextNumber] = Transfer(name: name)
        return nextNumber
    }

    /// - Parameters:
    ///   - bytes: those that are there already.
    ///   - total: all that there will be. One that cannot be counts as none.
    mutating func expect(_ number: Int, bytes: Int, total: Int?) {
        transfers[number]?.bytes = bytes
        transfers[number]?.total = total.flatMap { $0 >= bytes ? $0 : nil }
    }

    mutating func receive(_ number: Int, _ bytes: Int) {
        received += bytes
        guard var transfer = transfers[number] else { return }
        transfer.bytes += bytes
        // Who sends more than was promised promised nothing.
        if let total = transfer.total, transfer.bytes > total { transfer.total = nil }
        transfers[number] = transfer
    }

    mutating func end(_ number: Int) { transfers[number] = nil }

    /// To be called at each drawing, which the rate is smoothed over.
    mutating func sampleRate(at now: Duration) {
        rate.sample(received, at: now - began)
        if unit == .days { finishedRate.sample(done + failed, at: now - began) }
    }

    /// The one download that all is about, if it is one.
    var single: Transfer? {
        guard unit == .records, transfers.count == 1, expected == 1 || expected == nil && done + failed == 0 else { return nil }
        return transfers.values.first
    }

    /// Seconds that are left: of a single download by its bytes, else by the records that are done.
    func secondsLeft(at now: Duration) -> Int? {
        let seconds: Double
        if let single {
            guard let total = single.total, rate.perSecond >= 1 else { return nil }
            seconds = Double(total - single.bytes) / rate.perSecond
        } else if unit == .days {
            let finished = done + failed
            guard let expected, expected > finished, finishedRate.perSecond >= 0.01 else { return nil }
            seconds = Double(expected - finished) / finishedRate.perSecond
        } else {
            let finished = done + failed
            guard let expected, expected > finished, finished > 0 else { return nil }
            seconds = (now - began).inSeconds / Double(finished) * Double(expected - finished)
        }
        // More than four days is a guess that helps nobody.
        return seconds < 360_000 ? Int(seconds.rounded(.up)) : nil
    }
}

/// How much a second, of bytes or of records, smoothed so that it can be read.
struct Rate: Sendable, Equatable {
    private(set) var perSecond = 0.0
    private var last = (amount: 0, time: Duration.zero)
    /// How many seconds a change takes to show.
    private let settling: Double

    /// - Parameter settling: by default long enough that figures do not jump, short enough that a stall is seen.
    init(settling: Double = 2) { self.settling = settling }

    /// - Parameter time: since the beginning.
    mutating func sample(_ amount: Int, at time: Duration) {
        let span = (time - last.time).inSeconds
        guard span > 0 else { return }
        let present = Double(amount - last.amount) / span
        // At first the mean since the beginning, then one that forgets.
        let weight = span / (min(time.inSeconds, settling + span))
        perSecond += weight * (present - perSecond)
        last = (amount, time)
    }

    static func == (a: Rate, b: Rate) -> Bool { a.perSecond == b.perSecond && a.last == b.last }
}
