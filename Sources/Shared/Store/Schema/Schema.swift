import Support

/// The layout of the index as numbered steps, each applied once, in order. `PRAGMA user_version` is the number of steps
/// that were applied to a file.
struct Schema: Sendable {
    /// The SQL of each step. The first step applies to an empty file. Released steps never change.
    let steps: [String]

    var version: Int { steps.count }

    static let current = Schema(steps: [
        firstLayout, scopeGenerations, serverDirectives, negatives, metadataAndQuotas, byteLocks, privacy, vary,
        copiesAndDirectives, durability,
    ])

    /// The `application_id` of the index: "APOD". Earlier versions did not set an ID.
    static let applicationID = 0x4150_4F44

    /// The program that created a database file.
    enum Origin: Equatable {
        /// This program: the file has our `application_id`.
        case ours
        /// An earlier version: the file has no `application_id`, but the tables of an index.
        case unmarked
        /// Unknown: the file has no tables.
        case empty
        case foreign
    }

    static func origin(of database: Database) throws -> Origin {
        let id = try database.first("PRAGMA application_id") { $0.int(0) } ?? 0
        if id == applicationID { return .ours }
        if id != 0 { return .foreign }
        let (tables, known) =
            try database.first(
                """
                SELECT count(*), coalesce(sum(name IN ('totals', 'settings', 'scopes', 'counters', 'entries', 'doomed')), 0)
                FROM sqlite_schema WHERE type = 'table'
                """
            ) { ($0.int(0), $0.int(1)) } ?? (0, 0)
        return tables == 0 ? .empty : known == 6 ? .unmarked : .foreign
    }

    /// Applies the missing steps and sets `application_id`. The caller holds the set-up lock. Each step is a
    /// transaction, so after a crash the file has the layout of the last complete step. Throws
    /// `CacheFailure.newerLayout` if the file has a later version.
    func migrate(_ database: Database, root: String) throws {
        while true {
            let found = try supportedVersion(of: database, root: root)
            if found == version {
                if try Self.origin(of: database) == .unmarked { try Self.mark(database) }
                return
            }
            try database.transaction {
                try database.execute(steps[found])
                try database.execute("PRAGMA user_version = \(found + 1)")
            }
        }
    }

    private static func mark(_ database: Database) throws {
        try database.execute("PRAGMA application_id = \(applicationID)")
    }

