import Support

/// The time for which a returned path stays valid.
package struct Lease: Sendable {
    /// The minimum duration after a path is returned.
    let promise: Duration
    /// The precision of `Entry.lastUsed`.
    static let slack: Duration = .seconds(60)

    /// Leases end at multiples of this duration, which is at least a minute: an entry in frequent use is then written
    /// only once per step.
    var step: Duration { max(Self.slack, promise / 10) }

    /// The end of a lease recorded now: the promise, rounded up to a step. With a promise of zero, there is no lease.
    package func end(from now: Timestamp) -> Timestamp {
        guard promise > .zero else { return now }
        let (end, step) = ((now + promise).milliseconds, step.milliseconds)
        return Timestamp(milliseconds: (end + step - 1) / step * step)
    }

    /// Whether a new lease must be recorded before the path is returned. An entry last used in the future counts as
    /// unleased, because the clock was set back.
    func mustRecord(_ entry: Entry, now: Timestamp) -> Bool {
        promise > .zero && (entry.leaseUntil < now + promise || entry.lastUsed > now)
    }

    /// Whether returning the path changes the lease or the time of last use. An entry last used in the future would
    /// otherwise never be evicted.
    func mustWrite(_ entry: Entry, now: Timestamp) -> Bool {
        entry.leaseUntil < now + promise || entry.lastUsed + Self.slack <= now || entry.lastUsed > now
    }
}
