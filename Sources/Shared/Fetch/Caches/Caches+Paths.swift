import Store
import Support

extension Caches {
    /// Returns the path, with links resolved, if a text is the path of an entry's file in this cache, on disk or in
    /// memory. The file need not exist. Opens nothing.
    public func entryPath(_ text: String) -> String? {
        // Most arguments are addresses, which are no paths.
        guard let root = settings.root, text.slashesOfAuthority == nil else { return nil }
        let disk = CacheRoot(root)
        return [text, CacheKey.absolutePath(text)].first { path in
            disk.hasPlace(for: path)
                || MemoryPlace(of: path, root: root, in: settings.places).map {
                    CacheRoot($0.path).hasPlace(for: path)
                } == true
        }
    }
}
