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

    /// How many records there will be; nil where nobody knows, as of a stream.
    var expected: Int?
    private(set) var done = 0
    private(set) var failed = 0
    /// By number, so that the oldest comes first.
    private(set) var transfers: [Int: Transfer] = [:]
    /// Bytes received in all.
    private(set) var received = 0
    private(set) var rate = TransferRate()
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
    mutating func sampleRate(at now: Duration) { rate.sample(received, at: now - began) }

    /// The one download that all is about, if it is one.
    var single: Transfer? {
        guard transfers.count == 1, expected == 1 || expected == nil && done + failed == 0 else { return nil }
        return transfers.values.first
    }

    /// Seconds that are left: of a single download by its bytes, else by the records that are done.
    func secondsLeft(at now: Duration) -> Int? {
        let seconds: Double
        if let single {
            guard let total = single.total, rate.bytesPerSecond >= 1 else { return nil }
            seconds = Double(total - single.bytes) / rate.bytesPerSecond
        } else {
            let finished = done + failed
            guard let expected, expected > finished, finished > 0 else { return nil }
            seconds = (now - began).inSeconds / Double(finished) * Double(expected - finished)
        }
        // More than four days is a guess that helps nobody.
        return seconds < 360_000 ? Int(seconds.rounded(.up)) : nil
    }
}

/// Bytes a second, smoothed so that they can be read.
struct TransferRate: Sendable, Equatable {
    private(set) var bytesPerSecond = 0.0
    private var last = (bytes: 0, time: Duration.zero)

    /// How long a change takes to show: long enough that figures do not jump, short enough that a stall is seen.
    private static let settling = 2.0

    /// - Parameter time: since the beginning.
    mutating func sample(_ bytes: Int, at time: Duration) {
        let span = (time - last.time).inSeconds
        guard span > 0 else { return }
        let present = Double(bytes - last.bytes) / span
        // At first the mean since the beginning, then one that forgets.
        let weight = span / (min(time.inSeconds, Self.settling + span))
        bytesPerSecond += weight * (present - bytesPerSecond)
        last = (bytes, time)
    }

    static func == (a: TransferRate, b: TransferRate) -> Bool {
        a.bytesPerSecond == b.bytesPerSecond && a.last == b.last
    }
}
