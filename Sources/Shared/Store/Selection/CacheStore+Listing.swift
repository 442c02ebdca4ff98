import Support

extension CacheStore {
    /// Returns the entries that a filter accepts, without leasing or counting them.
    ///
    /// - Parameter order: the order of all listed entries, across scopes. Nil lists scope by scope in arbitrary order,
    ///   which is fastest.
    public func entries(
        _ filter: EntryFilter, inAllScopes: Bool = false, order: EntryOrder? = nil
    ) throws -> EntryListing {
        let scopes = try scopeRows(inAllScopes: inAllScopes)
        return EntryListing(
            index: index, sorted: order.map { SortedCursor(scopes, by: $0, hash: inAllScopes ? nil : scope.hash) },
            unsorted: EntryCursor(order == nil ? scopes : []), filter: filter, now: clock.now())
    }

    /// Returns the row of this scope, or the rows of all scopes.
    func scopeRows(inAllScopes: Bool) throws -> [ScopeRow] {
        try index.perform { try $0.scopes.rows(of: inAllScopes ? nil : scope) }
    }

    /// Returns the entry of a key without leasing or counting it. The file may be missing.
    public func peek(_ key: CacheKey) throws -> Entry? { try row(key.name) ?? validated(key) }

    /// Returns the entry of this scope whose file has this absolute path, expired or not, original or variant.
    package func entry(at path: String) throws -> Entry? {
        let file = CacheRoot.fileName(path)
        // In the row of a superseded entry, `name` is the file name.
        for name in [CacheRoot.name(ofBlob: file), file].compactMap(\.self) {
            if let entry = try row(name), entry.path.hasSameBytes(as: path) {
                return try checked(entry)
            }
        }
        return nil
    }

    /// Returns the variants of an original, the smallest first.
    public func variants(of entry: Entry) throws -> [Entry] { try index.perform { try $0.entries.variants(of: entry) } }

    /// Pins or unpins an entry. A pin protects an entry from trimming, cleaning, removal by filter and power failures.
    /// Returns nil if the entry no longer exists.
    public func setPinned(_ entry: Entry, _ isPinned: Bool) throws -> Entry? {
        try index.requireWriting()
        // Record the pin in the file within the transaction, so that row and file agree even if two processes change
        // the pin.
        let changed = try index.write(now: clock.now()) { connection in
            let changed = try connection.entries.setPinned(entry, isPinned)
            if settings.memory == nil, let changed, let file = try index.root.openIfPresent(changed.place) {
                CacheRoot.notePin(isPinned, in: file)
                if isPinned { try file.synchronize() }
            }
            return changed
        }
        guard isPinned else { return changed }
        try index.synchronize()
        return try changed.map { try makeDurable([$0])[0] }
    }

    /// Removes an entry and its variants or, with `dryRun`, only counts them. Ignores pins and leases. Does not affect
    /// a running download of the same key.
    public func remove(_ entry: Entry, dryRun: Bool = false) throws -> EntrySum {
        if dryRun { return try removal(of: entry) }
        try index.requireWriting()
        let removal = try removeRows(of: entry, sparesPinned: false) { try $0.live(scope).id } ?? EntrySum()
        try index.sweep(now: clock.now())
        metrics.add(removalEvent(key: entry.key, removal))
        return removal
    }

    /// Removes the entries of this scope that a filter accepts, with their variants. If files may lack rows, recovers
    /// them first.
    ///
    /// - Parameter sparesPinned: whether to keep pinned entries.
    public func remove(
        _ filter: EntryFilter, sparesPinned: Bool = true, dryRun: Bool = false
    ) throws -> (removal: EntrySum, pinned: Int) {
        if !dryRun { try index.requireWriting() }
        // A file without a row would not be removed, and would be recovered later.
        if !dryRun, try index.mayLackRows() { try recovery.rebuild { _ in } }
        var removal = EntrySum()
        var pinned = 0
        var listing = try entries(filter)
        var unswept = 0
        while let (entry, scope) = try listing.nextWithScope() {
            try interruption.check()
            if sparesPinned, entry.isPinned {
                pinned += 1
            } else if dryRun {
                removal.add(try self.removal(of: entry))
            } else if let gone = try removeRows(
                of: entry, sparesPinned: sparesPinned, scopeID: { try $0.live(folder: scope.folder) })
            {
                removal.add(gone)
                metrics.add(removalEvent(key: entry.key, gone))
                unswept += gone.entries
                if unswept >= TrimPlan.batch {
                    try index.sweep(now: clock.now())
                    unswept = 0
                }
            }
        }
        if unswept > 0 { try index.sweep(now: clock.now()) }
        return (removal, pinned)
    }

    /// Deletes the rows of an entry and its variants. Returns nil if no row was deleted.
    ///
    /// - Parameter scopeID: returns the live row of the entry's scope.
    private func removeRows(
        of entry: Entry, sparesPinned: Bool, scopeID: (ScopeTable) throws -> Int64?
    ) throws -> EntrySum? {
        let now = clock.now()
        return try index.removing({ [entry.place] }) {
            try index.write(now: now) {
                try $0.entries.remove(entry.name, in: scopeID($0.scopes), sparesPinned: sparesPinned, now: now)
            }
        }
    }

    private func removal(of entry: Entry) throws -> EntrySum {
        let family = [entry] + (entry.kind == .original ? try variants(of: entry) : [])
        return EntrySum(entries: family.count, bytes: family.reduce(0) { $0 + $1.bytes })
    }
}

/// Reads entries page by page, in constant memory and without holding a lock. Entries stored or removed during the
/// listing may or may not be included.
public struct EntryListing {
    let index: Index
    var sorted: SortedCursor?
    /// Empty if the listing is sorted.
    var unsorted: EntryCursor
    let filter: EntryFilter
    let now: Timestamp

    /// Returns the next entry, or nil after the last.
    public mutating func next() throws -> Entry? { try nextWithScope()?.entry }

    mutating func nextWithScope() throws -> (entry: Entry, scope: ScopeRow)? {
        while let next = try sorted?.next(index) ?? unsorted.next(index) {
            if filter.accepts(next.entry, now: now) { return next }
        }
        return nil
    }
}

/// Reads the entries of scopes in arbitrary order, see `EntryListing`.
struct EntryCursor {
    private var scopes: ArraySlice<ScopeRow>
    private var page: ArraySlice<Entry> = []
    private var last = ""

    init(_ scopes: [ScopeRow]) { self.scopes = scopes[...] }

    mutating func next(_ index: Index) throws -> (entry: Entry, scope: ScopeRow)? {
        while let scope = scopes.first {
            if let entry = page.popFirst() {
                last = entry.name
                return (entry, scope)
            }
            page = try index.perform { try $0.entries.page(of: scope, after: last) }[...]
            if page.isEmpty {
                scopes.removeFirst()
                last = ""
            }
        }
        return nil
    }
}
