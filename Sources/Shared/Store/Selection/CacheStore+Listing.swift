import Support

extension CacheStore {
    /// The entries that a filter accepts, one after the other. Hands nothing out and counts nothing. Throws
    /// `CacheFailure` if the index cannot be used, and `Cancelled` if the run is stopped while others keep it busy.
    ///
    /// - Parameter order: over all scopes that are listed; nil for no order with a meaning, scope by scope, which costs
    ///   least.
    public func entries(
        _ filter: EntryFilter, inAllScopes: Bool = false, order: EntryOrder? = nil
    ) throws -> EntryListing {
        let scopes = try scopeRows(inAllScopes: inAllScopes)
        let source: EntryListing.Source =
            if let order {
                .sorted(SortedCursor(scopes, by: order, hash: inAllScopes ? nil : scope.hash))
            } else {
                .unsorted(EntryCursor(scopes))
            }
        return EntryListing(index: index, source: source, filter: filter, now: clock.now())
    }

    /// The row of this scope, or those of all.
    func scopeRows(inAllScopes: Bool) throws -> [Index.ScopeRow] {
        try index.scopeRows().filter { inAllScopes || $0.folder.prefix(32) == scope.hash }
    }

    /// The entry of a key as it is, whatever has become of its file; nil if there is none. Hands nothing out and counts
    /// nothing. Throws `CacheFailure` if the index cannot be used, and `Cancelled` if the run is stopped while others
    /// keep it busy.
    public func peek(_ key: CacheKey) throws -> Entry? { try index.find(key.name, in: scope) ?? sound(key) }

    /// Returns the entry of this scope whose file has an absolute path, expired or not, original or variant; nil if there
    /// is none. Throws as `peek` does.
    package func entry(at path: String) throws -> Entry? {
        let file = CacheRoot.fileName(path)
        // A replaced file's row has the file's name.
        for name in [CacheRoot.name(ofBlob: file), file].compactMap(\.self) {
            if let entry = try index.find(name, in: scope), entry.path.hasSameBytes(as: path) {
                return try checked(entry, isLocked: false)
            }
        }
        return nil
    }

    /// The variants of an original, the smallest first. Throws `CacheFailure` if the index cannot be used, and
    /// `Cancelled` if the run is stopped while others keep it busy.
    public func variants(of entry: Entry) throws -> [Entry] { try index.variants(of: entry) }

    /// Keeps an entry from being trimmed, cleaned, or removed by a filter, or allows that again. Nil if it has gone.
    /// Throws `CacheFailure` if the root cannot be used or changed, `SystemFailure`, and `Cancelled` if the run is
    /// stopped.
    public func setPinned(_ entry: Entry, _ isPinned: Bool) throws -> Entry? {
        try requireWriting()
        return try index.setPinned(entry, isPinned, now: clock.now()) { entry in
            guard settings.memory == nil, let file = try index.root.openIfPresent(entry.place) else { return }
            CacheRoot.notePin(isPinned, in: file)
        }
    }

    /// Removes an entry and its variants at once, whatever pins and leases they have; what is being downloaded under
    /// the same key is not touched. Gives what went, or with `dryRun` would go. Throws `CacheFailure` if the root
    /// cannot be used or changed, `SystemFailure`, and `Cancelled` if the run is stopped.
    public func remove(_ entry: Entry, dryRun: Bool = false) throws -> Removal {
        if dryRun { return try removal(of: entry) }
        try requireWriting()
        let now = clock.now()
        let removal = try removing({ [entry.place] }) {
            try index.remove(entry.name, in: scope, sparesPinned: false, now: now) ?? Removal()
        }
        try index.sweep(now: now)
        metrics.add(removalEvent(key: entry.key, removal))
        return removal
    }

    /// Removes the entries of this scope that a filter accepts, with their variants, but for those that are pinned.
    /// After the index was lost, all files are taken in before. Throws `CacheFailure` if the root cannot be used or
    /// changed, `SystemFailure`, and `Cancelled` if the run is stopped.
    ///
    /// - Parameter sparesPinned: false for those that are pinned, too.
    public func remove(
        _ filter: EntryFilter, sparesPinned: Bool = true, dryRun: Bool = false
    ) throws -> (removal: Removal, pinned: Int) {
        if !dryRun { try requireWriting() }
        // What has lost its row would come back.
        if !dryRun, try index.root.awaitsRebuild { try rebuild { _ in } }
        var removal = Removal()
        var pinned = 0
        var listing = try entries(filter)
        var unswept = 0
        while let (entry, scope) = try listing.nextWithScope() {
            try interruption.check()
            if sparesPinned, entry.isPinned {
                pinned += 1
            } else if dryRun {
                removal.add(try self.removal(of: entry))
            } else if let gone = try removing(
                { [entry.place] },
                { try index.remove(entry.name, in: self.scope, scope, sparesPinned: sparesPinned, now: clock.now()) })
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

    private func removal(of entry: Entry) throws -> Removal {
        let family = [entry] + (entry.kind == .original ? try index.variants(of: entry) : [])
        return Removal(entries: family.count, bytes: family.reduce(0) { $0 + $1.bytes })
    }
}

/// Goes through entries a page at a time: memory does not grow with their number, and nothing is locked in between.
/// Entries that come or go meanwhile may or may not be among them.
public struct EntryListing {
    enum Source {
        case unsorted(EntryCursor)
        case sorted(SortedCursor)

        mutating func next(_ index: Index) throws -> (entry: Entry, scope: Index.ScopeRow)? {
            switch self {
            case .unsorted(var cursor):
                defer { self = .unsorted(cursor) }
                return try cursor.next(index)
            case .sorted(var cursor):
                defer { self = .sorted(cursor) }
                return try cursor.next(index)
            }
        }
    }

    private let index: Index
    private var source: Source
    private let filter: EntryFilter
    private let now: Timestamp

    init(index: Index, source: Source, filter: EntryFilter, now: Timestamp) {
        self.index = index
        self.source = source
        self.filter = filter
        self.now = now
    }

    /// Returns the next entry, or nil behind the last one. Throws `CacheFailure` if the index cannot be used, and
    /// `Cancelled` if the run is stopped while others keep it busy.
    public mutating func next() throws -> Entry? { try nextWithScope()?.entry }

    mutating func nextWithScope() throws -> (entry: Entry, scope: Index.ScopeRow)? {
        while let next = try source.next(index) {
            if filter.accepts(next.entry, now: now) { return next }
        }
        return nil
    }
}
