import Support

/// A service's answer for a day, in the form in which it is cached.
struct CachedDay: Sendable {
    /// The picture, or a failure that concerns the day. Contains the service's JSON object if it was requested.
    let result: DayResult
    /// Nil if the answer never expires.
    let expiresAt: Timestamp?
    /// Whether the current code (`formatVersion`) created the record, from an answer of the service's current address.
    let isCurrent: Bool

    init(_ result: DayResult, expiresAt: Timestamp?, isCurrent: Bool = true) {
        self.result = result
        self.expiresAt = expiresAt
        self.isCurrent = isCurrent
    }

    /// Returns nil for a failure that does not concern the day. Such a failure is not cached.
    init?(_ result: DayResult) {
        if let failure = result.failure, (failure as? APODFailure)?.isAboutDay != true { return nil }
        self.init(result, expiresAt: Self.lifetime(of: result).map { result.fetchedAt + $0 })
    }

    /// Returns how long an answer is fresh, or nil if it never expires.
    ///
    /// A past day's picture does not change. The newest picture is sometimes corrected in its first hours. An
    /// unpublished picture may appear at any time. A missing picture of a past day may be restored later.
    static func lifetime(of result: DayResult) -> Duration? {
        if case APODFailure.notPublished? = result.failure { return .seconds(5 * 60) }
        let isPast = result.day < PublishedDays.newest(at: result.fetchedAt)
        return result.picture != nil
            ? isPast ? nil : .seconds(30 * 60)
            : isPast ? .seconds(86_400) : .seconds(5 * 60)
    }

    /// Returns whether the answer can be used without a request. If the clock was set back to a time before the answer
    /// was fetched, only an answer that never expires is fresh.
    ///
    /// - Parameter needsRaw: whether the service's JSON object is required, if the service sent one.
    func isFresh(at now: Timestamp, needsRaw: Bool) -> Bool {
        guard isCurrent else { return false }
        if let expiresAt, now >= expiresAt || result.fetchedAt > now + Clock.tolerance { return false }
        if !needsRaw || result.raw != nil { return true }
        // The service sends an object for a picture or a stand-in, but not for other failures.
        return switch result.outcome {
        case .picture, .failed(APODFailure.standIn): false
        case .failed: true
        }
    }
}
