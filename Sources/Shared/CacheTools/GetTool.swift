import Fetch
import Records
import Store

/// Looks up each record's entry without the network, for `get`, `pin` and `unpin`.
public struct GetTool: CacheTool {
    public var name: String { naming.tool }
    private let caches: Caches
    private let naming: any EntryNaming
    private let pins: Bool?
    private let takesExpired: Bool
    /// Makes the copies in `--output-dir`; nil without this option.
    public var copies: OriginalCopies?

    /// - Parameters:
    ///   - pins: whether to pin or unpin each entry, or nil to do neither.
    ///   - takesExpired: as in `Caches.find`.
    public init(caches: Caches, naming: any EntryNaming, pins: Bool? = nil, takesExpired: Bool = true) {
        self.takesExpired = takesExpired
        self.caches = caches
        self.naming = naming
        self.pins = pins
    }

    public func prepare(_ job: RecordJob) -> Prepared { prepare([job])[0] }

    public func prepare(_ jobs: [RecordJob]) -> [Prepared] {
        caches.prepare(jobs, asFetch: false) { job in
            // Pinning writes to the index, and copying takes time, so only other records are completed in this batch.
            let isImmediate = pins == nil && copies == nil && job.argument.flatMap(caches.entryPath) == nil
            let lookup = isImmediate ? try naming.keys(of: job).first : nil
            let turn = copies?.turn()
            return (
                lookup, nil,
                { record, run in
                    defer { turn?.end() }
                    var found = try caches.find(job, naming, takesExpired: takesExpired)
                    if let pins { found = try found.pinned(pins) }
                    naming.set(found.entry, status: found.status, in: &record)
                    try copies?.add(found.entry, to: &record, in: found.cache, turn, run)
                }
            )
        } done: { entry, record in
            guard (try? naming.accepts(entry)) == true else { return false }
            naming.set(entry, status: .hit, in: &record)
            return true
        }
    }

    public func retract(_ record: inout Record, argument: String?) {
        record.removePlace()
        if copies != nil { record.removePath("file") }
    }
}
