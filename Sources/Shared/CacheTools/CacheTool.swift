import Fetch
import Records
import Store

/// A tool that adds the path of a cached picture to records.
///
/// If a record fails, the tool removes `path`, `cache` and `gif` from the record: these fields may come from an earlier
/// run or from a hostile author, and the next tool would open the path.
public protocol CacheTool: RecordTool {}

extension CacheTool {
    public func retract(_ record: inout Record, argument: String?) { record.removePlace() }
}

extension Record {
    /// Removes the fields about a cached picture.
    public mutating func removePlace() { set(["path": nil, "path_base64": nil, "cache": nil, "gif": nil]) }
}

extension Caches {
    /// The plan for a record: the key of its best entry, if known; an expiry that overrides the settings; and the work
    /// to do if the entry is not a fresh hit.
    public typealias Plan = (lookup: CacheItem.Lookup?, expiry: Expiry?, work: Prepared.Work)

    private struct Member {
        let plan: Plan
        let policy: Policy?
        var entry: Entry?
    }

    /// Completes the records whose entries are fresh hits, with one transaction per cache (`CacheStore.freshHits`).
    ///
    /// - Parameters:
    ///   - asFetch: whether the command fetches missing pictures (`put`) rather than only looking up entries.
    ///   - plan: returns the plan for a record. An error becomes the record's failure.
    ///   - done: adds the fields of an entry to its record, or returns false to reject the entry.
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
            let found = cache.freshHits(
                indices.compactMap { batch[$0].plan.lookup?.key }, asFetch: asFetch,
                expiries: saysExpiry ? indices.map { batch[$0].plan.expiry } : nil)
            for (index, entry) in zip(indices, found) { batch[index].entry = entry }
        }
        return batch.indices.map { index in
            var record = jobs[index].record
            guard let entry = batch[index].entry, done(entry, &record) else { return .work(batch[index].plan.work) }
            return .done(record)
        }
    }
}
