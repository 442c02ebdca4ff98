import Support

/// The layout of the index: numbered steps, each applied once, in order. `PRAGMA user_version` is the count of those
/// that a file has seen.
struct Schema: Sendable {
    /// SQL of each step, from an empty file on. Steps are never changed, only added.
    let steps: [String]

    var version: Int { steps.count }

    static let current = Schema(steps: [
        firstLayout, scopeGenerations, serverWishes, negatives, metadataAndQuotas, byteLocks, privacy, vary,
        copiesAndDirectives,
    ])

    /// The `application_id` of our indexes: "APOD". Those of earlier versions have none.
    static let applicationID = 0x4150_4F44

    /// Whether a file is an index of ours.
    enum Origin: Equatable {
        /// It says so.
        case ours
        /// Nothing in it says whose it is, but its tables are those of an index.
        case unmarked
        /// There is nothing in it.
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

    /// Brings the index to this version, and marks it as ours. To be called by one process at a time (the set-up lock);
    /// a crash on the way leaves the version before. Throws `CacheFailure.newerLayout` where the file is ahead.
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

    /// Makes an empty file a whole index of this version. Nobody else may know the file yet, and a crash leaves nothing
    /// of use: nothing is waited for, and the caller waits for all of it when it puts the file in place.
    func begin(_ database: Database) throws {
        try database.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
        try database.transaction {
            for step in steps { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(version)")
            try Self.mark(database)
        }
        // Survives in the file. Readers are never blocked, and a commit waits for no disk.
        try database.execute("PRAGMA journal_mode = WAL")
    }

    static func version(of database: Database) throws -> Int {
        try database.first("PRAGMA user_version") { $0.int(0) } ?? 0
    }

    /// * `totals` has one row; the triggers keep it and the sums in `scopes` right, so that no statement can forget to.
    /// * `entries.name` is 32 hexadecimal digits of the key's SHA-256: the look-up costs the same for any key, and the
    ///   file's name alone is enough to find or restore its row. `kind`: 0 original, 1 variant, 2 a file that was
    ///   replaced by one of another name while someone may still use it (its `name` is then that of the file).
    /// * `parent` is the `name` of a variant's original, which comes and goes independently.
    /// * `unsettled` says that the file is being replaced, so that row and file may not belong together, or that the file
    ///   needs another inspection.
    /// * `doomed` lists files that have lost their row and are still to be removed: a process that is killed in between
    ///   leaves that to the next one. The triggers see to it; a file that gets a row again is off the list in the same
    ///   transaction.
    /// * Times are milliseconds since 1970.
    /// * `entries_by_use` holds everything that trimming looks at, so that leased entries are passed over cheaply.
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
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, name TEXT NOT NULL, key TEXT, kind INTEGER NOT NULL,
            parent TEXT, parent_sha256 TEXT, url TEXT, file TEXT NOT NULL, bytes INTEGER NOT NULL,
            content_type TEXT NOT NULL, sha256 TEXT NOT NULL, width INTEGER, height INTEGER, details TEXT, etag TEXT,
            last_modified TEXT, fetched_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, last_used INTEGER NOT NULL,
            lease_until INTEGER NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, unsettled INTEGER NOT NULL DEFAULT 0);
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

    /// * `scopes` has one live row a scope, found by the hash in its folder, and one for each generation that is being
    ///   purged: nothing looks for entries of those, and their files go with their folder rather than one by one, so
    ///   that none of them is doomed.
    /// * `folder` is `<hash>` for generation 0 and `<hash>/g<generation>` after that, see `ScopeName.folder`.
    /// * A scope without a live row is in the generation that `settings` has as `first_generation`, else in 0.
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

    /// `must_revalidate` says that the server forbids to use the entry once it has expired (RFC 9111 §5.2.2.2).
    private static let serverWishes = "ALTER TABLE entries ADD COLUMN must_revalidate INTEGER NOT NULL DEFAULT 0"

    /// Failures that are remembered until a time. `name` is that of the key, `address` the SHA-256 of the address that
    /// was asked, which several of a record's may have one key for. They go with their scope's row, whose number may
    /// become another scope's.
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

    /// * `metadata` has no files: an index that is lost takes it along. Of one that was damaged, those rows are taken
    ///   over that can be read and whose `digest` is still theirs (`Index.digest`).
    /// * `metadata_by_end` holds all that is asked of expired rows and of sums.
    /// * `quotas` belongs to the root rather than to a scope: servers count all requests of a machine. `name` is a
    ///   digest, `state` the text of a `QuotaRefusal`. There are as many rows as servers that refuse requests.
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

    /// No table changes. Entries are locked by bytes of one file from here on (`KeyLock`): an earlier version, which
    /// has a file for each lock, would fetch what is being fetched.
    private static let byteLocks = ""

    /// `private` says that the entry is for this machine alone: it was asked for with credentials, or its server wants
    /// no shared cache to keep it (RFC 9111 §5.2.2.7). Of what earlier versions stored nobody knows.
    private static let privacy = "ALTER TABLE entries ADD COLUMN private INTEGER NOT NULL DEFAULT 1"

    /// `vary` names the request fields that the server chose the entry by, with a digest of their values (RFC 9111
    /// §4.1). Entries of earlier versions have none, and are served to every request.
    private static let vary = "ALTER TABLE entries ADD COLUMN vary TEXT"

    /// * Earlier versions kept JPEG XLs without a look at their end: they are inspected at their next use.
    /// * `copies` has a row for each file outside of the root that was made of a picture. Rows outlive the picture's
    ///   entry, and are found by `name`, the key's name. `modified` is the file's time of change in nanoseconds,
    ///   `details` a note of the caller.
    /// * `immutable`, `usable_until` and `stands_in_until` are `CacheDirectives`, beside `must_revalidate`.
    private static let copiesAndDirectives = """
        ALTER TABLE entries ADD COLUMN immutable INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE entries ADD COLUMN usable_until INTEGER;
        ALTER TABLE entries ADD COLUMN stands_in_until INTEGER;
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
}
