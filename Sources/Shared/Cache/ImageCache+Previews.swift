import Support

/// Previews of pictures on their way have no row in the index: the lease of one begins when its file is written.
extension ImageCache {
    /// Removes the previews of any scope whose lease is over, and gives how many. Costs a walk through the folder of
    /// partial downloads. What cannot be removed now is left to the next run.
    @discardableResult
    public func removeOldPreviews() -> Int {
        let folder = index.root.partials
        var count = 0
        for name in FolderListing.names(of: folder) where name.contains(ArrivingBody.previewMark) {
            let path = "\(folder)/\(name)"
            guard FolderListing.facts(path) != nil, !isLeasedPreview(path) else { continue }
            BlobStore.remove(path)
            count += 1
        }
        return count
    }

    /// Whether a file is a preview whose path may still be in use.
    func isLeasedPreview(_ path: String) -> Bool {
        guard path.contains(ArrivingBody.previewMark), let facts = FolderListing.facts(path) else { return false }
        return lease.end(from: facts.modified) > clock.now()
    }
}
