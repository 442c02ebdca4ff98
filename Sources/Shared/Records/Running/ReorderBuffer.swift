import Support

/// Lets results leave in the order in which their records came, or as they are done, and bounds how much lies between
/// reading and writing.
///
/// Not for several threads at once: its owner locks.
struct ReorderBuffer {
    /// The place of a record among the others.
    struct Slot: Sendable {
        /// Counted from 0.
        let sequence: Int
        /// What is accounted for it until its result is there.
        fileprivate let bytes: Int
    }

    /// What became of a record.
    struct Outcome {
        /// Nil if it leaves no trace.
        var record: Record?
        /// What it adds to the exit status, in the order of the records: the first failure is not that of the fastest.
        var tally = ExitTally()

        fileprivate var footprint: Int { record?.footprint ?? 0 }
    }

    private(set) var output: RecordOutput
    private(set) var tally = ExitTally()
    private let isOrdered: Bool
    /// How many records, and how many bytes of them, may lie between reading and writing.
    private let window: (records: Int, bytes: Int)
    /// Results that wait for an earlier one.
    private var finished: [Int: Outcome] = [:]
    /// What was emitted of records that wait for an earlier one.
    private var early: [Int: [Record]] = [:]
    private var nextToRead = 0
    private var nextToWrite = 0
    /// What records between reading and writing take, in bytes.
    private var held = 0

    init(output: RecordOutput, isOrdered: Bool, window: (records: Int, bytes: Int)) {
        self.output = output
        self.isOrdered = isOrdered
        self.window = window
    }

    /// The place of the next record; nil if it has to wait for room. One that is larger than the window goes through it
    /// alone.
    mutating func reserve(_ bytes: Int) -> Slot? {
        let hasBytes = held == 0 || held + bytes <= window.bytes
        guard hasBytes, nextToRead - nextToWrite < window.records else { return nil }
        defer { nextToRead += 1 }
        held += bytes
        return Slot(sequence: nextToRead, bytes: bytes)
    }

    /// Writes a result, or keeps it until those before it are written.
    mutating func put(_ outcome: Outcome, in slot: Slot) {
        held -= slot.bytes
        if isOrdered, slot.sequence != nextToWrite {
            held += outcome.footprint
            finished[slot.sequence] = outcome
            return
        }
        write(outcome)
        while !early.isEmpty || !finished.isEmpty {
            for record in early.removeValue(forKey: nextToWrite) ?? [] {
                held -= record.footprint
                output.append(record, tally: &tally)
            }
            guard let next = finished.removeValue(forKey: nextToWrite) else { return }
            held -= next.footprint
            write(next)
        }
    }

    /// Writes a record whose result is still to come, or keeps it until those before it are written. One that the
    /// window has no room for is dropped: the finished one says more.
    mutating func put(early record: Record, in slot: Slot) {
        if !isOrdered || slot.sequence == nextToWrite {
            output.append(record, tally: &tally)
        } else if held + record.footprint <= window.bytes {
            held += record.footprint
            early[slot.sequence, default: []].append(record)
        }
    }

    /// Writes to the file what has left.
    mutating func flush() { output.flush() }

    /// Writes what follows the last record, once all records have left.
    mutating func finish() { output.finish() }

    private mutating func write(_ outcome: Outcome) {
        tally.add(outcome.tally)
        if let record = outcome.record { output.append(record, tally: &tally) }
        nextToWrite += 1
    }
}
