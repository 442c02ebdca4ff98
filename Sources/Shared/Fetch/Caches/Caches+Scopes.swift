import Store
import Support

/// Scopes as they are on the disk and in memory at once.
extension Caches {
    /// Makes a scope the current one and, unless `keeping`, empties the one that was, in memory too. Returns which one
    /// that was and what it held; nil, and nothing changes, if the scope is current already.
    ///
    /// Files on the disk are left to `CacheStore.finishPurges`. See `CacheStore.makeCurrent`. Throws `CacheFailure` if
    /// a root cannot be used, `SystemFailure`, and `Cancelled` if the run is stopped.
    public func makeCurrent(_ scope: ScopeName, keeping: Bool = false) throws -> ScopeSwitch? {
        guard let made = try cache().makeCurrent(scope, keeping: keeping) else { return nil }
        guard var purged = made.purged else { return made }
        purged += try emptyMemory(of: made.old).contents
        return ScopeSwitch(old: made.old, purged: purged)
    }

    /// Returns whether nothing was ever kept under a scope: a new one, or one whose name was mistyped. To be asked
    /// before anything is done to it. Makes nothing.
    ///
    /// The answer is the scope's nearest neighbour among those that are known, if there is one that somebody may have
    /// meant; nil for a scope that is known. Throws `CacheFailure` if a root cannot be used, `SystemFailure`, and
    /// `Cancelled` if the run is stopped.
    public func unknownScope(_ scope: ScopeName) throws -> UnknownScope? {
        if scope == .standard { return nil }
        var known: Set = [ScopeName.standard]
        for cache in try inMemory() { known.formUnion(try cache.scopes().map(\.name)) }
        if let disk = try existing(inMemory: false) { known.formUnion(try disk.scopes().map(\.name)) }
        if known.contains(scope) { return nil }
        return UnknownScope(scope: scope, among: known.map(\.text).sorted())
    }
}

/// A scope that nothing was ever kept under.
public struct UnknownScope: Sendable, Equatable {
    public let scope: ScopeName
    /// A scope that there is, and that somebody may have meant.
    public let suggestion: String?
    /// An existing scope one edit away from the name; nil if there is none.
    public let mistyped: String?

    init(scope: ScopeName, among known: [String]) {
        self.scope = scope
        // Numbered names are alike on purpose.
        let known = known.filter { !NearMatch.differOnlyInDigits($0, scope.text) }
        mistyped = known.first { NearMatch.isTypo(scope.text, of: $0) }
        suggestion = mistyped ?? NearMatch.suggestion(for: scope.text, among: known)
    }

    /// For a warning.
    public var message: String {
        "nothing was ever kept in the scope \"\(scope)\"" + (suggestion.map { "; did you mean \($0)?" } ?? "")
    }
}

extension ScopeContents {
    /// For a person: `3 entries, 1.2 MB`.
    public var text: String { "\(entries) \(entries == 1 ? "entry" : "entries"), \(ByteCount.description(bytes))" }
}
