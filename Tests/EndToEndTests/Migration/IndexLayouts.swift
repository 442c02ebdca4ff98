/// The SQL that migrated the index from each layout to the next, as of the version that introduced the layout.
///
/// The steps describe roots on users' disks, not the current code: a new layout adds a step, and existing steps never
/// change.
enum IndexLayouts {
    /// The steps from an empty file to the first layout, from the first to the second, and so on.
    static let steps = [
        first, scopeGenerations, revalidation, failures, metadataAndQuotas, byteLocks, privacy, vary,
        copiesAndDirectives,
    ]

    /// This layout changed the locks, but not the tables.
    private static let byteLocks = ""

    private static let privacy = "ALTER TABLE entries ADD COLUMN private INTEGER NOT NULL DEFAULT 1"

    private static let vary = "ALTER TABLE entries ADD COLUMN vary TEXT"

    private static let first = """
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

    private static let revalidation = "ALTER TABLE entries ADD COLUMN must_revalidate INTEGER NOT NULL DEFAULT 0"

    private static let failures = """
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
