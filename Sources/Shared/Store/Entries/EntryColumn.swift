import Support

/// A column of the table `entries`: its definition, and the conversion of a property of `Entry`.
///
/// `all` defines the schema, its migration, and all statements that read or write whole entries. A new column needs a
/// property of `Entry`, a line at the end of `all`, and a step of `Schema` that adds the columns of its layout.
struct EntryColumn: Sendable {
    let name: String
    /// Type and constraints in SQL.
    let definition: String
    /// The first layout of the index with this column.
    let layout: Int
    /// Whether a revalidation changes the column.
    let isRenewed: Bool
    let value: @Sendable (Entry) -> Value
    let read: @Sendable (inout Entry, Row, _ column: Int) -> Void

    private init<Content: ColumnContent>(
        _ name: String, _ definition: String, layout: Int = 1, renewed: Bool = false,
        _ get: @escaping @Sendable (Entry) -> Content, _ set: @escaping @Sendable (inout Entry, Content) -> Void
    ) {
        self.name = name
        self.definition = definition
        self.layout = layout
        isRenewed = renewed
        value = { get($0).value }
        read = { set(&$0, Content($1, $2)) }
    }

    /// In the order of the table.
    static let all: [EntryColumn] = [
        .init("name", "TEXT NOT NULL", { $0.name }, { $0.name = $1 }),
        .init("key", "TEXT", { $0.key }, { $0.key = $1 }),
        .init("kind", "INTEGER NOT NULL", { $0.kind }, { $0.kind = $1 }),
        .init("parent", "TEXT", { $0.parent }, { $0.parent = $1 }),
        .init("parent_sha256", "TEXT", { $0.parentSHA256 }, { $0.parentSHA256 = $1 }),
        .init("url", "TEXT", { $0.url }, { $0.url = $1 }),
        .init("file", "TEXT NOT NULL", { $0.file }, { $0.file = $1 }),
        .init("bytes", "INTEGER NOT NULL", { $0.bytes }, { $0.bytes = $1 }),
        .init("content_type", "TEXT NOT NULL", { $0.contentType }, { $0.contentType = $1 }),
        .init("sha256", "TEXT NOT NULL", { $0.sha256 }, { $0.sha256 = $1 }),
        .init("width", "INTEGER", { $0.width }, { $0.width = $1 }),
        .init("height", "INTEGER", { $0.height }, { $0.height = $1 }),
        .init("details", "TEXT", { $0.details }, { $0.details = $1 }),
        .init("etag", "TEXT", renewed: true, { $0.validators.etag }, { $0.validators.etag = $1 }),
        .init(
            "last_modified", "TEXT", renewed: true, { $0.validators.lastModified }, { $0.validators.lastModified = $1 }),
        .init("fetched_at", "INTEGER NOT NULL", renewed: true, { $0.fetchedAt }, { $0.fetchedAt = $1 }),
        .init("expires_at", "INTEGER NOT NULL", renewed: true, { $0.expiresAt }, { $0.expiresAt = $1 }),
        .init("last_used", "INTEGER NOT NULL", renewed: true, { $0.lastUsed }, { $0.lastUsed = $1 }),
        .init("lease_until", "INTEGER NOT NULL", renewed: true, { $0.leaseUntil }, { $0.leaseUntil = $1 }),
        .init("pinned", "INTEGER NOT NULL DEFAULT 0", { $0.isPinned }, { $0.isPinned = $1 }),
        .init("unsettled", "INTEGER NOT NULL DEFAULT 0", { $0.needsVerification }, { $0.needsVerification = $1 }),
        .init(
            "must_revalidate", "INTEGER NOT NULL DEFAULT 0", layout: 3, renewed: true,
            { $0.directives.mustRevalidate }, { $0.directives.mustRevalidate = $1 }),
        .init(
            "private", "INTEGER NOT NULL DEFAULT 1", layout: 7, renewed: true,
            { $0.isPrivate }, { $0.isPrivate = $1 }),
        .init("vary", "TEXT", layout: 8, renewed: true, { $0.vary }, { $0.vary = $1 }),
        .init(
            "immutable", "INTEGER NOT NULL DEFAULT 0", layout: 9, renewed: true,
            { $0.directives.isImmutable }, { $0.directives.isImmutable = $1 }),
        .init(
            "usable_until", "INTEGER", layout: 9, renewed: true,
            { $0.directives.staleWhileRevalidateUntil }, { $0.directives.staleWhileRevalidateUntil = $1 }),
        .init(
            "stands_in_until", "INTEGER", layout: 9, renewed: true,
            { $0.directives.staleIfErrorUntil }, { $0.directives.staleIfErrorUntil = $1 }),
        .init("boot", "INTEGER", layout: 10, { $0.boot }, { $0.boot = $1 }),
        .init("modified", "INTEGER", layout: 10, { $0.modified }, { $0.modified = $1 }),
    ]

    /// The columns of `CREATE TABLE entries` in the first layout.
    static let firstLayout = all.filter { $0.layout == 1 }.map { "\($0.name) \($0.definition)" }.joined(separator: ", ")

    /// The statements that add the columns of a later layout.
    static func additions(in layout: Int) -> String {
        all.filter { $0.layout == layout }.map { "ALTER TABLE entries ADD COLUMN \($0.name) \($0.definition);" }
            .joined(separator: "\n")
    }

    /// Selects the folder of an entry's scope.
    static let scopeFolder = "(SELECT folder FROM scopes WHERE scopes.id = entries.scope)"

    /// The result columns that `Entry.init` reads.
    static let selection = "id, " + all.map(\.name).joined(separator: ", ") + ", " + scopeFolder

    /// The folder of the scope in a row of `selection`.
    static func folder(_ row: Row) -> String { row.string(all.count + 1) }

    /// `?1` is the row ID of the scope; the values of `all` follow.
    static let insertion = """
        INSERT INTO entries (scope, \(all.map(\.name).joined(separator: ", ")))
        VALUES (\((1...(all.count + 1)).map { "?\($0)" }.joined(separator: ", "))) RETURNING \(selection)
        """

    static let renewed = all.filter(\.isRenewed)

    /// Assigns the values of `renewed`, starting with `?4`.
    static let renewal = renewed.enumerated().map { "\($1.name) = ?\($0 + 4)" }.joined(separator: ", ")
}

extension Entry {
    /// Reads a row of `EntryColumn.selection`.
    init(_ row: Row, scope: ScopeName, root: CacheRoot) {
        self.init(name: "", scope: scope)
        id = row.int64(0)
        for (index, column) in EntryColumn.all.enumerated() { column.read(&self, row, index + 1) }
        if let place = CacheRoot.blob(file, folder: EntryColumn.folder(row)) {
            (self.place, path) = (place, root.path(of: place))
        }
    }
}

extension Entry.Kind: ColumnContent {
    init(_ row: Row, _ column: Int) { self = Entry.Kind(rawValue: row.int(column)) ?? .original }
    var value: Value { rawValue.value }
}
