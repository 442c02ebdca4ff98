import Support

/// An entry that this process has leased, and the conditions for returning it again without reading its row and file.
struct RecentEntry: Sendable {
    let entry: Entry
    /// The version of the index (`Index.version`) before the row was read.
    let version: Int
    /// The time at which the file was checked.
    let seenAt: Timestamp

    /// The maximum age of a file check. Another program can remove the file without changing its row, and a long run
    /// must notice this.
    static let trust: Duration = .seconds(1)

    /// Whether the entry is unchanged and fresh, and its lease is long enough.
    func holds(at now: Timestamp, version current: Int?, lease: Lease) -> Bool {
        version == current && seenAt <= now && now <= seenAt + Self.trust && !entry.isExpired(at: now)
            && !lease.mustWrite(entry, now: now)
    }
}
