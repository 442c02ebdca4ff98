import Support

extension CacheSettings {
    /// Makes the folders that the policies call for where they are missing, for a process that cannot make them later.
    /// One that cannot be made is no failure here: the step that comes to need it says why.
    ///
    /// - Parameter root: whether the root is one of them, which a run that only looks leaves alone.
    public func makeFolders(root: Bool) {
        let policies = Set([policies.standard] + policies.rules.map(\.policy))
        if root, policies.contains(.enabled) { try? cacheRoot.makeRoot() }
        // What servers want nobody to keep lies past the cache too. What lies there or in memory is counted in one
        // place.
        if policies != [.enabled] || respectsCacheControl { _ = try? places.memoryFolder() }
        if policies.contains(.disabled) || respectsCacheControl { _ = try? places.bypassFolder() }
    }
}
