import Support

/// The state of a key at one moment, from which a fetch decides its next step.
package struct LookupResult {
    /// The entry; before `CacheStore.look` has checked it, its file may be missing.
    package var entry: Entry?
    /// Whether there was a row whose file is missing or has other bytes.
    package var wasLost = false
    /// A cached failure of the address that still holds.
    package var negative: NegativeAnswer?
    /// The generation of the scope; nil if only `Index.generation` can tell.
    package var generation: Int64?
    package var version: Int?
}

extension Index {
    /// Looks up a key within a read transaction.
    ///
    /// - Parameter address: the address whose cached failure is wanted.
    package func look(_ name: String, in scope: ActiveScope, address: String?, now: Timestamp) throws -> LookupResult {
        try perform { connection in
            var look = LookupResult(version: try connection.currentVersion())
            return try connection.database.snapshot {
                look.entry = try connection.find(name, in: scope.name)
                if let address {
                    look.negative = try connection.negative(name, in: scope.name, address: address, now: now)
                }
                // Reading the index of another root would cost more than the lookup.
                if scope.followedRoot == nil { look.generation = try? connection.generation(of: scope) }
                return look
            }
        }
    }

    /// Returns the rows with these names within a snapshot, and the version of the index before it.
    package func find(_ names: [String], in scope: ScopeName) throws -> (rows: [Entry?], version: Int?) {
        try perform { connection in
            let version = try connection.currentVersion()
            // A single statement is atomic.
            if names.count == 1 { return ([try connection.find(names[0], in: scope)], version) }
            return (try connection.database.snapshot { try names.map { try connection.find($0, in: scope) } }, version)
        }
    }

    /// Records a use of an entry for a later transaction to write. Drops all pending uses at ten thousand, if no
    /// transaction could be begun.
    func use(_ entry: Entry) {
        withConnection { connection in
            if connection.uses.count >= 10_000 { connection.uses = [] }
            connection.uses.append(Connection.Use(entry))
        }
    }
}

extension Index.Connection {
    /// A use of an entry.
    struct Use {
        let id: Int64
        let scopeHash: String
        let name: String
        let lastUsed: Timestamp
        let leaseUntil: Timestamp

        init(_ entry: Entry) {
            (id, scopeHash, name) = (entry.id, entry.scope.hash, entry.name)
            (lastUsed, leaseUntil) = (entry.lastUsed, entry.leaseUntil)
        }
    }

    var hasCounts: Bool { !tallies.isEmpty || !uses.isEmpty }

    /// Writes the pending uses, within a transaction.
    func writeUses(now: Timestamp) throws {
        for use in uses {
            try database.run(
                Index.touch, Value(use.scopeHash), Value(use.name), Value(use.id), Value(use.lastUsed),
                Value(use.leaseUntil), Value(now))
        }
    }
}

extension Index {
    /// A number that changes with the contents of the index, except for this process's counters and recorded uses. Nil
    /// if unknown, as for a read-only root or a replaced index. Costs about 3 µs.
    package func version() -> Int? { withConnection { try? $0.currentVersion() } }
}

extension Index.Connection {
    /// The state behind `Index.version()`.
    struct Version {
        /// Changes with each commit of this connection that changes more than recorded uses, with each commit of
        /// another connection, and when this connection is replaced.
        var number = 0
        fileprivate var seen = 0
    }

    /// See `Index.version`.
    mutating func currentVersion() throws -> Int? {
        if try isReadOnly || root.indexIdentity() != identity { return nil }
        let found = try database.dataVersion()
        if found != version.seen {
            version.number += 1
            version.seen = found
        }
        return version.number
    }
}
