import Records
import Support

/// Adds the picture of the day in the field `date` to each record. Skips records whose pictures do not match the
/// options.
///
/// A job with an argument comes from a `PictureSequence`, and its record already contains the picture.
public struct PictureTool: RecordTool {
    public let name = "apod-fetch"
    private let client: APODClient

    public init(client: APODClient) { self.client = client }

    public func accepts(_ job: RecordJob) -> Bool { job.argument == nil }

    /// Completes the record if a fresh picture is cached. Throws `APODFailure.badDate` if the record has no valid day.
    public func prepare(_ job: RecordJob) throws -> Prepared {
        let day = try Self.day(of: job.record, at: client.clock.now())
        guard let result = try? client.keptPicture(of: day), client.options.exclusion(of: result) == nil else {
            return .work { record, _ in try add(day, to: &record) }
        }
        _ = client.isWanted(result)
        var record = job.record
        record.takePicture(result.record)
        return .done(record)
    }

    private func add(_ day: CalendarDay, to record: inout Record) throws {
        let result: DayResult
        do {
            result = try client.result(of: day)
        } catch {
            let failure = failure(of: error)
            if failure is Cancelled { throw failure }
            // `result(of:)` returns a failure of a single day and throws only failures that end the run.
            throw EndOfRun(failure)
        }
        guard client.isWanted(result) else { throw SkippedRecord() }
        if let failure = result.failure {
            if let raw = result.raw { record.set("raw", .raw(raw)) }
            throw failure
        }
        record.takePicture(result.record)
    }

    /// Parses a record's `date`: `2024-02-03`, optionally followed by a time. Throws `APODFailure.badDate`.
    static func day(of record: Record, at time: Timestamp) throws -> CalendarDay {
        let advice = PublishedDays.rangeAdvice(at: time)
        guard record.has("date") else { throw APODFailure.badDate(reason: "the record has no date; \(advice)") }
        guard let text = record.string("date") else {
            throw APODFailure.badDate(reason: "the record's date is not a string; \(advice)")
        }
        let hasTime = text.dropFirst(10).first.map { $0 == "T" || $0 == " " } ?? true
        do {
            let days = try NamedDays(typed: hasTime ? String(text.prefix(10)) : text, at: time)
            guard case .day(let day) = days else {
                throw UsageFailure("the record's date is \"\(days)\", which is not a day; \(advice)")
            }
            try PublishedDays.check(day, at: time)
            return day
        } catch {
            throw APODFailure.badDate(reason: failure(of: error).message)
        }
    }
}
