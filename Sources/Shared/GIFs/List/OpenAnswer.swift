import Records

/// An answer of ExerciseDB's open version: `{"success":true,"metadata":{…},"data":…}`.
struct OpenAnswer {
    private let record: Record

    /// Throws `GIFFailure.refused` if the service reports a failure, and `.notAList` if `success` is not a Boolean.
    init(_ record: Record) throws(GIFFailure) {
        guard let success = record.bool("success") else { throw .notAList("success is neither true nor false") }
        guard success else { throw .refused(record.string("message") ?? record.string("error") ?? "no reason given") }
        self.record = record
    }

    /// Throws `GIFFailure.notAList` if `data` is not an array of objects.
    func exercises() throws(GIFFailure) -> [Record] {
        guard let data = record.raw("data"), data.first == UInt8(ascii: "["),
            let exercises = try? Record.list(parsing: Array(data))
        else { throw .notAList("data is not an array of objects") }
        for exercise in exercises { _ = try Self.text("gifUrl", of: exercise) }
        return exercises
    }

    /// Returns the address of the next page (nil for the last page) and the number of exercises on all pages (nil if
    /// unknown). Throws `GIFFailure.notAList` for a field of the wrong type, even an unused field, because such an
    /// answer comes from another service.
    func metadata() throws(GIFFailure) -> (nextPage: String?, total: Int?) {
        guard record.raw("metadata")?.first == UInt8(ascii: "{") else { throw .notAList("metadata is not an object") }
        for name in ["metadata.totalPages", "metadata.currentPage"] as [FieldPath] { _ = try number(name) }
        _ = try Self.text("metadata.previousPage", of: record)
        return (try Self.text("metadata.nextPage", of: record), try number("metadata.totalExercises"))
    }

    /// The address of the GIF, if `data` is a single exercise, otherwise nil.
    var gifURL: String? { record.string("data.gifUrl") }

    private func number(_ name: FieldPath) throws(GIFFailure) -> Int? {
        guard record.printable(name) != nil else { return nil }
        guard let number = record.integer(name), number >= 0 else { throw .notAList("\(name) is not a whole number") }
        return number
    }

    private static func text(_ name: FieldPath, of record: Record) throws(GIFFailure) -> String? {
        guard record.printable(name) != nil else { return nil }
        guard let text = record.string(name) else { throw .notAList("\(name) is not a string") }
        return text
    }
}
