import Support

/// Files outside of the cache that were made of pictures. The index remembers them after the picture's entry is trimmed,
/// until the picture is removed by name or the scope is purged.
extension CacheStore {
    /// Returns the files that are remembered of a key, the newest first, without looking at them. Throws `CacheFailure`
    /// if the index cannot be used, and `Cancelled` if the run is stopped while others keep it busy.
    public func copies(of key: CacheKey) throws -> [FileCopy] { try index.copies(of: key.name, in: scope) }

    /// Remembers files made of a key's picture, and forgets files of the key that are gone. Logs a failure, since the
    /// files themselves are complete. Throws `Cancelled` if the run is stopped while others
    /// keep the index busy.
    public func remember(_ copies: [FileCopy], of key: CacheKey) throws {
        if copies.isEmpty || index.isReadOnly { return }
        do {
            let known = try index.copies(of: key.name, in: scope)
            if copies.allSatisfy({ copy in known.contains { $0.isSame(as: copy) } }) { return }
            let gone = known.filter { Self.isGone($0.path) }
            try index.remember(copies, forgetting: gone, of: key.name, in: active, now: clock.now())
        } catch let failure as any Failure where !(failure is Cancelled) {
            log.detail("the copies of \(key.text) were not written down: \(failure.message)")
        }
    }

    /// Counts a picture that its files made unnecessary.
    public func countKept() { index.count(in: scope) { $0.add(.kept) } }

    /// Forgets files that are gone from a folder that exists. A missing folder may be on a disk that is not mounted.
    func cleanCopies(_ step: inout CleanStep, _ scope: ScopeName?, _ dryRun: Bool) throws {
        var last: Int64 = -1
        while case let page = try index.copies(after: last, of: scope), let end = page.last {
            try interruption.check()
            last = end.id
            let gone = page.filter { Self.isGone($0.path) }.map(\.id)
            step.add(Removal(entries: gone.count, bytes: 0))
            if !dryRun, !gone.isEmpty { try index.forgetCopies(gone, now: clock.now()) }
        }
    }

    private static func isGone(_ path: String) -> Bool {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return false }
        do {
            return try FileStatus(at: path, followingLinks: false) == nil
                && FileStatus(at: String(path[...slash])) != nil
        } catch {
            return false
        }
    }
}
