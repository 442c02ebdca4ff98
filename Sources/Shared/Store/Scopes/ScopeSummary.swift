/// The number and bytes of a scope's entries.
public struct ScopeContents: Sendable, Equatable {
    public var entries = 0
    public var bytes = 0

    init(entries: Int, bytes: Int) { (self.entries, self.bytes) = (entries, bytes) }

    public init() {}

    public static func += (sum: inout ScopeContents, more: ScopeContents) {
        sum.entries += more.entries
        sum.bytes += more.bytes
    }
}

/// The current state of a scope.
public struct ScopeSummary: Sendable, Equatable {
    public let name: ScopeName
    public let contents: ScopeContents
    /// The number of purges, or more after a reset.
    public let generation: Int64
    /// Whether runs that name no scope use this scope.
    public let isCurrent: Bool
    /// Whether files of an earlier generation await removal.
    public let isPurgePending: Bool

    package init(name: ScopeName, contents: ScopeContents, generation: Int64, isCurrent: Bool, isPurgePending: Bool) {
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
    public let purged: ScopeContents?

    package init(old: ScopeName, purged: ScopeContents?) {
        self.old = old
        self.purged = purged
    }
}

/// The number of scopes, entries, counters and metadata items that a reset has removed or would remove.
public struct ResetReport: Sendable, Equatable {
    public var scopes = 0
    public var contents = ScopeContents()
    public var counters = 0
    /// The number of metadata items.
    public var metadata = 0

    init(scopes: Int, contents: ScopeContents, counters: Int, metadata: Int) {
        (self.scopes, self.contents, self.counters, self.metadata) = (scopes, contents, counters, metadata)
    }

    public init() {}

    /// Adds the contents of another root with scopes of the same names.
    public static func += (sum: inout ResetReport, more: ResetReport) {
        sum.scopes = max(sum.scopes, more.scopes)
        sum.contents += more.contents
        sum.counters += more.counters
        sum.metadata += more.metadata
    }
}
