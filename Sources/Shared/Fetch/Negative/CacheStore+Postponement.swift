import HTTP
import Store
import Support

/// Addresses that failed for a time, while a worse picture was there to go on with: they are left in peace for a while.
extension CacheStore {
    private static let postponed = "postponed"
    /// How long such an address is not asked again.
    private static let postponement: Duration = .seconds(10 * 60)

    /// Notes that an address has just failed for a time. That it cannot be written down changes nothing.
    public func postpone(_ key: CacheKey) {
        let now = clock.now()
        let note = Metadata(name: key.name, body: [], fetchedAt: now, expiresAt: now + Self.postponement)
        do {
            try keep([note], in: Self.postponed)
        } catch {
            log.detail("a failure was not remembered: \(Support.failure(of: error).message)")
        }
    }

    /// Returns until when an address is not to be asked again, which may be over, or nil if it has not failed. What is
    /// kept of it, expired or not, goes before anything worse, so that then it has not. Throws `CacheFailure` if the
    /// index cannot be used, and `Cancelled` if the run is stopped while others keep it busy.
    public func postponement(of key: CacheKey) throws -> (until: Timestamp, isOver: Bool)? {
        guard !settings.refreshes,
            let note = try metadata(in: Self.postponed, from: key.name, through: key.name).first,
            let until = note.expiresAt, try peek(key) == nil
        else { return nil }
        let now = clock.now()
        // One from the future was written before the clock was set back.
        return (until, until <= now || note.fetchedAt > now + Clock.tolerance)
    }
}
