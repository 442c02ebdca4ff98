import Support

/// What can still be read of an index that was set aside since it was damaged. Nothing of it is believed that cannot be
/// checked: a row counts where its SHA-256 is that of the file, and its key that of the file's name.
struct SalvagedIndex {
    let database: Database

    /// Nil if none was set aside, or nothing can be read of it. Throws `SystemFailure` and `CacheFailure` if a system call
    /// fails: what it would have read, such as a pin, must not be taken for lost.
    init?(root: CacheRoot) throws {
        guard let name = try root.damagedIndexes.first(where: { $0.hasSuffix(".damaged") }) else { return nil }
        let database = try Self.reading {
            try root.checkIndex(name)
            return try Database(path: root.path(of: name), root: root.path)
        }
        guard let database else { return nil }
        self.database = database
    }

    /// Returns what `body` reads; nil if damage is in the way. Throws what a failed system call does.
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

    /// The name of the scope that has a folder; nil if it cannot be read, or is not that of the folder.
    func scopeName(_ folder: String) throws -> ScopeName? {
        let name = try Self.reading {
            try database.first(Index.selectScope, Value(folder)) { try ScopeName($0.string(1)) }
        }
        return name.flatMap { folder.hasPrefix($0.hash) ? $0 : nil }
    }

    /// The file's row as it was; nil if it cannot be read, or is not that of this content.
    func entry(_ new: NewEntry, folder: String, scope: ScopeName, index: Index) throws -> NewEntry? {
        let row = try Self.reading {
            try database.first(Index.selectInFolder, Value(folder), Value(new.name)) { index.entry($0, scope: scope) }
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
        entry.isPinned = new.isPinned || row.isPinned
        (entry.directives, entry.isPrivate) = (row.directives, row.isPrivate)
        entry.vary = row.vary
        return entry
    }
}

/// A row of metadata as it was found in a damaged index.
struct SalvagedMetadata {
    let metadata: Metadata
    let collection: String
    let digest: Int64
    /// The folder of its scope and generation; empty where that cannot be told, or was purged.
    let folder: String

    /// Whether it is what was written once, and it is known where it belongs.
    var isWhole: Bool { !folder.isEmpty && digest == Index.digest(of: metadata, in: collection) }
}

extension SalvagedIndex {
    /// Gives all metadata that can be read and is whole, a batch at a time, each of one scope. A page that cannot be
    /// read costs only the rows in it.
    func forEachBatchOfMetadata(_ body: ([SalvagedMetadata]) throws -> Void) throws {
        guard let last = lastMetadata else { return }
        for first in stride(from: 1, through: last, by: Index.batch) {
            // One by one: a walk along the rows would end at the first whose number is wrong.
            let rows = (first..<first + Index.batch).compactMap(metadata).filter(\.isWhole)
            for batch in Dictionary(grouping: rows, by: \.folder).values { try body(batch) }
        }
    }

    /// The highest number of a row: by the rows themselves, else by the index on them.
    private var lastMetadata: Int? {
        for source in ["metadata", "metadata INDEXED BY metadata_by_end"] {
            let found = try? database.first("SELECT max(id) FROM \(source)") { $0.optionalInt(0) }
            if let last = found.flatMap(\.self) { return min(last, Self.rowLimit) }
        }
        return nil
    }

    /// Numbers are given in turn, so that one beyond this is damage.
    private static let rowLimit = 1_000_000

    private func metadata(_ number: Int) -> SalvagedMetadata? {
        try? database.first(Self.selectMetadata, Value(number)) {
            SalvagedMetadata(
                metadata: Metadata($0), collection: $0.string(4), digest: $0.int64(5), folder: $0.string(6))
        }
    }

    private static let selectMetadata = """
        SELECT \(Index.metadataColumns), collection, digest,
            (SELECT folder FROM scopes WHERE scopes.id = metadata.scope AND purged = 0)
        FROM metadata WHERE id = ?1
        """
}

extension Index.Connection {
    /// Takes over the metadata of the index that was set aside, into the scopes and generations that it belongs to;
    /// gives how many rows. Done by the process that sets it aside and never again: what is purged after that must not
    /// come back.
    func adoptMetadata(now: Timestamp) throws -> Int {
        guard let salvaged = try SalvagedIndex(root: root) else { return 0 }
        var count = 0
        try salvaged.forEachBatchOfMetadata { batch in
            let folder = batch[0].folder
            guard let name = try salvaged.scopeName(folder) else { return }
            count += try database.transaction {
                guard let scopeID = try rowForAdoption(folder: folder, name: name) else { return 0 }
                return try batch.filter {
                    try keep($0.metadata, digest: $0.digest, in: $0.collection, of: scopeID, now: now)
                }.count
            }
        }
        return count
    }
}
