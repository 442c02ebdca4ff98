import Records
import Support

extension PictureSequence {
    /// Returns the next day's result as something for a run of `PictureTool`, or nil behind the last one. Throws as
    /// `next` does.
    ///
    /// - Parameters:
    ///   - progress: is told of each day.
    ///   - willWait: called before it may have to wait.
    public func nextInput(_ progress: Progress, willWait: () -> Void) throws -> RecordInput? {
        guard let result = try next(willWait: willWait) else { return nil }
        progress.finishRecord(failed: result.failure != nil)
        let record = result.record
        if let failure = result.failure { return .bad(failure, in: record) }
        return .job(RecordJob(record, argument: result.day.description))
    }
}
