import CSQLite

/// Name and version of the library that keeps the index.
public var indexLibraryVersion: String { "SQLite \(String(cString: sqlite3_libversion()))" }