    /// Creates the layout in an empty file that no other process uses yet. Does not sync, because the file is discarded
    /// after a crash; the caller syncs it before renaming it.
    ///
    /// - Parameter isLost: whether the root may have files whose rows an earlier index had.
    func begin(_ database: Database, isLost: Bool = false) throws {
        try database.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        try database.transaction {
            for step in steps { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(version)")
            try database.set(.boot, to: String(CacheRoot.machineBoot))
            if isLost { try database.set(.lost, to: "") }
            try Self.mark(database)
        }
        // The mode is stored in the file. With WAL, writers do not block readers, and a commit needs no disk sync.
        try database.execute("PRAGMA journal_mode = WAL")
    }

    static func version(of database: Database) throws -> Int {
        try database.first("PRAGMA user_version") { $0.int(0) } ?? 0
    }

    /// Returns the version of a file. Throws `CacheFailure.newerLayout` if a later version of the tools has migrated
    /// it.
    func supportedVersion(of database: Database, root: String) throws -> Int {
        let found = try Self.version(of: database)
        if found > version { throw CacheFailure.newerLayout(found: found, supported: version, root: root) }
        return found
    }

    /// * `totals` has a single row. Triggers maintain this row and the sums in `scopes`, so that every statement
    ///   updates them.
    /// * `entries.name` is 32 hexadecimal digits of the key's SHA-256. A lookup therefore costs the same for any key,
    ///   and the name of a file suffices to find or recover its row.
    /// * `kind` is 0 for an original, 1 for a variant, and 2 for a superseded entry: a replaced file that may still be
    ///   in use, whose `name` is the file name.
    /// * `parent` is the `name` of a variant's original, which may be removed before the variant.
    /// * `unsettled` marks a file that needs another inspection. Earlier versions also marked files that were being
    ///   replaced, so the file may not match its row.
    /// * `doomed` lists files whose rows were deleted but which still exist. If a process is killed before it removes
    ///   them, the next process removes them. Triggers maintain the list; inserting a row for a listed file deletes the
    ///   file from the list in the same transaction.
    /// * Times are milliseconds since 1970.
    /// * `entries_by_use` contains all columns that trimming compares, so skipping leased entries is cheap.
    private static let firstLayout = """
        CREATE TABLE totals (
            id INTEGER PRIMARY KEY CHECK (id = 1), entries INTEGER NOT NULL, bytes INTEGER NOT NULL);
        INSERT INTO totals VALUES (1, 0, 0);
        CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE scopes (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, folder TEXT NOT NULL UNIQUE,
            generation INTEGER NOT NULL DEFAULT 0, entries INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE counters (
            scope INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, since INTEGER NOT NULL,
            PRIMARY KEY (scope, name)) WITHOUT ROWID;
        CREATE TABLE entries (id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, \(EntryColumn.firstLayout));
        CREATE TABLE doomed (folder TEXT NOT NULL, file TEXT NOT NULL, PRIMARY KEY (folder, file)) WITHOUT ROWID;
        CREATE UNIQUE INDEX entries_by_name ON entries (scope, name);
        CREATE INDEX entries_by_parent ON entries (scope, parent) WHERE parent IS NOT NULL;
        CREATE INDEX entries_by_use ON entries (last_used, lease_until, bytes) WHERE pinned = 0;
        CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
            UPDATE totals SET entries = entries + 1, bytes = bytes + new.bytes WHERE id = 1;
            UPDATE scopes SET entries = entries + 1, bytes = bytes + new.bytes WHERE id = new.scope;
            DELETE FROM doomed WHERE folder = (SELECT folder FROM scopes WHERE id = new.scope) AND file = new.file;
        END;
        CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
            UPDATE totals SET entries = entries - 1, bytes = bytes - old.bytes WHERE id = 1;
            UPDATE scopes SET entries = entries - 1, bytes = bytes - old.bytes WHERE id = old.scope;
            INSERT OR IGNORE INTO doomed SELECT folder, old.file FROM scopes WHERE id = old.scope;
        END;
        CREATE TRIGGER entry_resized AFTER UPDATE OF bytes ON entries WHEN new.bytes <> old.bytes BEGIN
            UPDATE totals SET bytes = bytes - old.bytes + new.bytes WHERE id = 1;
            UPDATE scopes SET bytes = bytes - old.bytes + new.bytes WHERE id = new.scope;
        END;
        """

    /// * `scopes` has one live row for each scope, found by the hash in its folder, and a row for each generation that
    ///   is being purged. No query returns entries of purged generations. The files of these entries are removed with
    ///   the generation's folder, so the trigger does not add them to `doomed`.
    /// * `folder` is `<hash>` for generation 0 and `<hash>/g<generation>` after that, see `ScopeName.folder`.
    /// * A scope without a live row is in the generation `first_generation` of `settings`, or in generation 0 if there
    ///   is no such setting.
    private static let scopeGenerations = """
        ALTER TABLE scopes ADD COLUMN purged INTEGER NOT NULL DEFAULT 0;
        CREATE UNIQUE INDEX scopes_live ON scopes (substr(folder, 1, 32)) WHERE purged = 0;
        CREATE INDEX scopes_purged ON scopes (purged) WHERE purged = 1;
        DROP TRIGGER entry_removed;
        CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
            UPDATE totals SET entries = entries - 1, bytes = bytes - old.bytes WHERE id = 1;
            UPDATE scopes SET entries = entries - 1, bytes = bytes - old.bytes WHERE id = old.scope;
            INSERT OR IGNORE INTO doomed SELECT folder, old.file FROM scopes WHERE id = old.scope AND purged = 0;
        END;
        """

    /// `must_revalidate`: the server forbids the use of the expired entry without revalidation (RFC 9111 §5.2.2.2).
    private static let serverDirectives = EntryColumn.additions(in: 3)

    /// Cached failures. `name` is the name of the key; `address` is the SHA-256 of the requested address, because
    /// several addresses of a record may share a key. Rows are deleted with their scope's row, because SQLite may reuse
    /// its `id`.
    private static let negatives = """
        CREATE TABLE negatives (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL,
            code TEXT NOT NULL, message TEXT NOT NULL, exit INTEGER NOT NULL, since INTEGER NOT NULL,
            until INTEGER NOT NULL);
        CREATE UNIQUE INDEX negatives_by_name ON negatives (scope, name, address);
        CREATE INDEX negatives_by_end ON negatives (until);
        CREATE TRIGGER scope_forgets AFTER DELETE ON scopes BEGIN
            DELETE FROM negatives WHERE scope = old.id;
        END;
        """

    /// * Rows of `metadata` have no files, so they are lost with the index. From a damaged index, rows are recovered if
    ///   they can be read and match their `digest` (`MetadataTable.digest`).
    /// * `metadata_by_end` covers the queries for expired rows and for sums.
    /// * `quotas` belongs to the root rather than a scope, because servers count all requests of a machine. There is a
    ///   row for each server that refuses requests. `name` is a digest, `state` the text of a `QuotaRefusal`.
    private static let metadataAndQuotas = """
        CREATE TABLE metadata (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, collection TEXT NOT NULL, name TEXT NOT NULL,
            fetched_at INTEGER NOT NULL, expires_at INTEGER, bytes INTEGER NOT NULL, digest INTEGER NOT NULL,
            body BLOB NOT NULL);
        CREATE UNIQUE INDEX metadata_by_name ON metadata (scope, collection, name);
        CREATE INDEX metadata_by_end ON metadata (scope, expires_at, bytes);
        CREATE TABLE quotas (name TEXT PRIMARY KEY, state TEXT NOT NULL, changed_at INTEGER NOT NULL) WITHOUT ROWID;
        DROP TRIGGER scope_forgets;
        CREATE TRIGGER scope_forgets AFTER DELETE ON scopes BEGIN
            DELETE FROM negatives WHERE scope = old.id;
            DELETE FROM metadata WHERE scope = old.id;
        END;
        """

    /// Changes no table. Since this version, all locks are bytes of the same file (`KeyLock`). Earlier versions, which
    /// use a file per lock, would not see these locks and would repeat downloads in progress. The new number keeps them
    /// from opening the index.
    private static let byteLocks = ""

    /// `private`: the entry must not be shared with other machines, because it was requested with credentials or its
    /// server forbids shared caches (RFC 9111 §5.2.2.7). Entries of earlier versions are treated as private.
    private static let privacy = EntryColumn.additions(in: 7)

    /// `vary`: the request fields that determined the server's choice, with a digest of their values (RFC 9111 §4.1).
    /// Null for entries of earlier versions, which match every request.
    private static let vary = EntryColumn.additions(in: 8)

    /// * Earlier versions stored JPEG XL files without checking their ends, so these files are inspected before their
    ///   next use.
    /// * `copies` has a row for each file outside the root that was made from a picture. Rows outlive the picture's
    ///   entry. `name` is the name of the key, `modified` the file's modification time in nanoseconds, and `details`
    ///   text chosen by the caller.
    /// * `immutable`, `usable_until` and `stands_in_until` store `CacheDirectives`, like `must_revalidate`.
    private static let copiesAndDirectives = """
        \(EntryColumn.additions(in: 9))
        UPDATE entries SET unsettled = 1 WHERE kind = 0 AND content_type = 'image/jxl';
        CREATE TABLE copies (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, name TEXT NOT NULL, path BLOB NOT NULL,
            bytes INTEGER NOT NULL, modified INTEGER NOT NULL, sha256 TEXT NOT NULL, details TEXT NOT NULL);
        CREATE UNIQUE INDEX copies_by_name ON copies (scope, name, path);
        DROP TRIGGER scope_forgets;
        CREATE TRIGGER scope_forgets AFTER DELETE ON scopes BEGIN
            DELETE FROM negatives WHERE scope = old.id;
            DELETE FROM metadata WHERE scope = old.id;
            DELETE FROM copies WHERE scope = old.id;
        END;
        """
    /// * `boot` is the boot of the machine in which the file was written without waiting for the disk
    ///   (`CacheRoot.boot`); null once the file is known to be durable. Earlier versions synced all files.
    /// * `modified` is the modification time of a durable file in nanoseconds; null for files of earlier versions.
    /// * The names of new files contain a digest of their content (`CacheRoot.blobName`), so earlier versions would not
    ///   find them.
    /// * `copies.boot` has the same meaning for a copy; it is also null for copies of earlier versions.
    private static let durability = """
        \(EntryColumn.additions(in: 10))
        ALTER TABLE copies ADD COLUMN boot INTEGER;
        """
}
