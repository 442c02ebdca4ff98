import Store

extension Caches {
    /// Returns the path, without links, if a text is the path of an entry's file in this cache, on the disk or in memory;
    /// nil for any other text. The file need not exist. Opens nothing.
    public func entryPath(_ text: String) -> String? {
        guard let root = settings.root else { return nil }
        return [text, CacheKey.absolutePath(text)].first { path in
            CacheRoot(root).hasPlace(for: path)
                || MemoryPlace(of: path, root: root, in: settings.places).map {
                    CacheRoot($0.path).hasPlace(for: path)
                } == true
        }
    }
}
