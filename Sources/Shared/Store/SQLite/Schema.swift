import Support

/// The layout of the index as numbered steps, each applied once, in order. `PRAGMA user_version` is the number of steps
/// that a file has had.
struct Schema: Sendable {
    /// SQL of each step from an empty file. Released steps never change.
    let steps: [String]

    var version: Int { steps.count }

    static let current = Schema(steps: [
        firstLayout, scopeGenerations, serverDirectives, negatives, metadataAndQuotas, byteLocks, privacy, vary,
        copiesAndDirectives, durability,
    ])

    /// The `application_id` of the index: "APOD". Indexes of earlier versions have none.
    static let applicationID = 0x4150_4F44

    /// The owner of a database file.
    enum Origin: Equatable {
        /// It has our `application_id`.
        case ours
        /// It has no `application_id`, but the tables of an index.
        case unmarked
        /// It has no tables.
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

    /// Migrates the index to this version and marks it. The caller holds the set-up lock; after a crash the file has
    /// the last complete version. Throws `CacheFailure.newerLayout` if the file has a later version.
    func migrate(_ database: Database, root: String) throws {
        while true {
            let found = try Self.version(of: database)
            if found > version { throw CacheFailure.newerLayout(found: found, supported: version, root: root) }
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

    /// Creates the layout in an empty file that no other process knows. It does not sync, because a crash leaves
    /// nothing useful; the caller syncs the file before renaming it.
    func begin(_ database: Database) throws {
        try database.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        try database.transaction {
            for step in steps { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(version)")
            try Self.noteBoot(in: database)
            try Self.mark(database)
        }
        // Stored in the file. Readers are never blocked, and a commit needs no disk sync.
        try database.execute("PRAGMA journal_mode = WAL")
    }

    /// Records the present boot, so that a later boot is recognized, see `Index.mayLackRows`.
    static func noteBoot(in database: Database) throws {
        try database.run(
            "INSERT OR REPLACE INTO settings (name, value) VALUES ('boot', ?1)", Value(String(CacheRoot.machineBoot)))
    }

    static func version(of database: Database) throws -> Int {
        try database.first("PRAGMA user_version") { $0.int(0) } ?? 0
    }

    /// * `totals` has one row. Triggers maintain it and the sums in `scopes`, so no statement can forget to.
    /// * `entries.name` is 32 hexadecimal digits of the key's SHA-256: a lookup costs the same for any key, and the
    ///   file's name suffices to find or restore its row. `kind`: 0 original, 1 variant, 2 a file replaced by a file
    ///   with another name while it may be in use (its `name` is the file name).
    /// * `parent` is the `name` of a variant's original, which comes and goes independently.
    /// * `unsettled` marks a file that needs another inspection. Earlier versions also marked files that were being
    ///   replaced, so row and file may not match.
    /// * `doomed` lists files that have lost their rows and await removal, so that the next process removes the files
    ///   of a killed process. Triggers maintain it; a file that gets a row again leaves the list in the same
    ///   transaction.
    /// * Times are milliseconds since 1970.
    /// * `entries_by_use` covers all columns that trimming reads, so skipping leased entries is cheap.
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

    /// * `scopes` has a live row per scope, found by the hash in its folder, and a row per generation that is being
    ///   purged. No query returns entries of purged generations. Their files are removed with their folder, so they are
    ///   not doomed.
    /// * `folder` is `<hash>` for generation 0 and `<hash>/g<generation>` after that, see `ScopeName.folder`.
    /// * A scope without a live row is in the generation `first_generation` of `settings`, else in generation 0.
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

    /// `must_revalidate`: the server forbids the use of the entry after its expiry (RFC 9111 §5.2.2.2).
    private static let serverDirectives = EntryColumn.additions(in: 3)

    /// Cached failures. `name` belongs to the key; `address` is the SHA-256 of the requested address, because several
    /// addresses of a record may share a key. Rows are deleted with their scope's row, whose number may be reused.
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

    /// * `metadata` has no files, so it is lost with the index. After damage, rows are recovered if they can be read
    ///   and match their `digest` (`Index.digest`).
    /// * `metadata_by_end` covers the queries for expired rows and for sums.
    /// * `quotas` belongs to the root, because servers count all requests of a machine. `name` is a digest, `state` the
    ///   text of a `QuotaRefusal`. It has as many rows as servers that refuse requests.
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

    /// Changes no table. From this version, entries are locked by bytes of one file (`KeyLock`). An earlier version,
    /// which uses a file per lock, would repeat downloads that are in progress.
    private static let byteLocks = ""

    /// `private`: the entry is for this machine only, because it was requested with credentials or its server forbids
    /// shared caches (RFC 9111 §5.2.2.7). Unknown for entries of earlier versions.
    private static let privacy = EntryColumn.additions(in: 7)

    /// `vary`: the request fields that determined the server's choice, with a digest of their values (RFC 9111 §4.1).
    /// Entries of earlier versions have none and match every request.
    private static let vary = EntryColumn.additions(in: 8)

    /// * Earlier versions stored JPEG XL without checking its end, so it is inspected before its next use.
    /// * `copies` has a row for each file outside the root that was made from a picture. Rows outlive the picture's
    ///   entry and are found by `name`, the key's name. `modified` is the file's modification time in nanoseconds,
    ///   `details` a note of the caller.
    /// * `immutable`, `usable_until` and `stands_in_until` are `CacheDirectives`, like `must_revalidate`.
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
    ///   (`CacheRoot.boot`); null once the file is known to be durable. Earlier versions waited for all files.
    /// * `modified` is the modification time of a durable file in nanoseconds; null for files of earlier versions.
    /// * The names of new files contain a digest of their content (`CacheRoot.blobName`), so earlier versions would not
    ///   find them.
    /// * `copies.boot` is the same for a copy; null also for copies of earlier versions.
    private static let durability = """
        \(EntryColumn.additions(in: 10))
        ALTER TABLE copies ADD COLUMN boot INTEGER;
        """
}
