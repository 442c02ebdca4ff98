import Support

/// Previews of downloads have no row in the index. The lease of a preview begins when its file is written.
extension CacheStore {
    /// Removes the previews of all scopes whose lease has expired, and returns their number. Reads the names of all
    /// partial downloads. The next run retries files that cannot be removed.
    @discardableResult
    public func removeOldPreviews() throws -> Int {
        var count = 0
        for name in try index.root.names(in: CacheRoot.partials) where name.contains(text: CacheRoot.previewMark) {
            let name = "\(CacheRoot.partials)/\(name)"
            guard try index.root.file(name) != nil, try !isLeasedPreview(name) else { continue }
            index.root.remove(name)
            count += 1
        }
        return count
    }

    /// Whether a file is a leased preview.
    func isLeasedPreview(_ name: String) throws -> Bool {
        guard name.contains(text: CacheRoot.previewMark), let found = try index.root.file(name) else { return false }
        let now = clock.now()
        return found.modified <= now + Clock.tolerance && lease.end(from: found.modified) > now
    }
}
