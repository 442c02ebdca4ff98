import Support

/// The readable parts of a damaged index. Only rows that can be verified are used: the SHA-256 must match the file's
/// content, and the key must match the file's name.
struct SalvagedIndex {
    let database: Database

    /// Returns nil if there is no damaged index, or if the damage prevents opening it. Throws `SystemFailure` or
    /// `CacheFailure` if a system call fails, because data that was not read, such as a pin, must not be treated as
    /// lost.
    init?(root: CacheRoot) throws {
        guard let name = try root.damagedIndexes.first(where: { $0.hasSuffix(".damaged") }) else { return nil }
        let database = try Self.reading {
            try root.checkIndex(name)
            return try Database(path: root.path(of: name), root: root.path)
        }
        guard let database else { return nil }
        self.database = database
    }

    /// Returns the result of `body`, or nil if `body` fails because of the damage. Throws if a system call fails.
    private static func reading<Result>(_ body: () throws -> Result?) throws -> Result? {
        do {
            return try body()
        } catch let failure as SystemFailure {
            throw failure
        } catch let failure as CacheFailure {
            if case .io(_, _, let errno) = failure, errno != 0 { throw failure }
            return nil
        } catch {
            return nil
        }
    }

    /// Returns the name of the scope with this folder, if the name can be read and its hash matches the folder.
    func scopeName(_ folder: String) throws -> ScopeName? {
        let name = try Self.reading {
            try database.first("SELECT name FROM scopes WHERE folder = ?1", Value(folder)) {
                try ScopeName($0.string(0))
            }
        }
        return name.flatMap { folder.hasPrefix($0.hash) ? $0 : nil }
    }

    /// Returns `new` with the data of its row, if the row can be read and matches the file.
    func entry(_ new: Entry, folder: String, root: CacheRoot) throws -> Entry? {
        let row = try Self.reading {
            try database.first(EntryTable.selectInFolder, Value(folder), Value(new.name)) {
                Entry($0, scope: new.scope, root: root)
            }
        }
        guard let row, row.file == new.file, row.sha256 == new.sha256, row.bytes == new.bytes, row.kind == new.kind
        else { return nil }
        var entry = new
        if let text = row.key, let key = try? CacheKey(printed: text), key.name == new.name { entry.key = text }
        func printable(_ text: String?) -> String? { text.flatMap { $0.hasControlCharacters ? nil : $0 } }
        // Validators are valid only together with their address.
        entry.url = printable(row.url)
        if entry.url != nil {
            entry.validators.etag = printable(row.validators.etag)
            entry.validators.lastModified = printable(row.validators.lastModified)
        }
        if row.fetchedAt <= row.expiresAt { (entry.fetchedAt, entry.expiresAt) = (row.fetchedAt, row.expiresAt) }
        entry.isPinned = new.isPinned || row.isPinned
        (entry.directives, entry.isPrivate) = (row.directives, row.isPrivate)
        entry.vary = row.vary
        return entry
    }
}

/// A metadata row of a damaged index.
struct SalvagedMetadata {
    let metadata: Metadata
    let collection: String
    let digest: Int64
    /// The folder of the row's scope and generation; empty if the scope is unknown or purged.
    let folder: String

    /// Whether the row is undamaged and its scope is known.
    var isWhole: Bool { !folder.isEmpty && digest == MetadataTable.digest(of: metadata, in: collection) }
}

extension SalvagedIndex {
    /// Passes all undamaged metadata to `body`, in batches of a single scope. Skips only the rows on unreadable pages.
    func forEachBatchOfMetadata(_ body: ([SalvagedMetadata]) throws -> Void) throws {
        guard let last = lastMetadata else { return }
        for first in stride(from: 1, through: last, by: IndexConnection.batch) {
            // Query row by row, because a scan would end at the first damaged page or row ID.
            let rows = (first..<first + IndexConnection.batch).compactMap(metadata).filter(\.isWhole)
            for batch in Dictionary(grouping: rows, by: \.folder).values { try body(batch) }
        }
    }

    /// The highest row ID in the table or, if the table cannot be searched, in its index.
    private var lastMetadata: Int? {
        for source in ["metadata", "metadata INDEXED BY metadata_by_end"] {
            let found = try? database.first("SELECT max(id) FROM \(source)") { Int?($0, 0) }
            if let last = found.flatMap(\.self) { return min(last, Self.rowLimit) }
        }
        return nil
    }

    /// The highest row ID to read. IDs are assigned in sequence, so a larger ID is a sign of damage.
    private static let rowLimit = 1_000_000

    private func metadata(_ number: Int) -> SalvagedMetadata? {
        try? database.first(Self.selectMetadata, Value(number)) {
            SalvagedMetadata(
                metadata: Metadata($0), collection: $0.string(4), digest: $0.int64(5), folder: $0.string(6))
        }
    }

    private static let selectMetadata = """
        SELECT \(MetadataTable.columns), collection, digest,
            (SELECT folder FROM scopes WHERE scopes.id = metadata.scope AND purged = 0)
        FROM metadata WHERE id = ?1
        """
}

extension IndexConnection {
    /// Copies the metadata of the damaged index into the same scopes and generations. Returns the number of rows.
    /// Called only by the process that replaces the index, because metadata that is purged later must not return.
    func recoverMetadata(now: Timestamp) throws -> Int {
        guard let salvaged = try SalvagedIndex(root: root) else { return 0 }
        var count = 0
        try salvaged.forEachBatchOfMetadata { batch in
            let folder = batch[0].folder
            guard let name = try salvaged.scopeName(folder) else { return }
            count += try database.transaction {
                guard let scopeID = try scopes.makeForRecovery(folder: folder, name: name) else { return 0 }
                return try batch.filter {
                    try metadata.keep($0.metadata, digest: $0.digest, in: $0.collection, of: scopeID, now: now)
                }.count
            }
        }
        return count
    }
}
