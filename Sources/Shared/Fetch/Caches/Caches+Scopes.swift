import Store
import Support

extension Caches {
    /// Switches to a scope and, unless `keeping`, purges the previous scope, also in memory. Returns the previous scope
    /// and its contents, or nil if the scope is already current. See `CacheScopes.makeCurrent`.
    /// `CacheScopes.finishPurges` removes the files on disk.
    public func makeCurrent(_ scope: ScopeName, keeping: Bool = false) throws -> ScopeSwitch? {
        guard let made = try cache().scopes.makeCurrent(scope, keeping: keeping) else { return nil }
        guard var purged = made.purged else { return made }
        purged.add(try emptyMemory(of: made.old).contents)
        return ScopeSwitch(old: made.old, purged: purged)
    }

    /// Returns nil if the scope is known; otherwise the scope, whose name may be a typing error, and a known scope with
    /// a similar name. Must be called before the scope is used. Creates nothing.
    public func unknownScope(_ scope: ScopeName) throws -> UnknownScope? {
        if scope == .standard { return nil }
        var known: Set = [ScopeName.standard]
        for cache in try inMemory() { known.formUnion(try cache.scopes.all().map(\.name)) }
        if let disk = try existing(inMemory: false) { known.formUnion(try disk.scopes.all().map(\.name)) }
        if known.contains(scope) { return nil }
        return UnknownScope(scope: scope, among: known.map(\.text).sorted())
    }
}

/// A scope in which no entry was ever stored.
public struct UnknownScope: Sendable, Equatable {
    public let scope: ScopeName
    /// A similar existing scope.
    public let suggestion: String?
    /// An existing scope at an edit distance of 1.
    public let mistyped: String?

    init(scope: ScopeName, among known: [String]) {
        self.scope = scope
        // Numbered names, such as user1 and user2, are similar on purpose.
        let known = known.filter { !NearMatch.differOnlyInDigits($0, scope.text) }
        mistyped = known.first { NearMatch.isTypo(scope.text, of: $0) }
        suggestion = mistyped ?? NearMatch.suggestion(for: scope.text, among: known)
    }

    /// The text of a warning.
    public var message: String {
        "the scope \"\(scope)\" has never had an entry" + (suggestion.map { "; did you mean \($0)?" } ?? "")
    }
}

extension EntrySum {
    /// A description such as `3 entries, 1.2 MB`.
    public var text: String { "\(counted(entries, "entry", "entries")), \(ByteCount.description(bytes))" }
}

extension Caches {
    /// Returns `text` if it has the format of an entry's path in this cache, on disk or in memory. Otherwise tries its
    /// absolute path with links resolved, or returns nil. The file need not exist. Opens nothing.
    public func entryPath(_ text: String) -> String? {
        // Return early for addresses, the most common arguments.
        guard settings.root != nil, text.slashesOfAuthority == nil, let disk = try? root() else { return nil }
        return [text, CacheKey.absolutePath(text)].first { path in
            disk.hasPlace(for: path)
                || MemoryPlace(of: path, root: settings.root, in: settings.places).map {
                    CacheRoot($0.path).hasPlace(for: path)
                } == true
        }
    }
}
