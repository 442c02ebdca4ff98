import Support

extension CacheStore {
    public var metadata: CacheMetadata { CacheMetadata(cache: self) }
}

/// Small items of data, stored by collection and name.
///
/// Metadata belongs to the scope: a purge, switch or reset removes it, and running work that began earlier can store no
/// more items. Metadata does not count towards the capacity and is not trimmed, because collections are small compared
/// with a large picture. `clean` removes items a month after their expiry. Methods throw the errors of `CacheStore`.
public struct CacheMetadata: Sendable {
    /// A collection whose items a push uploads and a pull downloads. If `mayNeverExpire`, only items that never expire
    /// are uploaded, and downloaded items keep their expiry. Otherwise, downloaded items expire at most a TTL from now.
    package typealias SharedCollection = (name: String, mayNeverExpire: Bool)

    /// Keeps the cache open during the work.
    let cache: CacheStore

    private var index: Index { cache.index }
    private var clock: Clock { cache.clock }
    private var scope: ScopeName { cache.scope }
    /// The storage shared with other machines; nil for a cache in memory, whose metadata is not shared.
    private var remote: (any RemoteTier)? { cache.settings.memory == nil ? cache.remote : nil }

    /// Returns the items of a collection whose names are in `first...last`, sorted by name, including expired items.
    /// Costs about 2 µs per item.
    public func items(in collection: String, from first: String, through last: String) throws -> [Metadata] {
        try reading { _ in
            try index.perform { try $0.metadata.items(in: collection, of: scope, from: first, through: last) }
        }
    }

    /// Returns the item with this name.
    public func item(_ name: String, in collection: String) throws -> Metadata? {
        try items(in: collection, from: name, through: name).first
    }

    /// Returns the item with the greatest name up to and including `last`.
    public func newest(in collection: String, through last: String) throws -> Metadata? {
        try reading { _ in try index.perform { try $0.metadata.newest(in: collection, of: scope, through: last) } }
    }

    /// Stores all items, or no item if an error is thrown. Does not replace items that were fetched later.
    ///
    /// Throws `CacheFailure.scopeChanged` if, since this cache first read its metadata, the scope was purged or another
    /// scope became current.
    public func keep(_ items: [Metadata], in collection: String) throws {
        if items.isEmpty { return }
        try index.requireWriting()
        let now = clock.now()
        // Compute the digests before the transaction, which blocks other writers.
        let digests = items.map { MetadataTable.digest(of: $0, in: collection) }
        try reading { generation in
            try index.write(now: now, isQuiet: true) { connection in
                try connection.scopes.check(generation, of: cache.active)
                let scopeID = try connection.scopes.make(scope)
                for (item, digest) in zip(items, digests) {
                    try connection.metadata.keep(item, digest: digest, in: collection, of: scopeID, now: now)
                }
            }
        }
    }

    /// The time that metadata is kept after its expiry, for use if its service cannot be reached.
    static let keptAfterExpiry: Duration = .seconds(30 * 86_400)

    /// Runs `body` with the generation of the scope at the first use of its metadata. Runs `body` again if the root was
    /// removed.
    private func reading<Result>(_ body: (Int64) throws -> Result) throws -> Result {
        try index.againIfRemoved {
            // The root may have been removed during the run.
            try index.reopenIfReplaced()
            return try body(index.perform { try $0.scopes.firstSeenGeneration(of: scope) })
        }
    }

    // MARK: Metadata in the remote, stored in documents without files

    /// Returns the remote's item with this name, if it is usable. Does not store the item.
    ///
    /// - Parameters:
    ///   - byteLimit: the maximum size of the item's document.
    ///   - mayNeverExpire: whether the item may have no expiry. Otherwise, the item expires at most a TTL from now.
    public func remoteItem(
        _ name: String, in collection: String, atMost byteLimit: Int, mayNeverExpire: Bool
    ) throws -> Metadata? {
        guard let remote, remote.reads(scope) else { return nil }
        let answer = try remote.document(of: RemoteName(metadata: name, in: collection, of: scope), atMost: byteLimit)
        guard let document = index.counted(answer, in: scope),
            let item = self.item(name, of: document, mayNeverExpire: mayNeverExpire)
        else { return nil }
        index.count(in: scope) { $0.add(.remoteHits) }
        return item
    }

    /// Returns the item of a document, or nil if the document has no inline content or was fetched in the future.
    private func item(_ name: String, of document: RemoteDocument, mayNeverExpire: Bool) -> Metadata? {
        let now = clock.now()
        guard case .inline(let body) = document.content, document.isPast(at: now) else { return nil }
        let expiresAt = mayNeverExpire ? document.expiresAt : cache.settings.latestExpiry(document.expiresAt, now: now)
        return Metadata(name: name, body: body, fetchedAt: document.fetchedAt, expiresAt: expiresAt)
    }

    /// Stores the item of a document that a pull has downloaded. Returns false if the item is not usable, or if the
    /// existing item was fetched at the same time or later.
    ///
    /// - Parameter begin: called before the item is stored.
    func take(
        _ document: RemoteDocument, _ name: String, in collection: SharedCollection, begin: () throws -> Void
    ) throws -> Bool {
        guard let item = item(name, of: document, mayNeverExpire: collection.mayNeverExpire) else { return false }
        if let old = try self.item(name, in: collection.name), old.fetchedAt >= item.fetchedAt { return false }
        try begin()
        try keep([item], in: collection.name)
        return true
    }

    /// Uploads an item to the remote on another thread.
    public func offer(_ item: Metadata, in collection: String) {
        guard let remote, remote.writes(scope) else { return }
        remote.offer(remoteOffer(of: item, in: collection))
    }

    package func remoteOffer(of item: Metadata, in collection: String) -> RemoteUpload {
        let document = RemoteDocument(
            name: RemoteName(metadata: item.name, in: collection, of: scope),
            subject: .metadata(name: item.name, collection: collection), content: .inline(item.body),
            fetchedAt: item.fetchedAt, expiresAt: item.expiresAt)
        return RemoteUpload(document) { [index, scope] answer in
            index.count(in: scope) { $0.add(offered: answer) }
        }
    }
}
