import Support

/// What a service said about a day, as it is kept from run to run.
struct KeptDay: Sendable {
    /// A picture, or a failure that is about the day. With NASA's own object if it was wanted.
    let result: DayResult
    /// When the service is to be asked again; nil: never.
    let expiresAt: Timestamp?
    /// Whether the present rules of cleaning made it, from the service's present address.
    let isCurrent: Bool

    init(_ result: DayResult, expiresAt: Timestamp?, isCurrent: Bool = true) {
        self.result = result
        self.expiresAt = expiresAt
        self.isCurrent = isCurrent
    }

    /// What is kept of an answer that just came; nil for a failure that may pass, or that isn't about the day.
    init?(_ result: DayResult) {
        if let failure = result.failure, (failure as? APODFailure)?.isAboutDay != true { return nil }
        self.init(result, expiresAt: Self.lifetime(of: result).map { result.fetchedAt + $0 })
    }

    /// Returns how long an answer is to be trusted; nil: for ever.
    ///
    /// A past day's picture doesn't change. The newest one is sometimes put right in its first hours, and as long as it
    /// isn't out yet, somebody waits for it, however long NASA pauses. A past day that lacks its picture may get it
    /// back.
    static func lifetime(of result: DayResult) -> Duration? {
        if case APODFailure.notPublished? = result.failure { return .seconds(5 * 60) }
        let isPast = result.day < PublishedDays.newest(at: result.fetchedAt)
        return result.picture != nil
            ? isPast ? nil : .seconds(30 * 60)
            : isPast ? .seconds(86_400) : .seconds(5 * 60)
    }

    /// Returns whether it does instead of asking. Of what comes from the future, only what never expires.
    ///
    /// - Parameter needsRaw: whether NASA's own object must be there, if there was one.
    func isFresh(at now: Timestamp, needsRaw: Bool) -> Bool {
        guard isCurrent else { return false }
        if let expiresAt, now >= expiresAt || result.fetchedAt > now + Clock.tolerance { return false }
        return !needsRaw || result.raw != nil || !hadObject
    }

    /// Whether the service sent an object about the day.
    private var hadObject: Bool {
        switch result.outcome {
        case .picture, .failed(APODFailure.standIn): true
        case .failed: false
        }
    }
}
