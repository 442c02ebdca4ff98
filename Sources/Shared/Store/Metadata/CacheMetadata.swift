import Support

/// Small data stored under names, in collections that their owners choose.
///
/// Metadata belongs to the scope: a purge, switch or reset removes it, and discards items of runs that began before. It
/// does not count towards the capacity and is not trimmed, because collections are small compared with a large picture.
/// `clean` removes it a month after its expiry. Methods throw the errors of `CacheStore`.
public struct CacheMetadata: Sendable {
    /// A collection of metadata, and whether its rows never expire.
    package typealias SharedCollection = (name: String, isLasting: Bool)

    /// Keeps the cache open until the work is done.
    let cache: CacheStore

    private var index: Index { cache.index }
    private var clock: Clock { cache.clock }
    private var scope: ScopeName { cache.scope }
    /// The storage that other machines share; nil for a cache in memory, whose metadata is not shared.
    private var remote: (any RemoteTier)? { cache.settings.memory == nil ? cache.remote : nil }

    /// Returns the items of a collection from one name to another, inclusive, ascending, including expired items. Costs
    /// about 2 µs per item.
    public func items(in collection: String, from first: String, through last: String) throws -> [Metadata] {
        try reading { _ in try index.metadata(in: collection, of: scope, from: first, through: last) }
    }

    /// Returns the item with this name.
    public func item(_ name: String, in collection: String) throws -> Metadata? {
        try items(in: collection, from: name, through: name).first
    }

    /// Returns the item with the last name up to `last`.
    public func newest(in collection: String, through last: String) throws -> Metadata? {
        try reading { _ in try index.newestMetadata(in: collection, of: scope, through: last) }
    }

    /// Stores all items, or none if it throws. Keeps existing items that were fetched later.
    ///
    /// Throws `CacheFailure.scopeChanged` if the scope was purged, or another became current, since this cache first
    /// read its metadata: no item of earlier work may be stored afterwards.
    public func keep(_ items: [Metadata], in collection: String) throws {
        if items.isEmpty { return }
        try index.requireWriting()
        try reading { generation in
            try index.keep(items, in: collection, of: cache.active, generation: generation, now: clock.now())
        }
    }

    /// The lifetime of expired metadata, for use if its service cannot be reached.
    static let keptAfterExpiry: Duration = .seconds(30 * 86_400)

    /// Passes the first generation seen by this run to `body`, and repeats it if the root was removed.
    private func reading<Result>(_ body: (Int64) throws -> Result) throws -> Result {
        try index.againIfRemoved {
            // The root may have been removed during the run.
            try index.reopenIfReplaced()
            return try body(index.firstSeenGeneration(of: scope))
        }
    }

    // MARK: In the remote, stored in documents without files

    /// Returns the remote's item with this name, if it is usable. Stores nothing.
    ///
    /// - Parameters:
    ///   - byteLimit: the maximum size of its document.
    ///   - isLasting: whether it may have no expiry; else its expiry is limited to the TTL from now.
    public func remoteItem(
        _ name: String, in collection: String, atMost byteLimit: Int, isLasting: Bool
    ) throws -> Metadata? {
        guard let remote, remote.reads(scope) else { return nil }
        let answer = try remote.document(
            of: RemoteName(metadata: name, in: collection, of: scope), atMost: byteLimit)
        guard let document = index.counted(answer, in: scope),
            let item = self.item(name, of: document, isLasting: isLasting)
        else { return nil }
        index.count(in: scope) { $0.add(.remoteHits) }
        return item
    }

    /// The item of a document; nil if its content or its time of fetching is not credible.
    private func item(_ name: String, of document: RemoteDocument, isLasting: Bool) -> Metadata? {
        let now = clock.now()
        guard case .inline(let body) = document.content, document.isPast(at: now) else { return nil }
        let expiresAt = isLasting ? document.expiresAt : cache.settings.latestExpiry(document.expiresAt, now: now)
        return Metadata(name: name, body: body, fetchedAt: document.fetchedAt, expiresAt: expiresAt)
    }

    /// Stores the item of an unrequested document. Returns false if it is not credible, or if the present item was
    /// fetched at the same time or later.
    ///
    /// - Parameter begin: called before the item is stored.
    func take(
        _ document: RemoteDocument, _ name: String, in collection: SharedCollection, begin: () throws -> Void
    ) throws -> Bool {
        guard let item = item(name, of: document, isLasting: collection.isLasting) else { return false }
        if let old = try self.item(name, in: collection.name), old.fetchedAt >= item.fetchedAt { return false }
        try begin()
        try keep([item], in: collection.name)
        return true
    }

    /// Offers an item to the remote on another thread.
    public func offer(_ item: Metadata, in collection: String) {
        guard let remote, remote.writes(scope) else { return }
        remote.offer(remoteOffer(of: item, in: collection))
    }

    /// Returns the remote's copy of an item.
    package func remoteOffer(of item: Metadata, in collection: String) -> RemoteOffer {
        let document = RemoteDocument(
            name: RemoteName(metadata: item.name, in: collection, of: scope),
            subject: .metadata(name: item.name, collection: collection), content: .inline(item.body),
            fetchedAt: item.fetchedAt, expiresAt: item.expiresAt)
        return RemoteOffer(document) { [index, scope] answer in
            index.count(in: scope) { $0.add(offered: answer) }
        }
    }
}
