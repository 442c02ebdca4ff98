import Support

/// What the index knows of a key at one moment: all that decides what a fetch does.
package struct Look {
    /// The row, whatever has become of its file.
    package var entry: Entry?
    /// The failure that is remembered of the address; nil if none holds.
    package var negative: NegativeAnswer?
    /// The generation of the scope; nil if that takes another look (`Index.generation`).
    package var generation: Int64?
    /// The version of the index, see `Index.version()`.
    package var version: Int?
}

extension Index {
    /// Returns what is known of a key, in one transaction that reads.
    ///
    /// - Parameter address: of which a failure may be remembered; nil if none is wanted.
    package func look(_ name: String, in scope: ActiveScope, address: String?, now: Timestamp) throws -> Look {
        try perform { connection in
            var look = Look(version: try connection.currentVersion())
            return try connection.database.snapshot {
                look.entry = try connection.find(name, in: scope.name)
                if let address {
                    look.negative = try connection.negative(name, in: scope.name, address: address, now: now)
                }
                // The index of another root costs more than a look.
                if scope.followedRoot == nil { look.generation = try? connection.generation(of: scope) }
                return look
            }
        }
    }

    /// Returns the rows of these names that are there, as they are at one moment, and the version of the index before.
    package func find(_ names: [String], in scope: ScopeName) throws -> (rows: [Entry?], version: Int?) {
        try perform { connection in
            let version = try connection.currentVersion()
            // One statement is a transaction of its own.
            if names.count == 1 { return ([try connection.find(names[0], in: scope)], version) }
            return (try connection.database.snapshot { try names.map { try connection.find($0, in: scope) } }, version)
        }
    }

    /// Notes that an entry is in use, which a later transaction writes. Forgets all uses if there are ten thousand and
    /// no transaction could be begun.
    func use(_ entry: Entry) {
        withConnection { connection in
            if connection.uses.count >= 10_000 { connection.uses = [] }
            connection.uses.append(Connection.Use(entry))
        }
    }
}

extension Index.Connection {
    /// When an entry was used.
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

    /// Writes the uses. To be called within a transaction.
    func writeUses(now: Timestamp) throws {
        for use in uses {
            try database.run(
                Index.touch, Value(use.scopeHash), Value(use.name), Value(use.id), Value(use.lastUsed),
                Value(use.leaseUntil), Value(now))
        }
    }
}

extension Index {
    /// A number that stands for what is in the index: as long as it stays the same, so do all rows, but for when this
    /// process last used them and for its counters. Nil if that cannot be told, as of a root that can only be read, or
    /// if the root has another index by now, or none. Costs about 3 µs.
    package func version() -> Int? { withConnection { try? $0.currentVersion() } }
}

extension Index.Connection {
    /// The number that stands for what is in the index, and what it was last told by.
    struct Version {
        /// Goes up with each commit of this connection that changes more than when entries were used, with each commit
        /// of another one, and with each other connection that takes the place of this one.
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
