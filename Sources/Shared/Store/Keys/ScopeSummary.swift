/// What a scope holds, or held when it was purged.
public struct ScopeContents: Sendable, Equatable {
    public var entries = 0
    public var bytes = 0

    init(entries: Int, bytes: Int) { (self.entries, self.bytes) = (entries, bytes) }

    /// Nothing.
    public init() {}

    public static func += (sum: inout ScopeContents, more: ScopeContents) {
        sum.entries += more.entries
        sum.bytes += more.bytes
    }
}

/// A scope as it is now.
public struct ScopeSummary: Sendable, Equatable {
    public let name: ScopeName
    public let contents: ScopeContents
    /// How often it was purged, or more after a reset.
    public let generation: Int64
    /// Whether it is the one that runs take which name none.
    public let isCurrent: Bool
    /// Whether files of an earlier generation are still to be removed.
    public let isPurgePending: Bool

    package init(name: ScopeName, contents: ScopeContents, generation: Int64, isCurrent: Bool, isPurgePending: Bool) {
        self.name = name
        self.contents = contents
        self.generation = generation
        self.isCurrent = isCurrent
        self.isPurgePending = isPurgePending
    }
}

/// What a switch from one scope to another did.
public struct ScopeSwitch: Sendable, Equatable {
    public let old: ScopeName
    /// What the old scope held; nil if it was kept.
    public let purged: ScopeContents?

    package init(old: ScopeName, purged: ScopeContents?) {
        self.old = old
        self.purged = purged
    }
}

/// What a reset takes away.
public struct ResetReport: Sendable, Equatable {
    public var scopes = 0
    public var contents = ScopeContents()
    public var counters = 0
    /// Records of metadata.
    public var metadata = 0

    init(scopes: Int, contents: ScopeContents, counters: Int, metadata: Int) {
        (self.scopes, self.contents, self.counters, self.metadata) = (scopes, contents, counters, metadata)
    }

    /// Nothing.
    public init() {}

    /// What two roots hold, which have scopes of the same names.
    public static func += (sum: inout ResetReport, more: ResetReport) {
        sum.scopes = max(sum.scopes, more.scopes)
        sum.contents += more.contents
        sum.counters += more.counters
        sum.metadata += more.metadata
    }
}
