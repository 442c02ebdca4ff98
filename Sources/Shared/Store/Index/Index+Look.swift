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

    /// Writes down in one transaction that these entries are in use, and returns them as they are then; nil for each
    /// that has gone meanwhile.
    func touch(_ entries: [(entry: Entry, leaseUntil: Timestamp)], now: Timestamp) throws -> [Entry?] {
        try write(now: now, isQuiet: true) { connection in
            try entries.map { entry, leaseUntil in
                let count = try connection.database.run(
                    Self.touch, Value(entry.scope.hash), Value(entry.name), Value(entry.id), Value(now),
                    Value(leaseUntil))
                guard count == 1 else { return nil }
                var touched = entry
                touched.lastUsed = now
                touched.leaseUntil = leaseUntil
                return touched
            }
        }
    }
}
