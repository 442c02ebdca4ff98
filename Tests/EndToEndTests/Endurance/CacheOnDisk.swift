import CSQLite
import Libc
import Support
import TestSupport
import Testing

/// A cache root on the disk, read and changed behind the tools' back.
struct CacheOnDisk {
    let root: String

    init(_ root: String) { self.root = root }
    init(_ home: ToolHome) { root = home.cacheRoot }

    var index: String { root + "/index.sqlite" }

    /// Runs SQL on the index, and gives the first column of each row.
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

    /// Runs any number of statements on the index.
    func execute(_ sql: String, location: SourceLocation = #_sourceLocation) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        #expect(sqlite3_open(index, &handle) == SQLITE_OK, sourceLocation: location)
        #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(sql)", sourceLocation: location)
    }

    func number(_ sql: String, location: SourceLocation = #_sourceLocation) throws -> Int {
        try #require(Int(try query(sql, location: location).first ?? ""), "\(sql)", sourceLocation: location)
    }

    /// A counter's value, over all scopes.
    func count(_ counter: String) throws -> Int {
        try number("SELECT ifnull(sum(value), 0) FROM counters WHERE name = '\(counter)'")
    }

    /// The files of entries, by their paths below the root, with their sizes.
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

    /// Expects that index and files agree: no row without its file, no file without its row, right sums, nothing left
    /// over, and each file with the content that its row says. Needs a home to run a program in.
    func expectSound(_ home: ToolHome, location: SourceLocation = #_sourceLocation) throws {
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

    /// How many days are kept.
    func metadataCount() throws -> Int { try number("SELECT count(*) FROM metadata") }

    /// Expects that every day that is kept is whole.
    func expectWholeMetadata(location: SourceLocation = #_sourceLocation) throws {
        #expect(try query("PRAGMA integrity_check") == ["ok"], sourceLocation: location)
        let torn = try query("SELECT name FROM metadata WHERE length(body) <> bytes OR NOT json_valid(body)")
        #expect(torn == [], sourceLocation: location)
    }

    /// Removes the whole root, as `rm -r` does.
    func remove() { Self.remove(root) }

    private static func remove(_ path: String) {
        // Another process may add files at the same time: the folder is emptied until it can be removed.
        for _ in 0..<100 {
            for name in TemporaryFolder.names(in: path) where unlink("\(path)/\(name)") != 0 {
                remove("\(path)/\(name)")
            }
            if rmdir(path) == 0 || errno == ENOENT { return }
        }
    }
}

/// Looks again and again until `condition` holds; false where that takes too long.
func eventually(within limit: Duration = .seconds(20), _ condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + limit
    while !condition() {
        if ContinuousClock.now > end { return false }
        usleep(500)
    }
    return true
}

extension RunningTool {
    /// Whether it has a file open whose path contains `text`; nil if the system does not say (`/proc`, Linux).
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
