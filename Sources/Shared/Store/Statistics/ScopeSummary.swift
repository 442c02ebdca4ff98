/// The current state of a scope.
public struct ScopeSummary: Sendable, Equatable {
    public let name: ScopeName
    public let contents: EntrySum
    /// The number of purges. After a reset it may be higher, because new scopes begin at a higher generation.
    public let generation: Int64
    /// Whether runs that name no scope use this scope.
    public let isCurrent: Bool
    /// Whether files of an earlier generation await removal.
    public let isPurgePending: Bool

    package init(name: ScopeName, contents: EntrySum, generation: Int64, isCurrent: Bool, isPurgePending: Bool) {
        self.name = name
        self.contents = contents
        self.generation = generation
        self.isCurrent = isCurrent
        self.isPurgePending = isPurgePending
    }
}

/// The result of a switch to another scope.
public struct ScopeSwitch: Sendable, Equatable {
    public let old: ScopeName
    /// The contents of the old scope; nil if it was kept.
    public let purged: EntrySum?

    package init(old: ScopeName, purged: EntrySum?) {
        self.old = old
        self.purged = purged
    }
}

/// The number of scopes, entries, counters and metadata items that a reset has removed or would remove.
public struct ResetReport: Sendable, Equatable {
    public var scopes = 0
    public var contents = EntrySum()
    public var counters = 0
    public var metadata = 0

    init(scopes: Int, contents: EntrySum, counters: Int, metadata: Int) {
        (self.scopes, self.contents, self.counters, self.metadata) = (scopes, contents, counters, metadata)
    }

    public init() {}

    /// Adds the contents of another root with scopes of the same names.
    public static func += (sum: inout ResetReport, more: ResetReport) {
        sum.scopes = max(sum.scopes, more.scopes)
        sum.contents.add(more.contents)
        sum.counters += more.counters
        sum.metadata += more.metadata
    }
}
