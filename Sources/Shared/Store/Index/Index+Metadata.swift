import Support

/// Rows of `metadata`. None of this changes an entry, so that what was remembered of entries stays (`version`).
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
    /// What was fetched later stays, unless the clock was set back since: `?9` is as far ahead as clocks may differ.
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

    func metadata(in collection: String, of scope: ScopeName, from first: String, through last: String) throws
        -> [Metadata]
    {
        try perform { connection in
            try connection.database.all(
                Self.selectMetadata, Value(scope.hash), Value(collection), Value(first), Value(last),
                read: Metadata.init)
        }
    }

    func newestMetadata(in collection: String, of scope: ScopeName, through last: String) throws -> Metadata? {
        try perform { connection in
            try connection.database.first(
                Self.selectNewestMetadata, Value(scope.hash), Value(collection), Value(last), read: Metadata.init)
        }
    }

    /// Writes all rows in one transaction. Throws `CacheFailure.scopeChanged` where `generation` is over.
    func keep(
        _ metadata: [Metadata], in collection: String, of scope: ActiveScope, generation: Int64, now: Timestamp
    ) throws {
        // Outside of the transaction, for which others wait.
        let digests = metadata.map { Self.digest(of: $0, in: collection) }
        try write(now: now, isQuiet: true) { connection in
            try connection.check(generation, of: scope)
            let scopeID = try connection.makeScope(scope.name)
            for (item, digest) in zip(metadata, digests) {
                try connection.keep(item, digest: digest, in: collection, of: scopeID, now: now)
            }
        }
    }

    /// How much of all scopes' expired before `limit`.
    func expiredMetadata(before limit: Timestamp, of scope: ScopeName?) throws -> Removal {
        try perform { connection in
            try connection.database.first(Self.selectExpiredMetadata, Value(limit), nil, Value(scope?.text)) {
                Removal(entries: $0.int(0), bytes: $0.int(1))
            } ?? Removal()
        }
    }

    /// Removes up to a batch of it.
    func removeMetadata(expiredBefore limit: Timestamp, of scope: ScopeName?, now: Timestamp) throws -> Removal {
        try write(now: now, isQuiet: true) { connection in
            let sizes = try connection.database.all(
                Self.removeExpiredMetadata, Value(limit), Value(Self.batch), Value(scope?.text)
            ) { $0.int(0) }
            return Removal(entries: sizes.count, bytes: sizes.reduce(0, +))
        }
    }

    /// The generation that the scope had when this was first asked of the file that is open.
    func firstSeenGeneration(of scope: ScopeName) throws -> Int64 {
        try perform { connection in
            if let known = connection.firstSeenGenerations[scope.hash] { return known }
            let generation = try connection.live(scope).generation
            connection.firstSeenGenerations[scope.hash] = generation
            return generation
        }
    }

    /// Eight bytes of the SHA-256 of all that a row says, by which it is believed when it is found in a damaged index.
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
    /// The number of records and bytes of each live scope.
    func metadataSums() throws -> [Int64: Statistics.Sum] {
        let sums = try database.all(Index.selectMetadataSums) {
            ($0.int64(0), Statistics.Sum(entries: $0.int(1), bytes: $0.int(2)))
        }
        return Dictionary(uniqueKeysWithValues: sums)
    }

    /// Writes one row; false where what is there stays. To be called within a transaction.
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
    /// Reads `Index.metadataColumns`.
    init(_ row: Row) {
        self.init(
            name: row.string(0), body: row.bytes(1), fetchedAt: row.timestamp(2), expiresAt: row.optionalTimestamp(3))
    }
}
