import Records
import Support

/// What became of one day of a request.
public struct DayResult: Sendable {
    public enum Outcome: Sendable {
        case picture(Picture)
        case failed(any Failure)
    }

    /// The day that was asked for. That of the newest picture may be earlier; the picture says so.
    public let day: CalendarDay
    public let outcome: Outcome
    /// When the answer came.
    public let fetchedAt: Timestamp

    public init(day: CalendarDay, outcome: Outcome, fetchedAt: Timestamp) {
        self.day = day
        self.outcome = outcome
        self.fetchedAt = fetchedAt
    }

    public var picture: Picture? {
        if case .picture(let picture) = outcome { return picture }
        return nil
    }

    public var failure: (any Failure)? {
        if case .failed(let failure) = outcome { return failure }
        return nil
    }

    /// The picture's record, or `{"date":…,"error":{…}}`.
    public func record(tool: String, source: Picture.Source = .network) -> Record {
        switch outcome {
        case .picture(let picture): return picture.record(source: source, fetchedAt: fetchedAt)
        case .failed(let failure):
            var record = Record()
            record.set("date", .string(day.description))
            record.setError(failure, tool: tool)
            return record
        }
    }
}
