/// Goes through the entries of scopes, a page at a time. Nothing is locked between two pages: what comes or goes
/// meanwhile may or may not be seen.
struct EntryCursor {
    private var scopes: ArraySlice<Index.ScopeRow>
    private var page: ArraySlice<Entry> = []
    private var last = ""

    init(_ scopes: [Index.ScopeRow]) { self.scopes = scopes[...] }

    mutating func next(_ index: Index) throws -> (entry: Entry, scope: Index.ScopeRow)? {
        while let scope = scopes.first {
            if let entry = page.popFirst() {
                last = entry.name
                return (entry, scope)
            }
            page = try index.page(of: scope, after: last)[...]
            if page.isEmpty {
                scopes.removeFirst()
                last = ""
            }
        }
        return nil
    }
}
