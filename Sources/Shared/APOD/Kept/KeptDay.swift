import Support

/// What a service said about a day, as it is kept from run to run.
public struct KeptDay: Sendable, Equatable {
    public enum Outcome: Sendable, Equatable {
        case picture(PictureRecord)
        /// A definite failure: see `KeptDay.isKept(_:)`.
        case failed(APODFailure)
    }

    public let day: CalendarDay
    public let outcome: Outcome
    /// NASA's own object, where it was wanted.
    public let raw: [UInt8]?
    public let fetchedAt: Timestamp
    /// When it is to be asked for again; nil: never.
    public let expiresAt: Timestamp?
    /// Whether the present rules of cleaning made it, from the service's present address.
    public let isCurrent: Bool

    public init(
        day: CalendarDay, outcome: Outcome, raw: [UInt8]? = nil, fetchedAt: Timestamp, expiresAt: Timestamp?,
        isCurrent: Bool = true
    ) {
        self.day = day
        self.outcome = outcome
        self.raw = raw
        self.fetchedAt = fetchedAt
        self.expiresAt = expiresAt
        self.isCurrent = isCurrent
    }

    /// What is kept of an answer that came at `time`; nil for a failure that may pass, or that isn't about the day.
    init?(_ day: CalendarDay, _ outcome: DayResult.Outcome, raw: [UInt8]?, fetchedAt time: Timestamp) {
        switch outcome {
        case .picture(let picture): self.outcome = .picture(picture)
        case .failed(let failure as APODFailure) where Self.isKept(failure): self.outcome = .failed(failure)
        case .failed: return nil
        }
        self.day = day
        self.raw = raw
        fetchedAt = time
        expiresAt = Self.lifetime(of: self.outcome, day: day, fetchedAt: time).map { time + $0 }
        isCurrent = true
    }

    public var picture: PictureRecord? {
        if case .picture(let picture) = outcome { return picture }
        return nil
    }

    // MARK: Rules

    /// Whether a failure says something of the day that stays true for a while. A refusal speaks of the service.
    static func isKept(_ failure: APODFailure) -> Bool {
        switch failure {
        case .noPicture, .notPublished, .standIn: true
        default: false
        }
    }

    /// How long an answer is to be trusted; nil: for ever.
    ///
    /// A past day's picture doesn't change. The newest one is sometimes put right in its first hours, and where it
    /// isn't out yet, somebody waits for it. A past day that lacks its picture may get it back.
    static func lifetime(of outcome: Outcome, day: CalendarDay, fetchedAt time: Timestamp) -> Duration? {
        let isPast = day < PublishedDays.newest(at: time)
        return switch outcome {
        case .picture: isPast ? nil : .seconds(30 * 60)
        case .failed: isPast ? .seconds(86_400) : .seconds(5 * 60)
        }
    }

    /// Whether it does instead of asking. Of what comes from the future, only what never expires.
    ///
    /// - Parameter needsRaw: whether NASA's own object must be there, where there was one.
    func isFresh(at now: Timestamp, needsRaw: Bool) -> Bool {
        guard isCurrent else { return false }
        if let expiresAt, now >= expiresAt || fetchedAt > now + Clock.tolerance { return false }
        return !needsRaw || raw != nil || !hadObject
    }

    /// Whether the service sent an object about the day.
    private var hadObject: Bool {
        switch outcome {
        case .picture, .failed(.standIn): true
        case .failed: false
        }
    }

    /// As the result for that day.
    func result(source: Picture.Source, withRaw: Bool) -> DayResult {
        let outcome: DayResult.Outcome =
            switch outcome {
            case .picture(let picture): .picture(picture)
            case .failed(let failure): .failed(failure)
            }
        return DayResult(day: day, outcome: outcome, source: source, fetchedAt: fetchedAt, raw: withRaw ? raw : nil)
    }
}
