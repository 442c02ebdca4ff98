/// The progress of a run: finished and current work. A pure value: its methods receive the time as an argument.
struct ProgressState: Sendable {
    struct Transfer: Sendable, Equatable {
        let name: String
        /// Bytes on the disk, including bytes from an earlier attempt.
        var bytes = 0
        /// The final number of bytes, if the server sends it.
        var total: Int?
    }

    /// A pause before a request.
    struct Wait: Sendable, Equatable {
        let reason: Progress.WaitReason
        let host: String
        let end: Duration
    }

    /// The unit of progress.
    enum Unit: Sendable {
        /// Records, with their downloads.
        case records
        /// Days. A download contains many days, so downloads and bytes do not measure progress.
        case days
    }

    var unit = Unit.records
    /// The total number of records or days; nil if it is unknown, as for a stream.
    var expected: Int?
    private(set) var done = 0
    private(set) var failed = 0
    private(set) var transfers: [Int: Transfer] = [:]
    /// Bytes of all downloads.
    private(set) var received = 0
    private(set) var rate = Rate()
    /// The rate of finished records or days. The window is long because days arrive in pages that may take seconds, but
    /// does not extend to the start of the run, since the first days may be cached.
    private(set) var finishedRate = Rate(window: .seconds(10))
    private var timeLeft = TimeLeft()
    /// The download that ended last.
    private var ended: Transfer?
    private(set) var waits: [Int: Wait] = [:]
    private(set) var began: Duration
    private var nextNumber = 0

    init(began: Duration, expected: Int? = nil) {
        self.began = began
        self.expected = expected
    }

    mutating func finishRecord(failed hasFailed: Bool) {
        if hasFailed { failed += 1 } else { done += 1 }
    }

    /// Begins a download and returns its number.
    mutating func begin(_ name: String) -> Int {
        nextNumber += 1
        transfers[nextNumber] = Transfer(name: name)
        return nextNumber
    }

    /// - Parameters:
    ///   - bytes: the number of bytes from an earlier attempt.
    ///   - total: the final number of bytes; ignored if it is less than `bytes`.
    mutating func expect(_ number: Int, bytes: Int, total: Int?) {
        transfers[number]?.bytes = bytes
        transfers[number]?.total = total.flatMap { $0 >= bytes ? $0 : nil }
    }

    mutating func receive(_ number: Int, _ bytes: Int) {
        received += bytes
        guard var transfer = transfers[number] else { return }
        transfer.bytes += bytes
        // More bytes have arrived than the server announced, so its total was wrong.
        if let total = transfer.total, transfer.bytes > total { transfer.total = nil }
        transfers[number] = transfer
    }

    mutating func end(_ number: Int) { ended = transfers.removeValue(forKey: number) ?? ended }

    /// Begins a pause and returns its number.
    mutating func beginWait(_ reason: Progress.WaitReason, host: String, until end: Duration) -> Int {
        nextNumber += 1
        waits[nextNumber] = Wait(reason: reason, host: host, end: end)
        return nextNumber
    }

    mutating func endWait(_ number: Int) { waits[number] = nil }

    /// The pause that ends first.
    var nextWait: Wait? { waits.values.min { $0.end < $1.end } }

    /// Updates the rates and the time left, both smoothed. Call it before each drawing.
    mutating func sampleRate(at now: Duration) {
        rate.sample(received, at: now - began)
        finishedRate.sample(finished, at: now - began)
        timeLeft.update(left(at: now), at: now)
    }

    var finished: Int { done + failed }

    /// The only download of a run with one record. A completed download is returned until its record is finished.
    var single: Transfer? {
        guard unit == .records, finished == 0, expected ?? 1 == 1, transfers.count <= 1 else { return nil }
        if let transfer = transfers.values.first { return transfer }
        // A download without bytes, such as a redirect, is hidden unless it is retried.
        return ended.flatMap { $0.bytes > 0 || $0.total != nil || !waits.isEmpty ? $0 : nil }
    }

    /// Returns the smoothed time left in seconds, for the single download, else for the records.
    func secondsLeft(at now: Duration) -> Int? {
        if let single {
            guard let total = single.total, total > single.bytes else { return nil }
        } else {
            guard let expected, expected > finished else { return nil }
        }
        return timeLeft.seconds(at: now)
    }

    /// Returns the seconds left at the current rate.
    private func left(at now: Duration) -> Double? {
        if let single {
            guard let total = single.total, total > single.bytes, rate.isSteady, rate.perSecond >= 1 else { return nil }
            return rate.seconds(for: total - single.bytes)
        }
        guard let expected, expected > finished else { return nil }
        return finishedRate.seconds(for: expected - finished)
    }

    /// The total number of bytes; nil unless all records have begun and all servers have sent a length.
    private var bytesExpected: Int? {
        if let single { return single.total }
        guard unit == .records, let expected, finished + transfers.count >= expected else { return nil }
        var sum = received
        for transfer in transfers.values {
            guard let total = transfer.total else { return nil }
            sum = sum.addingReportingOverflow(total - transfer.bytes).partialValue
        }
        return sum
    }

    /// Returns the figures of the line as fields of a JSON message.
    func facts(at now: Duration) -> Log.Facts {
        [
            "records_done": .integer(finished), "records_failed": .integer(failed),
            "records_total": expected.map { .integer($0) }, "bytes_done": .integer(single?.bytes ?? received),
            "bytes_total": bytesExpected.map { .integer($0) }, "rate": .decimal(rate.perSecond),
            "eta_s": secondsLeft(at: now).map { .integer($0) },
            "waiting_for": nextWait.map { .text($0.reason.rawValue) },
            "wait_host": nextWait.map { .text($0.host) },
            "wait_s": nextWait.map { .integer(ProgressLine.seconds(until: $0.end, at: now)) },
        ]
    }
}
