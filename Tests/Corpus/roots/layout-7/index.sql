PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE totals (
    id INTEGER PRIMARY KEY CHECK (id = 1), entries INTEGER NOT NULL, bytes INTEGER NOT NULL);
INSERT INTO totals VALUES(1,7,4019);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE scopes (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, folder TEXT NOT NULL UNIQUE,
    generation INTEGER NOT NULL DEFAULT 0, entries INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0, purged INTEGER NOT NULL DEFAULT 0);
INSERT INTO scopes VALUES(1,'default','37a8eec1ce19687d132fe29051dca629',0,7,4019,0);
CREATE TABLE counters (
    scope INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, since INTEGER NOT NULL,
    PRIMARY KEY (scope, name)) WITHOUT ROWID;
INSERT INTO counters VALUES(1,'bytes_fetched',3928,1795751336395);
INSERT INTO counters VALUES(1,'bytes_served',964,1795751336483);
INSERT INTO counters VALUES(1,'bytes_written',4019,1795751336395);
INSERT INTO counters VALUES(1,'failure:not-an-image',1,1795751336395);
INSERT INTO counters VALUES(1,'hits',3,1795751336483);
INSERT INTO counters VALUES(1,'misses',6,1795751336395);
INSERT INTO counters VALUES(1,'misses_absent',6,1795751336395);
INSERT INTO counters VALUES(1,'variants_made',1,1795751336564);
CREATE TABLE entries (
    id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, name TEXT NOT NULL, key TEXT, kind INTEGER NOT NULL,
    parent TEXT, parent_sha256 TEXT, url TEXT, file TEXT NOT NULL, bytes INTEGER NOT NULL,
    content_type TEXT NOT NULL, sha256 TEXT NOT NULL, width INTEGER, height INTEGER, details TEXT, etag TEXT,
    last_modified TEXT, fetched_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, last_used INTEGER NOT NULL,
    lease_until INTEGER NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, unsettled INTEGER NOT NULL DEFAULT 0, must_revalidate INTEGER NOT NULL DEFAULT 0, private INTEGER NOT NULL DEFAULT 1);
INSERT INTO entries VALUES(1,1,'ac8a4cdc74f01289ba654e4b590a8efd','http://127.0.0.1:8123/moon.png',0,NULL,NULL,'http://127.0.0.1:8123/moon.png','ac8a4cdc74f01289ba654e4b590a8efd.png',718,'image/png','d194e02f3473bd910f3f31e0bd0ebcb0938f2cf81655e4d067c29e2091037bde',24,16,NULL,NULL,'Fri, 27 Nov 2026 03:45:40 GMT',1795751336130,1796960936130,1795751336130,1795751996130,1,0,0,0);
INSERT INTO entries VALUES(2,1,'4e3c51a5127dd34fd54639d6f4af4ca5','http://127.0.0.1:8123/sequence.avif',0,NULL,NULL,'http://127.0.0.1:8123/sequence.avif','4e3c51a5127dd34fd54639d6f4af4ca5.avif',316,'image/avif','07d1a917685a2353f412d29d05872f8fa3dde0c42dc5ab3e7c97151674073c1f',64,64,NULL,NULL,'Fri, 27 Nov 2026 03:48:54 GMT',1795751336138,1796960936138,1795751336138,1795751996138,0,0,0,0);
INSERT INTO entries VALUES(3,1,'b656ae332325e9d4c2b1d51d0b205876','http://127.0.0.1:8123/half.jxl',0,NULL,NULL,'http://127.0.0.1:8123/half.jxl','b656ae332325e9d4c2b1d51d0b205876.jxl',685,'image/jxl','4ccded8e25d4b4c6e935ff5b3f08b5db10a5ba35c5643b7ee1855ba4327ac187',96,64,NULL,NULL,'Fri, 27 Nov 2026 03:45:40 GMT',1795751336210,1796960936210,1795751336210,1795751996210,0,0,0,0);
INSERT INTO entries VALUES(4,1,'c61c1652332a3ce2fbe14e591d51c408','http://127.0.0.1:8123/transparency-before-palette.png',0,NULL,NULL,'http://127.0.0.1:8123/transparency-before-palette.png','c61c1652332a3ce2fbe14e591d51c408.png',123,'image/png','243890dbae19b749664b172eabd20998a1daff4ecb5605da76ff4535864778d1',24,16,NULL,NULL,'Fri, 27 Nov 2026 03:45:40 GMT',1795751336395,1796960936395,1795751336395,1795751996395,0,0,0,0);
INSERT INTO entries VALUES(5,1,'6e475f70ca87b834fcb08ccd7bb6c558','http://127.0.0.1:8123/whole.jxl',0,NULL,NULL,'http://127.0.0.1:8123/whole.jxl','6e475f70ca87b834fcb08ccd7bb6c558.jxl',1370,'image/jxl','2dea6da5c8bdd45af8b9c208e759c8a609094a7df2cd3e801d60aeeb44a5d383',96,64,NULL,NULL,'Fri, 27 Nov 2026 03:45:40 GMT',1795751336424,1796960936424,1795751336424,1795751996424,0,0,0,0);
INSERT INTO entries VALUES(6,1,'1b5b95e7cec89c4e221aad26cc8dd220','http://127.0.0.1:8123/dir%5Cmoon.png',0,NULL,NULL,'http://127.0.0.1:8123/dir%5Cmoon.png','1b5b95e7cec89c4e221aad26cc8dd220.png',716,'image/png','f595fc974fb6aa91d17739dca464e48a0b449fb01b3a636aeb2dc28392814af2',24,16,NULL,NULL,'Fri, 27 Nov 2026 03:45:40 GMT',1795751336463,1796960936463,1795751336463,1795751996463,0,0,0,0);
INSERT INTO entries VALUES(7,1,'181b7ea4275f8168b7d5b4abab30062f','http://127.0.0.1:8123/transparency-before-palette.png',1,'c61c1652332a3ce2fbe14e591d51c408','243890dbae19b749664b172eabd20998a1daff4ecb5605da76ff4535864778d1','http://127.0.0.1:8123/transparency-before-palette.png','181b7ea4275f8168b7d5b4abab30062f-v.png',91,'image/png','40cf70f1cf2d01c308a3a77978808abe9ddd46e7dfc43c5bd799a455d8ff8088',24,16,NULL,NULL,NULL,1795751336395,1796960936395,1795751336550,1795751996550,0,0,0,0);
CREATE TABLE doomed (folder TEXT NOT NULL, file TEXT NOT NULL, PRIMARY KEY (folder, file)) WITHOUT ROWID;
CREATE TABLE negatives (
    id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL,
    code TEXT NOT NULL, message TEXT NOT NULL, exit INTEGER NOT NULL, since INTEGER NOT NULL,
    until INTEGER NOT NULL);
