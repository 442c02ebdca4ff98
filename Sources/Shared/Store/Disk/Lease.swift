import Support

/// The time during which a returned path stays valid.
package struct Lease: Sendable {
    /// The minimum time that a path stays valid after it is returned.
    let term: Duration
    /// The precision of `Entry.lastUsed`.
    static let slack: Duration = .seconds(60)

    /// Leases end at multiples of this duration (at least a minute), so that the lease of a frequently used entry is
    /// written only once per step.
    var step: Duration { max(Self.slack, term / 10) }

    /// Returns the end of a lease recorded at `now`: `now + term`, rounded up to a multiple of `step`. Returns `now`
    /// if `term` is zero, because paths are then not leased.
    package func end(from now: Timestamp) -> Timestamp {
        guard term > .zero else { return now }
        let (end, step) = ((now + term).milliseconds, step.milliseconds)
        return Timestamp(milliseconds: (end + step - 1) / step * step)
    }

    /// Whether a new lease must be recorded before the path is returned. If the entry was last used in the future, the
    /// clock was set back, and its lease is ignored.
    func mustRecord(_ entry: Entry, now: Timestamp) -> Bool {
        term > .zero && (entry.leaseUntil < now + term || entry.lastUsed > now)
    }

    /// Whether the lease or the time of last use must be written when the path is returned. Also true for an entry last
    /// used in the future, which would otherwise never be evicted.
    func mustWrite(_ entry: Entry, now: Timestamp) -> Bool {
        entry.leaseUntil < now + term || entry.lastUsed + Self.slack <= now || entry.lastUsed > now
    }
}
