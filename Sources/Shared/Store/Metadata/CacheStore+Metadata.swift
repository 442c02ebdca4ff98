import Support

/// Small data stored under names, in collections that their owners choose.
///
/// Metadata belongs to the scope: a purge, switch or reset removes it, and discards items of runs that began before. It
/// does not count towards the capacity and is not trimmed, because collections are small compared with a large picture.
/// `clean` removes it a month after its expiry.
extension CacheStore {
    /// Returns the items of a collection from one name to another, inclusive, ascending, including expired items. Costs
    /// about 2 µs per item.
    public func metadata(
        in collection: String, from first: String, through last: String
    ) throws -> [Metadata] {
        try withMetadata { _ in try index.metadata(in: collection, of: scope, from: first, through: last) }
    }

    /// Returns the item with the last name up to `last`.
    public func newestMetadata(in collection: String, through last: String) throws -> Metadata? {
        try withMetadata { _ in try index.newestMetadata(in: collection, of: scope, through: last) }
    }

    /// Stores all items, or none if it throws. Keeps existing items that were fetched later.
    ///
    /// Throws `CacheFailure.scopeChanged` if the scope was purged, or another became current, since this cache first
    /// read its metadata: no item of earlier work may be stored afterwards.
    public func keep(_ metadata: [Metadata], in collection: String) throws {
        if metadata.isEmpty { return }
        try requireWriting()
        try withMetadata { generation in
            try index.keep(metadata, in: collection, of: active, generation: generation, now: clock.now())
        }
    }

    /// The lifetime of expired metadata, for use if its service cannot be reached.
    static let metadataKeptAfterExpiry: Duration = .seconds(30 * 86_400)

    /// Passes the first generation seen by this run to `body`, and repeats it if the root was removed.
    private func withMetadata<Result>(_ body: (Int64) throws -> Result) throws -> Result {
        try againIfRemoved {
            // The root may have been removed during the run.
            try index.reopenIfReplaced()
            return try body(index.firstSeenGeneration(of: scope))
        }
    }
}

/// Metadata in the remote, stored in documents without files.
extension CacheStore {
    /// Returns the remote's item with this name, if it is usable. Stores nothing.
    ///
    /// - Parameters:
    ///   - byteLimit: the maximum size of its document.
    ///   - isLasting: whether it may have no expiry; else its expiry is limited to the TTL from now.
    public func remoteMetadata(
        _ name: String, in collection: String, atMost byteLimit: Int, isLasting: Bool
    ) throws -> Metadata? {
        guard let remote, settings.memory == nil, remote.reads(scope) else { return nil }
        let answer = try remote.document(
            of: RemoteName(metadata: name, in: collection, of: scope), atMost: byteLimit)
        guard let document = counted(answer), case .inline(let body) = document.content, isPast(document) else {
            return nil
        }
        index.count(in: scope) { $0.add(.remoteHits) }
        let expiresAt = isLasting ? document.expiresAt : latestExpiry(document.expiresAt)
        return Metadata(name: name, body: body, fetchedAt: document.fetchedAt, expiresAt: expiresAt)
    }

    /// Offers metadata to the remote on another thread.
    public func offer(_ metadata: Metadata, in collection: String) {
        guard let remote, settings.memory == nil, remote.writes(scope) else { return }
        remote.offer(remoteOffer(of: metadata, in: collection))
    }

    /// Returns the remote's copy of metadata.
    package func remoteOffer(of metadata: Metadata, in collection: String) -> RemoteOffer {
        let document = RemoteDocument(
            name: RemoteName(metadata: metadata.name, in: collection, of: scope),
            subject: .metadata(name: metadata.name, collection: collection), content: .inline(metadata.body),
            fetchedAt: metadata.fetchedAt, expiresAt: metadata.expiresAt)
        return RemoteOffer(document) { [index, scope] answer in
            index.count(in: scope) { $0.add(offered: answer) }
        }
    }
}