INSERT INTO negatives VALUES(1,1,'dee1f64f6e3a8fc36b4fa5cb1bb4b2d0','dee1f64f6e3a8fc36b4fa5cb1bb4b2d0c1511598f7c2b571458e3074b23d5d6d','not-an-image','http://127.0.0.1:8123/page.png: the body is an HTML page, not a picture',65,1795751336047,1795751936047);
CREATE TABLE metadata (
    id INTEGER PRIMARY KEY, scope INTEGER NOT NULL, collection TEXT NOT NULL, name TEXT NOT NULL,
    fetched_at INTEGER NOT NULL, expires_at INTEGER, bytes INTEGER NOT NULL, digest INTEGER NOT NULL,
    body BLOB NOT NULL);
CREATE TABLE quotas (name TEXT PRIMARY KEY, state TEXT NOT NULL, changed_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE UNIQUE INDEX entries_by_name ON entries (scope, name);
CREATE INDEX entries_by_parent ON entries (scope, parent) WHERE parent IS NOT NULL;
CREATE INDEX entries_by_use ON entries (last_used, lease_until, bytes) WHERE pinned = 0;
CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
    UPDATE totals SET entries = entries + 1, bytes = bytes + new.bytes WHERE id = 1;
    UPDATE scopes SET entries = entries + 1, bytes = bytes + new.bytes WHERE id = new.scope;
    DELETE FROM doomed WHERE folder = (SELECT folder FROM scopes WHERE id = new.scope) AND file = new.file;
END;
CREATE TRIGGER entry_resized AFTER UPDATE OF bytes ON entries WHEN new.bytes <> old.bytes BEGIN
    UPDATE totals SET bytes = bytes - old.bytes + new.bytes WHERE id = 1;
    UPDATE scopes SET bytes = bytes - old.bytes + new.bytes WHERE id = new.scope;
END;
CREATE UNIQUE INDEX scopes_live ON scopes (substr(folder, 1, 32)) WHERE purged = 0;
CREATE INDEX scopes_purged ON scopes (purged) WHERE purged = 1;
CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
    UPDATE totals SET entries = entries - 1, bytes = bytes - old.bytes WHERE id = 1;
    UPDATE scopes SET entries = entries - 1, bytes = bytes - old.bytes WHERE id = old.scope;
    INSERT OR IGNORE INTO doomed SELECT folder, old.file FROM scopes WHERE id = old.scope AND purged = 0;
END;
CREATE UNIQUE INDEX negatives_by_name ON negatives (scope, name, address);
CREATE INDEX negatives_by_end ON negatives (until);
CREATE UNIQUE INDEX metadata_by_name ON metadata (scope, collection, name);
CREATE INDEX metadata_by_end ON metadata (scope, expires_at, bytes);
CREATE TRIGGER scope_forgets AFTER DELETE ON scopes BEGIN
    DELETE FROM negatives WHERE scope = old.id;
    DELETE FROM metadata WHERE scope = old.id;
END;
COMMIT;
PRAGMA application_id = 1095782212;
PRAGMA user_version = 7;
