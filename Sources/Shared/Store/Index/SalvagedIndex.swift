import Support

/// What can still be read of an index that was set aside since it was damaged. Nothing of it is believed that cannot be
/// checked: a row counts where its SHA-256 is that of the file, and its key that of the file's name.
struct SalvagedIndex {
    let database: Database

    /// Nil if none was set aside, or nothing can be read.
    init?(root: CacheRoot) {
        guard let name = root.damagedIndexes.first(where: { $0.hasSuffix(".damaged") }),
            (try? root.checkIndex(name)) != nil,
            let database = try? Database(path: root.path(of: name), root: root.path)
        else { return nil }
        self.database = database
    }

    /// The name of the scope that has a folder; nil if it cannot be read, or is not that of the folder.
    func scopeName(_ folder: String) -> ScopeName? {
        let name = try? database.first(Index.selectScope, Value(folder)) { try ScopeName($0.string(1)) }
        return name.flatMap { folder.hasPrefix($0.hash) ? $0 : nil }
    }

    /// The file's row as it was; nil if it cannot be read, or is not that of this content.
    func entry(_ new: NewEntry, folder: String, scope: ScopeName, index: Index) -> NewEntry? {
        let row = try? database.first(Index.selectInFolder, Value(folder), Value(new.name)) {
            index.entry($0, scope: scope)
        }
        guard let row, row.file == new.file, row.sha256 == new.sha256, row.bytes == new.bytes, row.kind == new.kind
        else { return nil }
        var entry = new
        if let text = row.key, let key = try? CacheKey(printed: text), key.name == new.name { entry.key = text }
        func sound(_ text: String?) -> String? { text.flatMap { $0.hasControlCharacters ? nil : $0 } }
        // These two belong together: the validators are those of that address.
        entry.url = sound(row.url)
        if entry.url != nil {
            entry.validators.etag = sound(row.validators.etag)
            entry.validators.lastModified = sound(row.validators.lastModified)
        }
        if row.fetchedAt <= row.expiresAt { (entry.fetchedAt, entry.expiresAt) = (row.fetchedAt, row.expiresAt) }
        (entry.isPinned, entry.mustRevalidate) = (row.isPinned, row.mustRevalidate)
        return entry
    }
}
