import Fetch
import Records

/// A tool that says where in the cache a record's picture lies.
///
/// A record that it fails loses `path`, `cache` and `gif`. They may be left from an earlier run, or made up by whoever
/// wrote the record, and the next tool would open that path.
public protocol CacheTool: RecordTool {}

extension CacheTool {
    public func retract(_ record: inout Record, argument: String?) { record.removePlace() }
}

extension Record {
    /// Takes away the fields that say where a picture lies in the cache.
    public mutating func removePlace() { set(["path": nil, "path_base64": nil, "cache": nil, "gif": nil]) }
}

extension Caches {
    /// Is done with the records whose pictures can be handed out at once, see `CacheStore.immediately`.
    ///
    /// - Parameters:
    ///   - lookups: where each record's best picture would be; nil if that cannot be told.
    ///   - asFetch: whether the pictures are put, rather than looked up.
    ///   - work: returns what is left to do for the record at an index.
    func prepare(
        _ jobs: [RecordJob], lookups: [CacheItem.Lookup?], asFetch: Bool, work: (Int) -> Prepared.Work
    ) -> [Prepared] {
        var caches: [Policy: CacheStore?] = [:]
        func immediately(_ lookup: CacheItem.Lookup) -> Entry? {
            let policy = policy(for: lookup.address)
            if caches[policy] == nil {
                if case .cache(let cache)? = try? place(policy) {
                    caches[policy] = cache
                } else {
                    caches[policy] = .some(nil)
                }
            }
            return caches[policy]??.immediately(lookup.key, asFetch: asFetch)
        }
        return jobs.indices.map { index in
            guard let entry = lookups[index].flatMap(immediately) else { return .work(work(index)) }
            var record = jobs[index].record
            record.setCached(entry, status: .hit)
            return .done(record)
        }
    }
}
