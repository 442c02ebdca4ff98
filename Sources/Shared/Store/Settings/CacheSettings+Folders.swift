import Support

extension CacheSettings {
    /// Makes the folders that the policies call for where they are missing, for a process that cannot make them later.
    /// One that cannot be made is no failure here: the step that comes to need it says why.
    ///
    /// - Parameter root: whether the root is one of them, which a run that only looks leaves alone.
    public func makeFolders(root: Bool) {
        func calls(for policy: Policy) -> Bool {
            policies.standard == policy || policies.rules.contains { $0.policy == policy }
        }
        if root, calls(for: .enabled) { try? cacheRoot.makeRoot() }
        // What servers want nobody to keep lies past the cache too. What lies there or in memory is counted in one
        // place.
        if calls(for: .memory) || calls(for: .disabled) || respectsCacheControl { _ = try? places.memoryFolder() }
        if calls(for: .disabled) || respectsCacheControl { _ = try? places.bypassFolder() }
    }
}
