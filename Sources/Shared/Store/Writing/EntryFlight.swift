import Support

/// Makes a single entry. Among all threads and processes, at most one flight for an entry runs at a time.
///
/// A flight watches the generation of the scope, locks the key, and looks up the entry again if another process may
/// have made it. If neither the cache nor the remote has the entry, a producer (a download, an encoder or the copy of a
/// file) writes the bytes, and `commit` renames the file into place. Must be used within `CacheStore.withstanding` or
/// `Interruption.during`. Not thread-safe.
package final class EntryFlight: Sink {
    /// The properties of an entry before its bytes are known.
    package struct Subject {
        package var name: String
        /// The key of the entry or of its original.
        package var key: CacheKey
        /// The address of the source without credentials.
        package var url: String?
        var original: Entry?
        /// The expiry of an original; nil for `ttl` from now.
        var expiry: Expiry?
        /// Whether the entry may be downloaded from the remote and uploaded to it.
        package var isShared = true

        /// An original.
        package init(_ key: CacheKey, url: String? = nil, expiry: Expiry? = nil) {
            (name, self.key, self.url, self.expiry) = (key.name, key, url, expiry)
        }

        /// A variant.
        init(_ name: String, of original: Entry, key: CacheKey) {
            (self.name, self.key, url, self.original) = (name, key, original.url, original)
        }
    }

    package let cache: CacheStore
    package let subject: Subject
    package let watch: GenerationWatch
    /// The entry that a commit replaces, or the reason for its absence.
    package private(set) var found: LookupResult
    /// The partial file, which only the flight's producer writes.
    package let body: PartialFile
    /// Whether another thread or process held the lock.
    package let hasWaited: Bool
    private var lock: KeyLock?
    private var shared: SharedEntry?
    /// Whether to remove the partial file if it is not committed. Downloads keep it for the next attempt.
    private var isDisposable = false

    /// Waits for the key's lock, then looks up the entry unless `known` is still valid. Throws `CacheFailure.stalled`
    /// if the holder of the lock makes no progress, and `scopeChanged` if the scope is purged.
    ///
    /// - Parameters:
    ///   - known: the result of the last lookup, if any.
    ///   - address: the digest of the address whose cached failure is looked up too; nil to look up only the entry.
    package init(
        _ cache: CacheStore, _ subject: Subject, known: LookupResult? = nil, for work: LockedWork.Kind = .making,
        failureOf address: String? = nil
    ) throws {
        self.cache = cache
        self.subject = subject
        watch = try GenerationWatch(cache.index, cache.active)
        let lock = try cache.lock(subject.name, for: work, generation: watch.generation, whileWaiting: watch.check)
        self.lock = lock
        hasWaited = lock.wasContended
        if let known, !lock.wasContended, known.version != nil, known.version == cache.index.version() {
            found = known
        } else {
            found = try cache.look(subject, failureOf: address)
            found.wasLost = found.wasLost || known?.wasLost == true
        }
        body = PartialFile(
            name: CacheRoot.partial(subject.name, in: cache.scope, generation: watch.generation),
            root: cache.index.root, use: cache.settings.memory?.use)
        shared = subject.isShared ? SharedEntry(cache, subject) : nil
    }

    deinit { if isDisposable, (try? body.isInPlace()) == true { body.remove() } }

    /// Returns the result of `use` for the remote's entry, or nil if there is no entry or `use` returns nil. If another
    /// machine is making the entry, waits for that machine.
    ///
    /// - Parameter waitsFirst: whether to query the remote only once this machine has the claim. For a refresh, which
    ///   can use only an entry that another machine has fetched since the refresh began.
    package func takeFromRemote<Result>(
        waitsFirst: Bool = false, inspect: Inspection, use: (Entry) throws -> Result?
    ) throws -> Result? {
        guard let shared else { return nil }
        func take() throws -> Result? {
            guard let entry = try shared.take(into: self, inspect: inspect) else { return nil }
            found.entry = entry
            return try use(entry)
        }
        if !waitsFirst, let result = try take() { return result }
        return try shared.claim(check: watch.check) ? take() : nil
    }

    /// Stores the content of a document from the remote. Returns false if the existing entry is at least as new, or the
    /// content is unusable.
    func take(_ document: RemoteDocument, _ begin: () throws -> Void) throws -> Bool {
        let old = found.entry
        if let original = subject.original, let old, old.parentSHA256 == original.sha256 { return false }
        guard let shared, shared.isNewer(document, than: old) else { return false }
        try begin()
        return try shared.take(document, into: self, inspect: cache.inspect) != nil
    }

    /// Begins a new body, for a producer that cannot resume an interrupted body.
    package func begin() throws {
        isDisposable = true
        try body.restart()
    }

    /// Writes the next bytes. Throws `SystemFailure`, and `CacheFailure`: `memoryFull`, or `scopeChanged` if the scope
    /// was purged or another scope became current.
    package func write(_ bytes: RawSpan) throws { try watch.explaining { try body.write(bytes) } }

    /// Stores the entry and releases its lock. Throws the errors of `write`, and `CacheFailure.io` if the folder was
    /// removed.
    package func commit(_ picture: FileFacts) throws -> MadeFile {
        do {
            try watch.explaining { if try !body.isInPlace() { throw FileReplaced() } }
            countAsMade()
            return MadeFile(try keep(picture), isNew: true)
        } catch is FileReplaced {
            throw CacheFailure.io(detail: "its folder was removed", root: cache.root)
        }
    }

    func countAsMade() {
        cache.index.count(in: cache.scope) {
            if subject.original != nil { return $0.add(.variantsMade) }
            $0.add(miss: .miss(replacing: found, at: cache.clock.now(), isStored: true))
            $0.add(.stored)
        }
    }

    /// Stores the entry, offers it to the remote and releases its lock. If the existing entry has the same bytes, only
    /// renews that entry. Throws `FileReplaced` if the root was removed.
    ///
    /// - Parameter change: sets properties that only the producer knows, such as validators.
    package func keep(_ picture: FileFacts, change: (inout Entry) -> Void = { _ in }) throws -> Entry {
        isDisposable = true
        let now = cache.clock.now()
        var new = Entry(name: subject.name, scope: cache.scope)
        new.key = subject.key.text
        new.url = subject.url
        new.bytes = body.count
        new.sha256 = try body.finish()
        new.facts = picture
        (new.fetchedAt, new.lastUsed, new.leaseUntil) = (now, now, cache.lease.end(from: now))
        if let original = subject.original {
            (new.kind, new.parent, new.parentSHA256) = (.variant, original.name, original.sha256)
            (new.fetchedAt, new.expiresAt, new.isPrivate) = (original.fetchedAt, original.expiresAt, original.isPrivate)
        } else {
            new.expiresAt = (subject.expiry ?? .after(cache.settings.ttl)).end(from: now)
        }
        change(&new)
        new.file = try CacheRoot.blobName(
            new.name, isVariant: new.kind == .variant, sha256: new.sha256, fileExtension: picture.fileExtension)
        var entry = try watch.explaining {
            try renewed(new) ?? cache.keep(body.name, as: new, replacing: found.entry, generation: watch.generation)
        }
        isDisposable = false
        entry.isFromRemote = new.isFromRemote
        if !entry.isFromRemote { offer(entry) }
        lock = nil
        return entry
    }

    /// Offers an entry to the remote unless it is private.
    package func offer(_ entry: Entry) { if !entry.isPrivate { shared?.offer(entry) } }

    /// Renews the existing entry if the new entry has the same bytes and the same source.
    private func renewed(_ new: Entry) throws -> Entry? {
        guard let old = found.entry, new.kind == .original, old.sha256 == new.sha256,
            old.fileExtension == CacheRoot.fileExtension(of: new.file), old.key == new.key,
            old.url.map({ $0.hasSameBytes(as: new.url ?? "") }) ?? (new.url == nil)
        else { return nil }
        var same = new
        (same.id, same.leaseUntil) = (old.id, max(old.leaseEnd(at: new.lastUsed), new.leaseUntil))
        same.isPrivate = old.isPrivate || new.isPrivate
        guard let kept = try cache.renew(same, generation: watch.generation) else { return nil }
        body.remove()
        return kept
    }
}

