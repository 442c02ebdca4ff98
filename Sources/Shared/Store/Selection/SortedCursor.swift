/// Reads the entries of scopes in sorted order, see `EntryListing`.
struct SortedCursor {
    private let order: EntryOrder
    private let scopes: [String: ScopeRow]
    /// The hash of the only scope to read; nil for all scopes.
    private let hash: String?
    private let batch: Int
    private var ids: ArraySlice<Int64> = []
    private var position: EntryTable.SortedPosition?
    private var isAtEnd = false
    private var page: ArraySlice<(entry: Entry, scope: ScopeRow)> = []

    /// - Parameter batch: the number of rows sorted together.
    init(_ scopes: [ScopeRow], by order: EntryOrder, hash: String?, batch: Int = EntryTable.sortedBatch) {
        self.order = order
        self.scopes = Dictionary(scopes.map { ($0.folder, $0) }) { first, _ in first }
        self.hash = hash
        self.batch = batch
    }

    mutating func next(_ index: Index) throws -> (entry: Entry, scope: ScopeRow)? {
        while true {
            if let next = page.popFirst() { return next }
            if ids.isEmpty {
                if isAtEnd { return nil }
                let found = try index.perform {
                    try $0.entries.sorted(by: order, hash: hash, after: position, limit: batch)
                }
                ids = found.ids[...]
                position = found.last
                isAtEnd = found.ids.count < batch
            }
            page = try index.perform { try $0.entries.rows(ids.prefix(IndexConnection.batch), of: scopes) }[...]
            ids = ids.dropFirst(IndexConnection.batch)
        }
    }
}
