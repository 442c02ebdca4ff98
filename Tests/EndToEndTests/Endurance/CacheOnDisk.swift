import CSQLite
import Libc
import Support
import TestSupport
import Testing

/// Reads and modifies a cache root without the tools.
struct CacheOnDisk {
    let root: String

    init(_ root: String) { self.root = root }
    init(_ home: ToolHome) { root = home.cacheRoot }

    var index: String { root + "/index.sqlite" }

    /// Runs an SQL statement on the index. Returns the first column of each row.
    @discardableResult
    func query(_ sql: String, location: SourceLocation = #_sourceLocation) throws -> [String] {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        try #require(
            sqlite3_open_v2(index, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, "\(index)",
            sourceLocation: location)
        sqlite3_busy_timeout(handle, 10_000)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        try #require(
            sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
            "\(sql): \(String(cString: sqlite3_errmsg(handle)))", sourceLocation: location)
        var rows: [String] = []
        while true {
            let status = sqlite3_step(statement)
            if status == SQLITE_DONE { return rows }
            try #require(status == SQLITE_ROW, "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
            rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        }
    }

    /// Runs SQL statements on the index.
    func execute(_ sql: String, location: SourceLocation = #_sourceLocation) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        #expect(sqlite3_open(index, &handle) == SQLITE_OK, sourceLocation: location)
        #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(sql)", sourceLocation: location)
    }

    func number(_ sql: String, location: SourceLocation = #_sourceLocation) throws -> Int {
        try #require(Int(try query(sql, location: location).first ?? ""), "\(sql)", sourceLocation: location)
    }

    /// The sum of a counter over all scopes.
    func count(_ counter: String) throws -> Int {
        try number("SELECT ifnull(sum(value), 0) FROM counters WHERE name = '\(counter)'")
    }

    /// Returns the size of each entry's file, by path below the root.
    func files() -> [String: Int] {
        var found: [String: Int] = [:]
        func walk(_ relative: String) {
            for name in TemporaryFolder.names(in: "\(root)/\(relative)") {
                var status = stat()
                let inner = "\(relative)/\(name)"
                guard lstat("\(root)/\(inner)", &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR { walk(inner) } else { found[inner] = Int(status.st_size) }
            }
        }
        walk("scopes")
        return found
    }

    /// Expects that the index and the files agree: each row has a file, each file has a row with its digest, the totals
    /// are correct, and no replaced or partial file is left. Runs `sha256sum` in `home`.
    func expectConsistent(_ home: ToolHome, location: SourceLocation = #_sourceLocation) throws {
        #expect(try query("PRAGMA integrity_check") == ["ok"], sourceLocation: location)
        let rows = try query(
            """
            SELECT 'scopes/' || folder || '/' || substr(file, 1, 2) || '/' || file || ' ' || entries.bytes
            FROM entries JOIN scopes ON scopes.id = entries.scope
            """)
        let files = files()
        #expect(rows.sorted() == files.map { "\($0) \($1)" }.sorted(), sourceLocation: location)
        #expect(
            try number("SELECT bytes FROM totals") == files.values.reduce(0, +), sourceLocation: location)
        #expect(try number("SELECT entries FROM totals") == files.count, sourceLocation: location)
        #expect(try query("SELECT file FROM doomed").isEmpty, sourceLocation: location)
        #expect(TemporaryFolder.names(in: root + "/partial") == [], sourceLocation: location)
        let sums = try query(
            """
            SELECT sha256 || '  scopes/' || folder || '/' || substr(file, 1, 2) || '/' || file
            FROM entries JOIN scopes ON scopes.id = entries.scope
            """)
        if sums.isEmpty { return }
        let check = try home.shell("cd '\(root)' && sha256sum --check --quiet", stdin: .lines(sums))
        #expect(check.status == 0, "\(check)", sourceLocation: location)
    }

    /// The number of stored days.
    func metadataCount() throws -> Int { try number("SELECT count(*) FROM metadata") }

    /// Expects that every stored day is complete.
    func expectWholeMetadata(location: SourceLocation = #_sourceLocation) throws {
        #expect(try query("PRAGMA integrity_check") == ["ok"], sourceLocation: location)
        let torn = try query("SELECT name FROM metadata WHERE length(body) <> bytes OR NOT json_valid(body)")
        #expect(torn == [], sourceLocation: location)
    }

    /// Removes the whole root.
    func remove() { Self.remove(root) }

    private static func remove(_ path: String) {
        // Another process may add files at the same time, so the folder is emptied until it can be removed.
        for _ in 0..<100 {
            for name in TemporaryFolder.names(in: path) where unlink("\(path)/\(name)") != 0 {
                remove("\(path)/\(name)")
            }
            if rmdir(path) == 0 || errno == ENOENT { return }
        }
    }
}

/// Polls until `condition` holds. Returns false after `limit`.
func eventually(within limit: Duration = .seconds(20), _ condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        if ContinuousClock.now > end { return false }
        usleep(500)
    }
    return true
}

extension RunningTool {
    /// Whether the process has an open file whose path contains `text`; nil if the system does not provide this (Linux:
    /// `/proc`).
    func hasOpen(_ text: String) -> Bool? {
        let folder = "/proc/\(processID)/fd"
        let names = TemporaryFolder.names(in: folder)
        if names.isEmpty { return nil }
        return names.contains { name in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = buffer.withUnsafeMutableBytes {
                readlink("\(folder)/\(name)", $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
            }
            return count > 0 && String(decoding: buffer[..<count], as: UTF8.self).contains(text)
        }
    }
}
