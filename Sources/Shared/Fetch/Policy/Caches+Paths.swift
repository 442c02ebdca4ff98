import Store

extension Caches {
    /// Returns the path, without links, if a text is the path of an entry's file in this cache, on the disk or in memory;
    /// nil for any other text. The file need not exist. Opens nothing.
    public func entryPath(_ text: String) -> String? {
        [text, CacheKey.absolutePath(text)].first { path in
            CacheRoot(settings.root).hasPlace(for: path)
                || MemoryPlace(of: path, root: settings.root, in: settings.places).map {
                    CacheRoot($0.path).hasPlace(for: path)
                } == true
        }
    }
}
