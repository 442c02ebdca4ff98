import Support

/// Keys that are asked for again and again in one run cost a look at the disk only now and then.
extension ImageCache {
    /// The fresh entry of this name as it was handed out before, as long as nothing in the index has changed since, by
    /// whichever process, the index is still that of the root, and nothing needs to be written to hand it out. Costs a
    /// look at the metadata of one file, and nothing where the name has not been seen.
    func recalled(_ name: String) -> Entry? {
        guard let recent = recent.withLock({ $0.use(name) }),
            recent.holds(at: clock.now(), version: index.versionOfRoot(), lease: lease)
        else { return nil }
        return recent.entry
    }

    /// Keeps an entry, whose file was just seen, for `recalled`.
    ///
    /// - Parameter version: that of the index before the entry's row was read; where rows have changed since, it is
    ///   never valid again.
    func remember(_ entry: Entry, version: Int?) {
        guard let version else { return }
        let found = RecentEntry(entry: entry, version: version, seenAt: clock.now())
        _ = recent.withLock { $0.insert(found, for: entry.name, cost: entry.bytes) }
    }

    /// The entry of a key where it can be handed out at once: it has not expired, its file is there, and neither a
    /// server nor another process is waited for. Nil wherever that is not so, or anything is wrong: `lookup` and
    /// `fetch` find out what, and do something about it. A hit that it gives is counted and told as theirs are.
    ///
    /// - Parameter asFetch: whether it stands in for `fetch`, which asks the server in any case where
    ///   `settings.refreshes` is set.
    public func immediately(_ key: CacheKey, asFetch: Bool) -> Entry? {
        if asFetch, settings.refreshes { return nil }
        let start = metrics.isSilent ? nil : SteadyTime.now()
        let name = key.name
        guard let entry = recalled(name) ?? found(name) else { return nil }
        count(.hit, entry)
        flushIfMany(now: clock.now())
        if let start {
            metrics.add(
                event(asFetch ? .fetch : .lookup, entry, status: "hit", duration: SteadyTime.now() - start))
        }
        return entry
    }

    /// The entry as row and file have it now, if it could be handed out at once.
    private func found(_ name: String) -> Entry? {
        guard let version = index.version(), let entry = (try? index.find(name)) ?? nil else { return nil }
        let now = clock.now()
        guard entry.key != nil, !entry.isUnsettled, !entry.isExpired(at: now), !lease.mustWrite(entry, now: now),
            index.root.isWhole(entry)
        else { return nil }
        remember(entry, version: version)
        return entry
    }
}