extension CacheStore {
    /// Looks up an entry and checks its file.
    ///
    /// - Parameter address: the digest of the address whose cached failure is looked up too; nil to look up only the
    ///   entry.
    package func look(_ subject: EntryFlight.Subject, failureOf address: String? = nil) throws -> LookupResult {
        var found = try index.perform {
            try $0.look(subject.name, in: scope, address: address, now: clock.now())
        }
        var wasLost = false
        found.entry =
            try subject.original == nil
            ? validated(found.entry, of: subject.key) { wasLost = true }
            : found.entry.flatMap { try checked($0) { wasLost = true } }
        found.wasLost = wasLost
        return found
    }

    /// Records the revalidation of an entry. With `settings.syncs`, or if the entry is pinned, syncs it to the disk.
    /// Returns nil if the entry no longer exists.
    package func renew(_ entry: Entry, generation: Int64) throws -> Entry? {
        let renewed = try index.write(now: clock.now()) { connection in
            try connection.scopes.check(generation, of: active)
            return try connection.entries.renew(entry)
        }
        guard let kept = renewed else { return nil }
        return settings.syncs || kept.isPinned ? try makeDurable([kept])[0] : kept
    }

    /// Stores bytes from a file or from memory under a key. The status is `hit` if the entry already has these bytes,
    /// otherwise `miss`. Throws the errors of the inspection, `CacheFailure`, `SystemFailure`, `Cancelled`.
    ///
    /// - Parameters:
    ///   - url: the address of the source without credentials; nil for a local file.
    ///   - inspect: nil to use the cache's inspection.
    ///   - expiry: nil to use the expiry of the settings.
    public func store(
        _ source: some ByteSource, key: CacheKey, url: String? = nil, inspect: Inspection? = nil, expiry: Expiry? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        try observed(.store, key) {
            do {
                try index.requireWriting()
                return try withstanding {
                    var subject = EntryFlight.Subject(key, url: url, expiry: expiry ?? settings.expiry)
                    subject.isShared = false
                    return try store(source, EntryFlight(self, subject), inspect ?? self.inspect)
                }
            } catch {
                if !(error is Cancelled) { index.count(in: scope) { $0.add(failure: failure(of: error)) } }
                throw error
            }
        }
    }

    private func store(
        _ source: some ByteSource, _ flight: EntryFlight, _ inspect: Inspection
    ) throws -> (entry: Entry, status: CacheStatus) {
        if var old = flight.found.entry, old.bytes == source.count, try BlobStore.sha256(of: source) == old.sha256 {
            let now = clock.now()
            old.leaseUntil = max(old.leaseEnd(at: now), lease.end(from: now))
            (old.fetchedAt, old.lastUsed, old.directives, old.vary) = (now, now, CacheDirectives(), nil)
            old.expiresAt = (flight.subject.expiry ?? .after(settings.ttl)).end(from: now)
            if let kept = try renew(old, generation: flight.watch.generation) {
                count(.hit, kept)
                return (kept, .hit)
            }
        }
        try flight.begin()
        try source.copy(to: flight, check: interruption.check)
        let picture = try inspect(flight.body.reopened())
        flight.countAsMade()
        return (try flight.keep(picture), .miss)
    }
}
