import Records
import Support

extension PictureSequence {
    /// The next day's result as something for a run of `PictureTool`.
    ///
    /// - Parameter progress: is told of each day.
    public mutating func nextInput(_ progress: Progress) throws -> RecordInput? {
        guard let result = try next() else { return nil }
        progress.finishRecord(failed: result.failure != nil)
        let day = result.day.description
        switch result.outcome {
        case .picture(let picture):
            return .job(RecordJob(picture.record(fetchedAt: result.fetchedAt), argument: day))
        case .failed(let failure):
            var record = Record()
            record.set("date", .string(day))
            return .bad(failure, in: record)
        }
    }
}
