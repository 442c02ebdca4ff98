import Records
import Store
import Support

/// The index row of a day. Its body is the picture's record or `{"date":…,"error":{…}}`, with an additional field
/// `kept` for the cache's own data.
extension CachedDay {
    /// The version of the code that turns answers into records. Increase it whenever the same answer yields a different
    /// record. Records of older versions are fetched again, and used only if no service can be reached.
    static let formatVersion = 2

    /// - Parameter address: the service's address, or nil for NASA's standard address.
    func metadata(address: String?) -> Metadata {
        var record: Record
        switch result.outcome {
        case .picture(let picture): record = picture.fields
        case .failed(let failure):
            record = Record()
            record.set(["date": .string(result.day.description), "error": Self.fields(of: failure)])
        }
        let layout = result.picture.flatMap { $0.layout.isEmpty ? nil : JSON.raw($0.layout.line) }
        record.set(
            "kept",
            .object([
                "edition": .integer(Self.formatVersion), "address": address.map { .string($0) },
                "layout": layout, "raw": result.raw.map { .raw($0) },
            ]))
        return Metadata(
            name: result.day.description, body: record.line, fetchedAt: result.fetchedAt, expiresAt: expiresAt)
    }

    /// Reads a row that `metadata` created. Returns nil for other rows.
    ///
    /// - Parameter address: the service's current address, or nil for NASA's standard address.
    init?(_ metadata: Metadata, of server: Server, address: String?) {
        guard let day = CalendarDay(metadata.name), var record = try? Record(parsing: metadata.body),
            let version = record.integer("kept.edition")
        else { return nil }
        // Earlier builds stored paragraphs and links as text under `marks`.
        let isCurrent =
            version == Self.formatVersion && record.string("kept.address") == address && record.raw("kept.marks") == nil
        let layout = record.raw("kept.layout").flatMap { try? Record(parsing: $0) } ?? Record()
        let raw = record.raw("kept.raw").map { Array($0) }
        record.remove("kept")
        let outcome: DayResult.Outcome
        if record.has("error") {
            guard let failure = Self.failure(keptIn: record, of: day, from: server) else { return nil }
            outcome = .failed(failure)
        } else {
            guard let picture = Picture(kept: record, layout: layout, of: day, from: server.service) else { return nil }
            outcome = .picture(picture)
        }
        self.init(
            DayResult(day: day, outcome: outcome, fetchedAt: metadata.fetchedAt, raw: raw),
            expiresAt: metadata.expiresAt,
            isCurrent: isCurrent)
    }

    /// Returns the fields from which a failure is restored: its code, and the kind of a stand-in. Messages are not
    /// stored, because later versions may improve them.
    private static func fields(of failure: any Failure) -> JSON {
        let kind: JSON? = if case APODFailure.standIn(let kind, _, _) = failure { .string(kind.rawValue) } else { nil }
        return .object(["code": .string(failure.code), "stand_in": kind])
    }

    private static func failure(keptIn record: Record, of day: CalendarDay, from server: Server) -> APODFailure? {
        switch record.string("error.code") {
        case APODFailure.noPicture(day).code: .noPicture(day)
        case APODFailure.notPublished(day).code: .notPublished(day)
        case APODFailure.standIn(.nothing, day, server).code:
            record.string("error.stand_in").flatMap(APODFailure.StandIn.init).map { .standIn($0, day, server) }
        default: nil
        }
    }
}
