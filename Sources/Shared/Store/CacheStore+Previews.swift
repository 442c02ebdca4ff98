import Support

/// Previews of pictures on their way have no row in the index: the lease of one begins when its file is written.
extension CacheStore {
    /// Removes the previews of any scope whose lease has ended, and returns their number. Reads the names of all partial
    /// downloads. A preview that cannot be removed now is left to the next run. Throws `SystemFailure` if a look fails.
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

    /// Whether a file is a preview whose path may still be in use.
    func isLeasedPreview(_ name: String) throws -> Bool {
        guard name.contains(text: CacheRoot.previewMark), let found = try index.root.file(name) else { return false }
        let now = clock.now()
        return found.modified <= now + Clock.tolerance && lease.end(from: found.modified) > now
    }
}
