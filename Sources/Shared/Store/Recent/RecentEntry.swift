import Support

/// A leased entry of this process, and the conditions for leasing it again without reading its row and file.
struct RecentEntry: Sendable {
    let entry: Entry
    /// The version of the index (`Index.version`) before the row was read.
    let version: Int
    /// The time at which the file was checked.
    let seenAt: Timestamp

    /// The time for which a file counts as present after the check. A removal by other programs changes no row, and
    /// must not remain unnoticed for a whole run.
    static let trust: Duration = .seconds(1)

    /// Whether the entry is unchanged, fresh, and leased for long enough.
    func holds(at now: Timestamp, version current: Int?, lease: Lease) -> Bool {
        version == current && seenAt <= now && now <= seenAt + Self.trust && !entry.isExpired(at: now)
            && !lease.mustWrite(entry, now: now)
    }
}
