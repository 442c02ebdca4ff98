extension Record {
    /// Reads bytes that hold exactly one object, blanks around it aside. Throws `InputFailure`, or
    /// `LineFailure` if they hold something that is not an object.
    public init(parsing bytes: some Collection<UInt8>) throws {
        var list = try Self.list(parsing: Array(bytes))
        guard list.count == 1 else { throw InputFailure.notOneObject(count: list.count) }
        self = list.removeLast()
    }

    /// Reads bytes that hold objects in any of the layouts of a stream: one, several, or an array of them. Throws
    /// `LineFailure` at the first thing that is not an object.
    public static func list(parsing bytes: [UInt8]) throws -> [Record] {
        let reader = RecordReader(bytes: bytes)
        var records: [Record] = []
        while let item = try reader.next() {
            switch item {
            case .job(let job): records.append(job.record)
            case .bad(let failure, _): throw failure
            }
        }
        return records
    }
}
