import Support

/// An entry that this process has handed out, and what tells whether it may be handed out again without another look at
/// its row and its file.
struct RecentEntry: Sendable {
    let entry: Entry
    /// That of the index (`Index.version`) before the row was read.
    let version: Int
    /// When its file was seen.
    let seenAt: Timestamp

    /// How long a file counts as there after it was seen: what somebody removes by other means than this package's
    /// tools changes no row, and must not go unnoticed for a whole run.
    static let trust: Duration = .seconds(1)

    /// Whether the entry is as it was, needs no server, and needs nothing to be written: the lease that it was given
    /// still covers what is promised.
    func holds(at now: Timestamp, version current: Int?, lease: Lease) -> Bool {
        version == current && seenAt <= now && now <= seenAt + Self.trust && !entry.isExpired(at: now)
            && !lease.mustWrite(entry, now: now)
    }
}
