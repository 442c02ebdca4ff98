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
    /// What a record asks of the cache: where its best entry would be, nil if that cannot be told, when it is to expire,
    /// nil for what the settings say, and what is left to do if that entry cannot be handed out at once.
    public typealias Plan = (lookup: CacheItem.Lookup?, expiry: Expiry?, work: Prepared.Work)

    private struct Member {
        let plan: Plan
        let policy: Policy?
        var entry: Entry?
    }

    /// Is done with the records whose entries can be handed out at once, see `CacheStore.immediately`.
    ///
    /// - Parameters:
    ///   - asFetch: whether entries are put, rather than looked up.
    ///   - plan: what it throws is what comes of the record.
    ///   - done: adds the fields of an entry to its record; false if it is not what is wanted.
    public func prepare(
        _ jobs: [RecordJob], asFetch: Bool, plan: (RecordJob) throws -> Plan, done: (Entry, inout Record) -> Bool
    ) -> [Prepared] {
        var batch = jobs.map { job in
            do {
                let plan = try plan(job)
                return Member(plan: plan, policy: plan.lookup.map { policy(for: $0.address) })
            } catch {
                return Member(plan: (nil, nil, { _, _ in throw error }), policy: nil)
            }
        }
        for policy in Policy.allCases {
            let indices = batch.indices.filter { batch[$0].policy == policy }
            guard !indices.isEmpty, let cache = try? storage(policy).cache else { continue }
            let saysExpiry = indices.contains { batch[$0].plan.expiry != nil }
            let found = cache.immediately(
                indices.compactMap { batch[$0].plan.lookup?.key }, asFetch: asFetch,
                expiries: saysExpiry ? indices.map { batch[$0].plan.expiry } : nil)
            for (index, entry) in zip(indices, found) { batch[index].entry = entry }
        }
        return batch.indices.map { index in
            var record = jobs[index].record
            guard let entry = batch[index].entry, done(entry, &record) else {
                return .work(batch[index].plan.work)
            }
            return .done(record)
        }
    }
}
