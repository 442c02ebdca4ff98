import Records
import Support

/// Adds the picture of its `date` to each record: the work of apod-fetch for records that come in.
///
/// Records whose pictures are of media that are not wanted are left out.
///
/// A job with an argument is a record that is finished already: it came from a `PictureSequence`.
public struct PictureTool: RecordTool {
    public let name = "apod-fetch"
    private let client: APODClient

    public init(client: APODClient) { self.client = client }

    public func accepts(_ job: RecordJob) -> Bool { job.argument == nil }

    /// Answers from the cache what it has and may be given without another look. Throws `APODFailure.badDate` if the
    /// record says no day.
    public func prepare(_ job: RecordJob) throws -> Prepared {
        let day = try Self.day(of: job.record, at: client.clock.now())
        guard let result = try? client.keptPicture(of: day), client.options.lack(of: result) == nil else {
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
            // Whatever became of the day would be in the result.
            throw EndOfRun(failure)
        }
        guard client.isWanted(result) else { throw SkippedRecord() }
        if let failure = result.failure {
            if let raw = result.raw { record.set("raw", .raw(raw)) }
            throw failure
        }
        record.takePicture(result.record)
    }

    /// The day that a record's `date` says: `2024-02-03`, also with a time behind it. Throws `APODFailure.badDate`.
    static func day(of record: Record, at time: Timestamp) throws -> CalendarDay {
        let advice = PublishedDays.rangeAdvice(at: time)
        guard record.has("date") else { throw APODFailure.badDate(reason: "the record has no date; \(advice)") }
        guard let text = record.string("date") else {
            throw APODFailure.badDate(reason: "the record's date is no text; \(advice)")
        }
        let isBehind = text.dropFirst(10).first.map { $0 == "T" || $0 == " " } ?? true
        do {
            let days = try NamedDays(typed: isBehind ? String(text.prefix(10)) : text, at: time)
            guard case .day(let day) = days else {
                throw UsageFailure("the record's date is \"\(days)\", which is no day; \(advice)")
            }
            try PublishedDays.check(day, at: time)
            return day
        } catch {
            throw APODFailure.badDate(reason: failure(of: error).message)
        }
    }
}
