import Support

extension CacheStore {
    /// Forgets the failures and copies of a key, also if it has no entry. Throws `CacheFailure` if the root cannot be
    /// used or changed, `SystemFailure`, and `Cancelled` if the run is stopped.
    public func forget(_ key: CacheKey) throws {
        try requireWriting()
        try index.forget(key.name, in: scope, now: clock.now())
    }

    /// Forgets failures of one scope or of all, those whose time is over or all of them. Returns how many there were.
    /// Throws `CacheFailure` if the root cannot be used or changed, `SystemFailure`, and `Cancelled` if the run is
    /// stopped.
    @discardableResult
    public func forgetFailures(of scope: ScopeName? = nil, expiredOnly: Bool = false) throws -> Int {
        try requireWriting()
        return try index.forgetNegatives(of: scope, expiredOnly: expiredOnly, now: clock.now())
    }
}
