import Support

/// How long a path that is handed out stays valid, and when that must be written down anew.
///
/// A hit in a loop should write nothing. So a lease is written with some slack on top, and as long as what is left of
/// it is no less than what was promised, there is nothing to write.
package struct Lease: Sendable {
    /// What is promised from the moment that a path is handed out.
    let promise: Duration
    /// A minute: one write a minute for each entry in use, and "last used" right to the minute.
    static let slack: Duration = .seconds(60)

    /// When a lease that is written now ends. A promise of nothing protects nothing, not even for the slack.
    package func end(from now: Timestamp) -> Timestamp { promise > .zero ? now + promise + Self.slack : now }

    /// Whether handing out the entry now must be written down. Also where "last used" lies in the future, since the
    /// clock has been set back: it would never be the least recent.
    func mustWrite(_ entry: Entry, now: Timestamp) -> Bool {
        entry.leaseUntil < now + promise || entry.lastUsed + Self.slack <= now || entry.lastUsed > now
    }
}
