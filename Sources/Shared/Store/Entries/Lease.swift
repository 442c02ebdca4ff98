import Support

/// The time for which a returned path stays valid.
package struct Lease: Sendable {
    /// The minimum duration after a path is returned.
    let promise: Duration
    /// The precision of "last used".
    static let slack: Duration = .seconds(60)

    /// Leases end at multiples of this time, at least a minute, so that an entry in use is written once per step.
    var step: Duration { max(Self.slack, promise / 10) }

    /// The end of a lease recorded now: the promise, rounded up to a step. A promise of zero protects nothing.
    package func end(from now: Timestamp) -> Timestamp {
        guard promise > .zero else { return now }
        let (end, step) = ((now + promise).milliseconds, step.milliseconds)
        return Timestamp(milliseconds: (end + step - 1) / step * step)
    }

    /// Whether the entry's lease is too short to return its path now. An entry last used in the future counts as
    /// unleased, because the clock was set back.
    func mustRecord(_ entry: Entry, now: Timestamp) -> Bool {
        promise > .zero && (entry.leaseUntil < now + promise || entry.lastUsed > now)
    }

    /// Whether returning the path now changes the entry's lease or last use. An entry last used in the future would
    /// otherwise never be evicted.
    func mustWrite(_ entry: Entry, now: Timestamp) -> Bool {
        entry.leaseUntil < now + promise || entry.lastUsed + Self.slack <= now || entry.lastUsed > now
    }
}
