/// The contents of a scope, now or when it was purged.
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

/// The present state of a scope.
public struct ScopeSummary: Sendable, Equatable {
    public let name: ScopeName
    public let contents: ScopeContents
    /// The number of purges, or more after a reset.
    public let generation: Int64
    /// Whether runs without a scope use it.
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

/// The effects of a reset.
public struct ResetReport: Sendable, Equatable {
    public var scopes = 0
    public var contents = ScopeContents()
    public var counters = 0
    /// Records of metadata.
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
