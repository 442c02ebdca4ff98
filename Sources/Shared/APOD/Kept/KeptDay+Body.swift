import Records
import Support

/// The bytes in which a day is kept: the picture's record, or `{"date":…,"error":{…}}`, and behind its fields `kept`
/// with what only the cache needs to know.
extension KeptDay {
    /// The rules by which answers become records; to be raised when they change what comes out of the same answer. What
    /// older rules made is asked for again, and serves only where nothing better can be had.
    static let edition = 1

    /// - Parameter address: the service's, where it isn't NASA's own.
    func body(address: String?) -> [UInt8] {
        var record: Record
        switch outcome {
        case .picture(let picture): record = picture.fields
        case .failed(let failure):
            record = Record()
            record.set("date", .string(day.description))
            record.set("error", failure.keptFields)
        }
        record.set(
            "kept",
            .object([
                "edition": .integer(Self.edition), "address": address.map { .string($0) }, "raw": raw.map { .raw($0) },
            ]))
        return record.line
    }

    /// Reads what `body` has written; nil for anything else.
    ///
    /// - Parameter address: the service's present one, where it isn't NASA's own.
    init?(
        body: [UInt8], day: CalendarDay, service: Service, address: String?, fetchedAt: Timestamp, expiresAt: Timestamp?
    ) {
        guard var record = try? Record(parsing: body), let edition = record.integer("kept.edition") else { return nil }
        let isCurrent = edition == Self.edition && record.string("kept.address") == address
        let raw = record.raw("kept.raw").map { Array($0) }
        record.remove("kept")
        let outcome: Outcome
        if record.has("error") {
            guard let failure = APODFailure(keptIn: record, of: day, from: service) else { return nil }
            outcome = .failed(failure)
        } else {
            guard let picture = PictureRecord(kept: record, of: day, from: service) else { return nil }
            outcome = .picture(picture)
        }
        self.init(
            day: day, outcome: outcome, raw: raw, fetchedAt: fetchedAt, expiresAt: expiresAt, isCurrent: isCurrent)
    }
}

extension APODFailure {
    /// The code and the facts from which `init(keptIn:)` makes the failure again. Words are not kept: those of later
    /// versions may be better.
    fileprivate var keptFields: JSON {
        switch self {
        case .standIn(let kind, _, _): .object(["code": .string(code), "stand_in": .string(kind.rawValue)])
        default: .object(["code": .string(code)])
        }
    }

    fileprivate init?(keptIn record: Record, of day: CalendarDay, from service: Service) {
        switch record.string("error.code") {
        case APODFailure.noPicture(day).code: self = .noPicture(day)
        case APODFailure.notPublished(day).code: self = .notPublished(day)
        case APODFailure.standIn(.nothing, day, service).code:
            guard let kind = record.string("error.stand_in").flatMap(StandIn.init) else { return nil }
            self = .standIn(kind, day, service)
        default: return nil
        }
    }
}
