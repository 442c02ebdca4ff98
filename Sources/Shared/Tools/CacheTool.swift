import Fetch
import Records
import Store

/// A tool that says where in the cache a record's picture lies.
///
/// A record that it fails loses `path`, `cache` and `gif`. They may be left from an earlier run, or made up by the
/// author of the record, and the next tool would open that path.
public protocol CacheTool: RecordTool {}

extension CacheTool {
    public func retract(_ record: inout Record, argument: String?) { record.removePlace() }
}

extension Record {
    /// Takes away the fields that say where a picture lies in the cache.
    public mutating func removePlace() { set(["path": nil, "path_base64": nil, "cache": nil, "gif": nil]) }
}

extension Caches {
    /// Is done with the records whose entries can be handed out at once, see `CacheStore.immediately`.
    ///
    /// - Parameters:
    ///   - lookups: where each record's best entry would be; nil if that cannot be told.
    ///   - asFetch: whether entries are put, rather than looked up.
    ///   - done: adds the fields of an entry to its record; false if it is not what is wanted.
    ///   - work: returns what is left to do for the record at an index.
    public func prepare(
        _ jobs: [RecordJob], lookups: [CacheItem.Lookup?], asFetch: Bool, done: (Entry, inout Record) -> Bool,
        work: (Int) -> Prepared.Work
    ) -> [Prepared] {
        var entries = [Entry?](repeating: nil, count: jobs.count)
        let policies = lookups.map { lookup in lookup.map { policy(for: $0.address) } }
        for policy in Policy.allCases where policies.contains(policy) {
            guard let cache = try? place(policy).cache else { continue }
            let indices = lookups.indices.filter { policies[$0] == policy }
            let found = cache.immediately(indices.compactMap { lookups[$0]?.key }, asFetch: asFetch)
            for (index, entry) in zip(indices, found) { entries[index] = entry }
        }
        return jobs.indices.map { index in
            var record = jobs[index].record
            guard let entry = entries[index], done(entry, &record) else { return .work(work(index)) }
            return .done(record)
        }
    }
}
