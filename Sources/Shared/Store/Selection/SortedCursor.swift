/// Goes through the entries of scopes in an order. As with `EntryCursor`, memory does not grow with their number,
/// nothing is locked in between, and what comes, goes or changes its place meanwhile may or may not be seen.
struct SortedCursor {
    private let order: EntryOrder
    private let scopes: [String: Index.ScopeRow]
    /// The hash of the scope if there is but one.
    private let hash: String?
    private let batch: Int
    private var ids: ArraySlice<Int64> = []
    private var position: Index.SortedPosition?
    private var isAtEnd = false
    private var page: ArraySlice<(entry: Entry, scope: Index.ScopeRow)> = []

    /// - Parameters:
    ///   - hash: that of the scope whose entries are wanted; nil for all.
    ///   - batch: how many rows are sorted at once.
    init(_ scopes: [Index.ScopeRow], by order: EntryOrder, hash: String?, batch: Int = Index.sortedBatch) {
        self.order = order
        self.scopes = Dictionary(scopes.map { ($0.folder, $0) }) { first, _ in first }
        self.hash = hash
        self.batch = batch
    }

    mutating func next(_ index: Index) throws -> (entry: Entry, scope: Index.ScopeRow)? {
        while true {
            if let next = page.popFirst() { return next }
            if ids.isEmpty {
                if isAtEnd { return nil }
                let found = try index.sortedRows(by: order, hash: hash, after: position, limit: batch)
                ids = found.ids[...]
                position = found.last
                isAtEnd = found.ids.count < batch
            }
            page = try index.rows(ids.prefix(Index.batch), of: scopes)[...]
            ids = ids.dropFirst(Index.batch)
        }
    }
}
