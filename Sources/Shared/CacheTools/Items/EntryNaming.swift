import Fetch
import Records
import Store
import Support

/// Maps arguments and records to entries: pictures for `img-cache`, GIFs of exercises for `gif-cache`.
public protocol EntryNaming: Sendable {
    var tool: String { get }

    /// Returns the keys to look up, best first, for the argument of a job or, without an argument, for its record.
    /// Throws if there is no key.
    func keys(of job: RecordJob) throws -> [CacheItem.Lookup]

    /// Returns whether an entry has the right content. Throws `SystemFailure` if its file cannot be read.
    func accepts(_ entry: Entry) throws -> Bool

    func set(_ entry: Entry, status: CacheStatus, in record: inout Record)
}

extension CacheItem.Rules: EntryNaming {
    public var tool: String { "img-cache" }

    public func accepts(_ entry: Entry) -> Bool { true }

    public func set(_ entry: Entry, status: CacheStatus, in record: inout Record) {
        record.setCached(entry, status: status)
    }
}

/// An entry and its cache.
public struct FoundEntry: Sendable {
    public let entry: Entry
    public let cache: CacheStore

    public init(_ entry: Entry, in cache: CacheStore) {
        self.entry = entry
        self.cache = cache
    }

    public var status: CacheStatus { cache.status(of: entry) }
    public var state: EntryState { cache.state(of: entry) }

    /// Pins or unpins the entry. Throws `CacheFailure.absent` if the entry has been deleted, and other `CacheFailure`
    /// and `SystemFailure` if the root cannot be changed.
    public func pinned(_ isPinned: Bool) throws -> FoundEntry {
        guard let entry = try cache.setPinned(entry, isPinned) else { throw CacheFailure.absent(key: entry.key ?? "") }
        return FoundEntry(entry, in: cache)
    }
}

extension Caches {
    /// Returns the best existing entry for an argument or a record. Throws `CacheFailure.absent` (1), also under the
    /// policy `disabled`; `ExpiredEntry` (1); `NoPicture` if there is no key; and the errors of `naming`.
    ///
    /// - Parameters:
    ///   - handingOut: whether to count a hit and lease the entry, rather than only read it (`CacheStore.peek`).
    ///   - takesExpired: whether to return expired entries, rather than treat them as absent.
    public func find(
        _ job: RecordJob, _ naming: any EntryNaming, handingOut: Bool = true, takesExpired: Bool = true
    ) throws -> FoundEntry {
        if let path = job.argument.flatMap(entryPath) {
            return try find(at: path, naming, handingOut: handingOut, takesExpired: takesExpired)
        }
        return try suggestingAddress(for: job.argument) {
            try find(naming.keys(of: job), naming, handingOut: handingOut, takesExpired: takesExpired)
        }
    }

    private func find(
        at path: String, _ naming: any EntryNaming, handingOut: Bool, takesExpired: Bool
    ) throws -> FoundEntry {
        for cache in try all() {
            guard var entry = try cache.entry(at: path), try naming.accepts(entry) else { continue }
            let status = cache.status(of: entry)
            if !takesExpired, status == .stale { throw ExpiredEntry(entry, key: path) }
            if handingOut {
                guard let leased = try cache.extendLease(of: entry) else { continue }
                entry = leased
                cache.count(status, entry)
            }
            return FoundEntry(entry, in: cache)
        }
        throw CacheFailure.absent(key: path)
    }

    private func find(
        _ keys: [CacheItem.Lookup], _ naming: any EntryNaming, handingOut: Bool, takesExpired: Bool
    ) throws -> FoundEntry {
        var expired: ExpiredEntry?
        // Look up each key only once per policy: a user-defined key is the same for all addresses.
        var asked: [(key: CacheKey, policy: Policy)] = []
        var isCounted = !handingOut
        for (key, address) in keys {
            let policy = policy(for: address)
            guard !asked.contains(where: { $0 == (key, policy) }) else { continue }
            asked.append((key, policy))
            guard let cache = try storage(policy).cache else { continue }
            // Try the cheapest look-up first, which finds only fresh entries.
            if handingOut, let entry = cache.freshHit(key, asFetch: false), try naming.accepts(entry) {
                return FoundEntry(entry, in: cache)
            }
            guard var entry = try cache.peek(key) else { continue }
            if !takesExpired, cache.status(of: entry) == .stale {
                expired = expired ?? ExpiredEntry(entry, key: key.text)
                continue
            }
            if handingOut {
                isCounted = true
                guard let found = try cache.lookup(key) else { continue }
                entry = found
            }
            if try naming.accepts(entry) { return FoundEntry(entry, in: cache) }
        }
        if let expired { throw expired }
        guard let best = asked.first else { throw NoPicture() }
        // Count a single miss, regardless of the number of keys.
        if !isCounted { _ = try storage(best.policy).cache?.lookup(best.key) }
        throw CacheFailure.absent(key: best.key.text)
    }
}

/// The error for an expired entry with `--no-stale`.
public struct ExpiredEntry: Failure {
    let key: String
    let since: Timestamp

    init(_ entry: Entry, key: String) {
        self.key = key
        since = entry.clamped(to: .now()).expiresAt
    }

    public var code: String { "not-cached" }
    public var message: String { "\(key) expired at \(since.iso8601), and --no-stale is set" }
    public var exitCode: ExitCode { .absent }
}
