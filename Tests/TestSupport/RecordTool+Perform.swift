import Records

extension RecordTool {
    /// Prepares a record, and performs the work that is left, on this thread. Throws what either throws.
    public func perform(on record: inout Record, argument: String? = nil) throws {
        switch try prepare(RecordJob(record, argument: argument)) {
        case .done(let done): record = done
        case .work(let work): try work(&record, WorkContext())
        }
    }
}
