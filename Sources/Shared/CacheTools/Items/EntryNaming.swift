import Fetch
import Records
import Store
import Support

/// How arguments and records name what a tool keeps: pictures for `img-cache`, GIFs of exercises for `gif-cache`.
public protocol EntryNaming: Sendable {
    /// The name of the tool.
    var tool: String { get }

    /// Returns the keys under which to look for what an argument or, without one, a record names: the best first.
    /// Throws why nothing can be named.
    func keys(of job: RecordJob) throws -> [CacheItem.Lookup]

    /// Whether an entry that was found under such a key is what it should be. Throws `SystemFailure` if its file cannot
    /// be read.
    func accepts(_ entry: Entry) throws -> Bool

    /// Adds the fields that say where an entry lies.
    func set(_ entry: Entry, status: CacheStatus, in record: inout Record)
}

extension CacheItem.Rules: EntryNaming {
    public var tool: String { "img-cache" }

    /// Whatever is kept is a picture.
    public func accepts(_ entry: Entry) -> Bool { true }

    public func set(_ entry: Entry, status: CacheStatus, in record: inout Record) {
        record.setCached(entry, status: status)
    }
}

/// An entry that was found, and the cache that it is in.
public struct FoundEntry: Sendable {
    public let entry: Entry
    public let cache: CacheStore

    public init(_ entry: Entry, in cache: CacheStore) {
        self.entry = entry
        self.cache = cache
    }

    public var status: CacheStatus { cache.status(of: entry) }
    public var state: EntryState { cache.state(of: entry) }

    /// Pins the entry, or takes the pin off. Throws `CacheFailure.absent` if it has just gone, and other `CacheFailure`
    /// and `SystemFailure` if the root cannot be changed.
    public func pinned(_ isPinned: Bool) throws -> FoundEntry {
        guard let entry = try cache.setPinned(entry, isPinned) else {
            throw CacheFailure.absent(key: entry.key ?? "")
        }
        return FoundEntry(entry, in: cache)
    }
}

extension Caches {
    /// Returns the entry of what an argument or a record names, the best one that is there. Throws
    /// `CacheFailure.absent` (1), which is what everything is whose policy is `disabled`, `ExpiredEntry` (1),
    /// `NoPicture` if nothing is named, and what `naming` throws.
    ///
    /// - Parameters:
    ///   - handingOut: whether its path is to be used; else it is only looked at, see `CacheStore.peek`.
    ///   - takesExpired: whether one that has expired will do; else it counts as absent.
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

    /// The same for the path of an entry's file.
    private func find(
        at path: String, _ naming: any EntryNaming, handingOut: Bool, takesExpired: Bool
    ) throws -> FoundEntry {
        for cache in try all() {
            guard var entry = try cache.entry(at: path), try naming.accepts(entry) else { continue }
            let status = cache.status(of: entry)
            if !takesExpired, status == .stale { throw ExpiredEntry(key: path, since: entry.expiresAt) }
            if handingOut {
                guard let leased = try cache.handOut(entry) else { continue }
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
        // A key of the user's own is the same for all addresses.
        var asked: [(key: CacheKey, policy: Policy)] = []
        var isCounted = !handingOut
        for (key, address) in keys {
            let policy = policy(for: address)
            guard !asked.contains(where: { $0 == (key, policy) }) else { continue }
            asked.append((key, policy))
            guard let cache = try storage(policy).cache else { continue }
            // What is fresh costs least this way.
            if handingOut, let entry = cache.immediately(key, asFetch: false), try naming.accepts(entry) {
                return FoundEntry(entry, in: cache)
            }
            guard var entry = try cache.peek(key) else { continue }
            if !takesExpired, cache.status(of: entry) == .stale {
                expired = expired ?? ExpiredEntry(key: key.text, since: entry.expiresAt)
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
        // A miss is counted once, however many keys there are.
        if !isCounted { _ = try storage(best.policy).cache?.lookup(best.key) }
        throw CacheFailure.absent(key: best.key.text)
    }
}

/// An entry that has expired, for a run that takes none of these: the same as none at all.
public struct ExpiredEntry: Failure {
    let key: String
    let since: Timestamp

    public var code: String { "not-cached" }
    public var message: String { "expired since \(since.iso8601), which --no-stale refuses: \(key)" }
    public var exitCode: ExitCode { .absent }
}
