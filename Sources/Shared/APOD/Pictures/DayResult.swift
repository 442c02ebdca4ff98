import Records
import Support

/// What became of one day of a request: what a service said of it, or why it could not be asked.
struct DayResult: Sendable {
    enum Outcome: Sendable {
        case picture(Picture)
        case failed(any Failure)
    }

    /// Where the answer was read from.
    enum Source: String, Sendable {
        case network, cache
        /// From the cache, because no service could be reached.
        case stale
    }

    /// The day that was asked for. That of the newest picture, or of one before a day without an image, may be earlier;
    /// the picture says so.
    var day: CalendarDay
    let outcome: Outcome
    var source = Source.network
    /// When it came from the service.
    let fetchedAt: Timestamp
    /// NASA's own object, on one line, if it is wanted and there was one.
    var raw: [UInt8]?

    var picture: Picture? {
        if case .picture(let picture) = outcome { return picture }
        return nil
    }

    var failure: (any Failure)? {
        if case .failed(let failure) = outcome { return failure }
        return nil
    }

    /// The picture's record, or `{"date":…}` for a failure, to which `error` is still to be added. `apod` has the
    /// explanation's paragraphs and links.
    var record: Record {
        let raw = raw.map { JSON.raw($0) }
        guard let picture else {
            var record = Record()
            record.set(["date": .string(day.description), "raw": raw])
            return record
        }
        var record = picture.fields
        record.set([
            "raw": raw,
            "apod": .object([
                "service": .string(picture.service.rawValue), "source": .string(source.rawValue),
                "fetched_at": .string(fetchedAt.iso8601),
                "paragraphs": picture.layout.raw("paragraphs").map { .raw(Array($0)) },
                "marks": picture.layout.raw("marks").map { .raw(Array($0)) },
            ]),
        ])
        return record
    }

    /// Returns the same under the day that was asked for.
    func answering(_ day: CalendarDay) -> DayResult {
        var result = self
        result.day = day
        return result
    }
}

extension Record {
    /// Sets the picture's fields in a record of the input. Fields that exist keep their positions, new fields come last,
    /// and an earlier picture's other fields are removed. Foreign fields stay.
    mutating func takePicture(_ made: Record) {
        for name in Picture.fieldNames where has(name) && !made.has(name) { remove(name) }
        for name in made.names {
            guard let path = FieldPath(name), let value = made.raw(path) else { continue }
            set(name, .raw(Array(value)))
        }
    }
}
