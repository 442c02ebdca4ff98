import Records
import Support

/// What became of one day of a request.
public struct DayResult: Sendable {
    public enum Outcome: Sendable {
        case picture(PictureRecord)
        case failed(any Failure)
    }

    /// The day that was asked for. That of the newest picture, or of one before a day without an image, may be earlier;
    /// the picture says so.
    public let day: CalendarDay
    public let outcome: Outcome
    /// Where the answer was read from.
    public let source: Picture.Source
    /// When it came from the service.
    public let fetchedAt: Timestamp
    /// NASA's own object, on one line, where it is wanted and there was one.
    public let raw: [UInt8]?

    public init(
        day: CalendarDay, outcome: Outcome, source: Picture.Source = .network, fetchedAt: Timestamp, raw: [UInt8]? = nil
    ) {
        self.day = day
        self.outcome = outcome
        self.source = source
        self.fetchedAt = fetchedAt
        self.raw = raw
    }

    public var picture: PictureRecord? {
        if case .picture(let picture) = outcome { return picture }
        return nil
    }

    public var failure: (any Failure)? {
        if case .failed(let failure) = outcome { return failure }
        return nil
    }

    /// The picture's record, or `{"date":…}` for a failure, to which whoever tells it adds `error`.
    public var record: Record {
        var record = picture?.fields ?? Record()
        if picture == nil { record.set("date", .string(day.description)) }
        if let raw { record.set("raw", .raw(raw)) }
        guard let picture else { return record }
        record.set(
            "apod",
            .object([
                "service": .string(picture.service.rawValue), "source": .string(source.rawValue),
                "fetched_at": .string(fetchedAt.iso8601),
            ]))
        return record
    }

    /// The same under the day that it was asked for, where it is about another one.
    func answering(_ day: CalendarDay) -> DayResult {
        DayResult(day: day, outcome: outcome, source: source, fetchedAt: fetchedAt, raw: raw)
    }
}
