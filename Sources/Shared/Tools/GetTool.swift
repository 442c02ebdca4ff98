import Fetch
import Records
import Store

/// Finds in the cache, without the network, what each record names: the work of `get`, `pin` and `unpin`.
public struct GetTool: CacheTool {
    public var name: String { naming.tool }
    private let caches: Caches
    private let naming: any EntryNaming
    private let pins: Bool?

    /// - Parameter pins: whether to pin each entry or take the pin off; nil leaves it as it is.
    public init(caches: Caches, naming: any EntryNaming, pins: Bool? = nil) {
        self.caches = caches
        self.naming = naming
        self.pins = pins
    }

    public func prepare(_ job: RecordJob) -> Prepared { prepare([job])[0] }

    public func prepare(_ jobs: [RecordJob]) -> [Prepared] {
        let keys = jobs.map { job in Result { try naming.keys(of: job) } }
        let lookups = keys.map { pins == nil ? try? $0.get().first : nil }
        return caches.prepare(jobs, lookups: lookups, asFetch: false) { entry, record in
            guard (try? naming.accepts(entry)) == true else { return false }
            naming.set(entry, status: .hit, in: &record)
            return true
        } work: { index in
            { record, _ in
                var found = try caches.find(keys[index].get(), naming)
                if let pins { found = try found.pinned(pins) }
                naming.set(found.entry, status: found.status, in: &record)
            }
        }
    }
}
