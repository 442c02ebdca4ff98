import Support

extension MemoryPlace {
    /// Gives up entries, the least recently used first, until so many bytes less are there, as far as leases and pins
    /// allow; and the place itself if nothing is left in it. Returns whether an entry has gone.
    func makeRoom(for bytes: Int, clock: Clock) throws -> Bool {
        var (hasGone, isEmpty) = (false, false)
        do {
            let held = try held()
            var settings = CacheSettings(root: path, scope: .standard)
            settings.capacity = .max
            // Nothing is taken in that would have to be looked at.
            let cache = try CacheStore(settings: settings, clock: clock, interruption: Interruption()) { _ in
                throw Cancelled()
            }
            hasGone = try cache.makeRoom(for: bytes).entries > 0
            isEmpty = try cache.statistics().entries == 0 && CacheRoot(path).names(in: CacheRoot.partials).isEmpty
            withExtendedLifetime(held) {}
        }
        if isEmpty { removeIfUnused() }
        return hasGone
    }
}
