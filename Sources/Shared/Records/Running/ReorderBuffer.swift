import Support

/// Buffers results until they can be written, in input order or as they finish, and limits the records between reading
/// and writing. Not thread-safe: the owner holds a lock.
struct ReorderBuffer {
    struct Slot: Sendable {
        /// The position of the record in the input, counted from 0.
        let sequence: Int
        /// The bytes of the window that are reserved until the result arrives.
        fileprivate let bytes: Int
    }

    /// The result of a record.
    struct Outcome {
        /// Nil if nothing is written.
        var record: Record?
        /// Added to the tally of the run in output order, so with ordered output the first failure of the input decides
        /// the exit status.
        var tally = ExitTally()

        fileprivate var footprint: Int { record?.footprint ?? 0 }
    }

    var output: RecordOutput
    private(set) var tally = ExitTally()
    private let isOrdered: Bool
    /// The maximum number and bytes of records between reading and writing.
    private let window: (records: Int, bytes: Int)
    /// Results that wait for earlier results, by sequence number.
    private var finished: [Int: Outcome] = [:]
    /// Early versions that wait for earlier records, by sequence number.
    private var early: [Int: [Record]] = [:]
    private var nextToRead = 0
    private var nextToWrite = 0
    /// Bytes of records between reading and writing.
    private var buffered = 0

    init(output: RecordOutput, isOrdered: Bool, window: (records: Int, bytes: Int)) {
        self.output = output
        self.isOrdered = isOrdered
        self.window = window
    }

    /// Returns a slot for the next record, or nil if the window is full. A record with more bytes than the window gets
    /// a slot when no other bytes are buffered.
    mutating func reserve(_ bytes: Int) -> Slot? {
        let hasBytes = buffered == 0 || buffered + bytes <= window.bytes
        guard hasBytes, nextToRead - nextToWrite < window.records else { return nil }
        defer { nextToRead += 1 }
        buffered += bytes
        return Slot(sequence: nextToRead, bytes: bytes)
    }

    /// Writes a result, or buffers it until earlier results are written.
    mutating func put(_ outcome: Outcome, in slot: Slot) {
        buffered -= slot.bytes
        if isOrdered, slot.sequence != nextToWrite {
            buffered += outcome.footprint
            finished[slot.sequence] = outcome
            return
        }
        write(outcome)
        while !early.isEmpty || !finished.isEmpty {
            for record in early.removeValue(forKey: nextToWrite) ?? [] {
                buffered -= record.footprint
                output.append(record, tally: &tally)
            }
            guard let next = finished.removeValue(forKey: nextToWrite) else { return }
            buffered -= next.footprint
            write(next)
        }
    }

    /// Writes an early version, or buffers it until earlier records are written. Drops it if the window is full, since
    /// the final version supersedes it.
    mutating func put(early record: Record, in slot: Slot) {
        if !isOrdered || slot.sequence == nextToWrite {
            output.append(record, tally: &tally)
        } else if buffered + record.footprint <= window.bytes {
            buffered += record.footprint
            early[slot.sequence, default: []].append(record)
        }
    }

    private mutating func write(_ outcome: Outcome) {
        tally.add(outcome.tally)
        if let record = outcome.record { output.append(record, tally: &tally) }
        nextToWrite += 1
    }
}
