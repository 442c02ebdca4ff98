import Records
import Support

/// The result for one requested day: a picture, or a failure.
struct DayResult: Sendable {
    enum Outcome: Sendable {
        case picture(Picture)
        case failed(any Failure)
    }
    enum Source: String, Sendable {
        case network, cache
        /// The result is from the cache, because no service could be reached.
        case stale
    }

    /// The requested day. The picture may be older, if the newest picture or a fallback was requested.
    var day: CalendarDay
    let outcome: Outcome
    var source = Source.network
    /// The time of the service's answer.
    let fetchedAt: Timestamp
    /// The service's JSON object on one line, if it was requested.
    var raw: [UInt8]?

    var picture: Picture? { if case .picture(let picture) = outcome { picture } else { nil } }

    var failure: (any Failure)? { if case .failed(let failure) = outcome { failure } else { nil } }

    /// The picture's record. For a failure, `{"date":…}` without the field `error`. The field `apod` contains the
    /// paragraphs and links of the explanation.
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

    func answering(_ day: CalendarDay) -> DayResult {
        var result = self
        result.day = day
        return result
    }
}

extension Record {
    /// Sets a picture's fields. Existing fields keep their positions, and new fields are appended. Removes the fields
    /// of a previous picture that the new picture lacks. Leaves all other fields unchanged.
    mutating func takePicture(_ made: Record) {
        for name in Picture.fieldNames where has(name) && !made.has(name) { remove(name) }
        for name in made.names {
            guard let path = FieldPath(name), let value = made.raw(path) else { continue }
            set(name, .raw(Array(value)))
        }
    }
}
