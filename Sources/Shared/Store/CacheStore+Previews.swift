import Support

/// Previews of pictures on their way have no row in the index: the lease of one begins when its file is written.
extension CacheStore {
    /// Removes the previews of any scope whose lease is over, and gives how many. Costs a walk through the folder of
    /// partial downloads. What cannot be removed now is left to the next run.
    @discardableResult
    public func removeOldPreviews() -> Int {
        var count = 0
        for name in index.root.names(in: CacheRoot.partials) where name.contains(text: CacheRoot.previewMark) {
            let name = "\(CacheRoot.partials)/\(name)"
            guard index.root.file(name) != nil, !isLeasedPreview(name) else { continue }
            index.root.remove(name)
            count += 1
        }
        return count
    }

    /// Whether a file is a preview whose path may still be in use.
    func isLeasedPreview(_ name: String) -> Bool {
        guard name.contains(text: CacheRoot.previewMark), let found = index.root.file(name) else { return false }
        return lease.end(from: found.modified) > clock.now()
    }
}
