import HTTP
import Store
import Support

/// Addresses that failed temporarily while an inferior picture was available. They are not requested for a while.
extension CacheStore {
    private static let postponed = "postponed"
    /// The time without requests.
    private static let postponement: Duration = .seconds(10 * 60)

    /// Records a temporary failure of an address. Logs a failure to store it.
    public func postpone(_ key: CacheKey) {
        let now = clock.now()
        let note = Metadata(name: key.name, body: [], fetchedAt: now, expiresAt: now + Self.postponement)
        do {
            try keep([note], in: Self.postponed)
        } catch {
            log.detail("a failure was not remembered: \(Support.failure(of: error).message)")
        }
    }

    /// Returns the end of an address's pause, which may be over, or nil if it has not failed. Nil also if the address
    /// has an entry, fresh or expired, because that is preferred to an inferior picture.
    public func postponement(of key: CacheKey) throws -> (until: Timestamp, isOver: Bool)? {
        guard !settings.refreshes,
            let note = try metadata(in: Self.postponed, from: key.name, through: key.name).first,
            let until = note.expiresAt, try peek(key) == nil
        else { return nil }
        let now = clock.now()
        // A date in the future means that the clock was set back.
        return (until, until <= now || note.fetchedAt > now + Clock.tolerance)
    }
}
