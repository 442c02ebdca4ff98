import Support

/// The connection of an `Index` to its database, and data that the next transaction will write.
///
/// Not thread-safe. `Index` passes the connection to the closures of `perform` and `write`, which must not retain it.
package final class IndexConnection {
    let root: CacheRoot
    let database: Database
    /// The identity of the open file; nil if `database` is an empty database that replaces a missing root.
    let identity: File.Identity?
    var tallies = Tallies()
    /// The uses of entries that the next transaction will write, the earliest first.
    var uses: [Entry] = []
    /// The paths of files that a command removed or found damaged. `Index.sweep` removes them even if they are leased.
    var forcedRemovals: Set<String> = []
    var countedAt = SteadyTime.now()
    var hasWritten = false
    /// Increases when this connection commits (except quiet transactions, see `Index.write`), when another connection
    /// has committed, and when this connection is replaced.
    var version = 0
    private var seenVersion = 0
    /// The generation of each scope when its metadata was first requested, by the hash of the scope's name.
    var firstSeenGenerations: [String: Int64] = [:]

    /// The number of rows per transaction or page. A transaction of this size takes some milliseconds, during which
    /// other writers wait.
    static let batch = 256

    init(root: CacheRoot, database: Database, identity: File.Identity?) {
        self.root = root
        self.database = database
        self.identity = identity
    }

    var isReadOnly: Bool { identity == nil || database.isReadOnly }

    var hasCounts: Bool { !tallies.isEmpty || !uses.isEmpty }

    /// Returns the state for `Index.version`.
    func currentVersion() throws -> Int? {
        if try isReadOnly || root.indexIdentity() != identity { return nil }
        let found = try database.dataVersion()
        if found != seenVersion {
            version += 1
            seenVersion = found
        }
        return version
    }

    /// Looks up a key in a single read transaction.
    ///
    /// - Parameter address: the address whose cached failure to return.
    package func look(
        _ name: String, in scope: ScopeName, address: String?, now: Timestamp
    ) throws -> LookupResult {
        let version = try currentVersion()
        return try database.snapshot {
            LookupResult(
                entry: try entries.find(name, in: scope),
                negative: try address.flatMap { try negatives.find(name, in: scope, address: $0, now: now) },
                version: version)
        }
    }

    /// Returns the rows with these names from one snapshot, and the version of the index before the snapshot.
    func find(_ names: [String], in scope: ScopeName) throws -> (rows: [Entry?], version: Int?) {
        let version = try currentVersion()
        // A single statement is atomic.
        if names.count == 1 { return ([try entries.find(names[0], in: scope)], version) }
        return (try database.snapshot { try names.map { try entries.find($0, in: scope) } }, version)
    }

    /// Deletes the cached failures and recorded copies of a key.
    func deleteNegativesAndCopies(of name: String, in scopeID: Int64) throws {
        try negatives.delete(name, in: scopeID)
        try database.run("DELETE FROM copies WHERE scope = ?1 AND name = ?2", Value(scopeID), Value(name))
    }

    /// Whether files may lack rows: the index was lost, or the machine was restarted, which may have lost the last
    /// transactions. Remains true until `Recovery.rebuild` has finished.
    func mayLackRows() throws -> Bool {
        try database.setting(.lost) != nil || database.setting(.rebuilt) != nil || !isOfThisBoot()
    }

    /// Whether the index has been rebuilt, at least in part, since the machine was started.
    func isOfThisBoot() throws -> Bool { try database.setting(.boot) == String(CacheRoot.machineBoot) }

    package var scopes: ScopeTable { ScopeTable(connection: self) }
    package var entries: EntryTable { EntryTable(connection: self) }
    package var negatives: NegativeTable { NegativeTable(connection: self) }
    package var quotas: QuotaTable { QuotaTable(database: database) }
    var doomed: DoomedTable { DoomedTable(database: database) }
    var totals: TotalsTable { TotalsTable(database: database) }
    var counters: CounterTable { CounterTable(connection: self) }
    var metadata: MetadataTable { MetadataTable(database: database) }
    var copies: CopyTable { CopyTable(connection: self) }
}
