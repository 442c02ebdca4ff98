import Support

extension CacheSettings {
    /// All folders that a run with these settings may come to use: the root, and the run-time places.
    ///
    /// Those that the policies call for are made where they are missing, for a process that cannot make them later. One
    /// that cannot be made is no failure here: whoever comes to need it says why.
    public func foldersMade() -> [String] {
        let policies = Set([policies.standard] + policies.rules.map(\.policy))
        if policies.contains(.enabled) { try? CacheRoot.makeFolder(CacheRoot(root).path) }
        if policies.contains(.memory) { _ = try? places.memoryRoot() }
        // What servers want nobody to keep lies past the cache too.
        if policies.contains(.disabled) || respectsCacheControl { _ = try? places.bypassFolder() }
        return [root] + places.memory + places.bypass
    }
}
