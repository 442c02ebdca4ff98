import Records

extension RecordTool {
    /// Prepares a record and performs any remaining work on this thread. Rethrows the errors of both.
    public func perform(on record: inout Record, argument: String? = nil) throws {
        switch try prepare(RecordJob(record, argument: argument)) {
        case .done(let done): record = done
        case .work(let work): try work(&record, WorkContext())
        }
    }
}
