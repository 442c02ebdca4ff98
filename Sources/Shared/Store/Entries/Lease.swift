import Support

/// How long a path stays valid after it was returned.
package struct Lease: Sendable {
    /// The time from the moment that a path is returned.
    let promise: Duration
    /// "Last used" is right to the minute.
    static let slack: Duration = .seconds(60)

    /// Leases end at multiples of this time, at least a minute, so that an entry in use is written down once in it.
    var step: Duration { max(Self.slack, promise / 10) }

    /// When a lease that is recorded now ends: the promise, rounded up to a step. A promise of nothing protects nothing.
    package func end(from now: Timestamp) -> Timestamp {
        guard promise > .zero else { return now }
        let (end, step) = ((now + promise).milliseconds, step.milliseconds)
        return Timestamp(milliseconds: (end + step - 1) / step * step)
    }

    /// Whether the entry has no lease that is long enough to return its path now. So has an entry that was last used in
    /// the future: the clock has been set back.
    func mustRecord(_ entry: Entry, now: Timestamp) -> Bool {
        promise > .zero && (entry.leaseUntil < now + promise || entry.lastUsed > now)
    }

    /// Whether returning the path now changes the entry's lease or last use. An entry whose last use is in the
    /// future would never be the least recently used.
    func mustWrite(_ entry: Entry, now: Timestamp) -> Bool {
        entry.leaseUntil < now + promise || entry.lastUsed + Self.slack <= now || entry.lastUsed > now
    }
}
