import Support

/// Rows of `metadata`. Writing these rows does not change `version`, because no entry changes.
extension Index {
    static let metadataColumns = "name, body, fetched_at, expires_at"
    static let selectMetadata = """
        SELECT \(metadataColumns) FROM metadata
        WHERE scope = \(liveScope) AND collection = ?2 AND name BETWEEN ?3 AND ?4 ORDER BY name
        """
    static let selectNewestMetadata = """
        SELECT \(metadataColumns) FROM metadata
        WHERE scope = \(liveScope) AND collection = ?2 AND name <= ?3 ORDER BY name DESC LIMIT 1
        """
    /// Does not overwrite a row that was fetched later, unless it was fetched in the future (after `?9`, which is the
    /// current time plus `Clock.tolerance`), because the clock was set back.
    static let keepMetadata = """
        INSERT INTO metadata (scope, collection, name, body, fetched_at, expires_at, bytes, digest)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT (scope, collection, name) DO UPDATE SET
            body = ?4, fetched_at = ?5, expires_at = ?6, bytes = ?7, digest = ?8
        WHERE fetched_at <= ?5 OR fetched_at > ?9
        """
    static let selectMetadataSums = """
        SELECT scope, count(*), sum(bytes) FROM metadata INDEXED BY metadata_by_end
        WHERE scope IN \(liveScopes) GROUP BY scope
        """
    private static let isLongExpired = "scope IN \(liveScopes(named: "?3")) AND expires_at < ?1"
    static let selectExpiredMetadata = "SELECT count(*), coalesce(sum(bytes), 0) FROM metadata WHERE \(isLongExpired)"
    static let removeExpiredMetadata = """
        DELETE FROM metadata WHERE id IN (SELECT id FROM metadata WHERE \(isLongExpired) LIMIT ?2) RETURNING bytes
        """

    func metadata(
        in collection: String, of scope: ScopeName, from first: String, through last: String
    ) throws -> [Metadata] {
        try all(
            Self.selectMetadata, Value(scope.hash), Value(collection), Value(first), Value(last), read: Metadata.init)
    }

    func newestMetadata(in collection: String, of scope: ScopeName, through last: String) throws -> Metadata? {
        try first(Self.selectNewestMetadata, Value(scope.hash), Value(collection), Value(last), read: Metadata.init)
    }

    /// Writes all items in one transaction. Throws `CacheFailure.scopeChanged` if `generation` was purged.
    func keep(
        _ metadata: [Metadata], in collection: String, of scope: ActiveScope, generation: Int64, now: Timestamp
    ) throws {
        // Compute the digests before the transaction, which blocks other writers.
        let digests = metadata.map { Self.digest(of: $0, in: collection) }
        try write(now: now, isQuiet: true) { connection in
            try connection.check(generation, of: scope)
            let scopeID = try connection.makeScope(scope.name)
            for (item, digest) in zip(metadata, digests) {
                try connection.keep(item, digest: digest, in: collection, of: scopeID, now: now)
            }
        }
    }

    func expiredMetadata(before limit: Timestamp, of scope: ScopeName?) throws -> EntrySum {
        try first(Self.selectExpiredMetadata, Value(limit), nil, Value(scope?.text)) {
            EntrySum(entries: $0.int(0), bytes: $0.int(1))
        } ?? EntrySum()
    }

    /// Removes up to a batch of the items that expired before `limit`.
    func removeMetadata(expiredBefore limit: Timestamp, of scope: ScopeName?, now: Timestamp) throws -> EntrySum {
        try write(now: now, isQuiet: true) { connection in
            let sizes = try connection.database.all(
                Self.removeExpiredMetadata, Value(limit), Value(Self.batch), Value(scope?.text)
            ) { $0.int(0) }
            return EntrySum(entries: sizes.count, bytes: sizes.reduce(0, +))
        }
    }

    /// Returns the generation that the scope had when this method was first called for it.
    func firstSeenGeneration(of scope: ScopeName) throws -> Int64 {
        try perform { connection in
            if let known = connection.firstSeenGenerations[scope.hash] { return known }
            let generation = try connection.live(scope).generation
            connection.firstSeenGenerations[scope.hash] = generation
            return generation
        }
    }

    /// Returns eight bytes of the SHA-256 of a row, which verify the row when it is recovered from a damaged index.
    static func digest(of metadata: Metadata, in collection: String) -> Int64 {
        let times = "\(metadata.fetchedAt.milliseconds) \(metadata.expiresAt.map { "\($0.milliseconds)" } ?? "never")"
        var hash = SHA256()
        for text in [collection, metadata.name, times] {
            var text = text + "\0"
            text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
        }
        metadata.body.withUnsafeBytes { hash.update($0) }
        return hash.finishAsNumber()
    }
}

extension Index.Connection {
    /// Returns the number and bytes of items in each live scope, by the scope's row ID.
    func metadataSums() throws -> [Int64: EntrySum] {
        let sums = try database.all(Index.selectMetadataSums) {
            ($0.int64(0), EntrySum(entries: $0.int(1), bytes: $0.int(2)))
        }
        return Dictionary(uniqueKeysWithValues: sums)
    }

    /// Writes a row, within a transaction. Returns false if the existing row was fetched later and therefore stays.
    @discardableResult
    func keep(
        _ metadata: Metadata, digest: Int64, in collection: String, of scopeID: Int64, now: Timestamp
    ) throws -> Bool {
        try database.run(
            Index.keepMetadata, Value(scopeID), Value(collection), Value(metadata.name), Value(metadata.body),
            Value(metadata.fetchedAt), Value(metadata.expiresAt), Value(metadata.body.count), Value(digest),
            Value(now + Clock.tolerance)) > 0
    }
}

extension Metadata {
    /// Reads a row of `Index.metadataColumns`.
    init(_ row: Row) {
        self.init(
            name: row.string(0), body: row.bytes(1), fetchedAt: row.timestamp(2), expiresAt: Timestamp?(row, 3))
    }
}
