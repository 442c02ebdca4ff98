import Support

extension Index {
    /// Looks up a key in a single read transaction.
    ///
    /// - Parameter address: the address whose cached failure to return.
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

    /// Returns the rows with these names from one snapshot, and the version of the index before the snapshot.
    package func find(_ names: [String], in scope: ScopeName) throws -> (rows: [Entry?], version: Int?) {
        try perform { connection in
            let version = try connection.currentVersion()
            // A single statement is atomic.
            if names.count == 1 { return ([try connection.find(names[0], in: scope)], version) }
            return (try connection.database.snapshot { try names.map { try connection.find($0, in: scope) } }, version)
        }
    }

    /// Records a use of an entry, which the next transaction writes. At 10,000 pending uses, drops them: no transaction
    /// has succeeded for a long time.
    func use(_ entry: Entry) {
        withConnection { connection in
            if connection.uses.count >= 10_000 { connection.uses = [] }
            connection.uses.append(entry)
        }
    }

    /// A number that changes whenever another process writes to the index, or this process changes entries. Nil if
    /// unknown, as for a read-only root or a replaced index. Costs about 3 µs.
    package func version() -> Int? { withConnection { try? $0.currentVersion() } }
}

extension Index.Connection {
    var hasCounts: Bool { !tallies.isEmpty || !uses.isEmpty }

    func writeUses(now: Timestamp) throws {
        for use in uses {
            try database.run(
                Index.touch, Value(use.scope.hash), Value(use.name), Value(use.id), Value(use.lastUsed),
                Value(use.leaseUntil), Value(now))
        }
    }

    /// The state for `Index.version()`.
    struct Version {
        /// Increases when this connection commits (except quiet transactions, see `write`), when another connection has
        /// committed, and when this connection is replaced.
        var number = 0
        fileprivate var seen = 0
    }

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
