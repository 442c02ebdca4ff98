/// Files that still exist although their rows were deleted.
struct DoomedTable {
    typealias File = (folder: String, name: String)

    let database: Database

    /// Returns the files after `last`, sorted by folder and name.
    func files(after last: File? = nil, limit: Int) throws -> [File] {
        try database.all(
            "SELECT folder, file FROM doomed WHERE (folder, file) > (?1, ?2) ORDER BY folder, file LIMIT ?3",
            Value(last?.folder ?? ""), Value(last?.name ?? ""), Value(limit)
        ) { ($0.string(0), $0.string(1)) }
    }

    /// Throws `CacheFailure.indexDamaged` if there is no such row: `Index.sweep` would never end.
    func delete(_ file: File) throws {
        try database.delete("DELETE FROM doomed WHERE folder = ?1 AND file = ?2", Value(file.folder), Value(file.name))
    }
}
