import Support

/// Keys that are asked for again and again in one run cost a look at the disk only now and then.
extension CacheStore {
    /// What a variant is remembered as: no key has a NUL.
    static func recentName(ofVariant name: String) -> String { "\0" + name }

    /// The fresh entry of this name as it was handed out before, as long as nothing in the index has changed since, by
    /// whichever process, the index is still that of the root, and nothing needs to be written to hand it out.
    ///
    /// - Parameter version: that of the index at this moment (`Index.version`), for which nothing is asked where the
    ///   name is not known.
    package func recalled(_ name: String, version: @autoclosure () -> Int?) -> Entry? {
        guard let recent = recent.withLock({ $0.use(name) }),
            recent.holds(at: clock.now(), version: version(), lease: lease)
        else { return nil }
        return recent.entry
    }

    /// Keeps an entry, whose file was just seen, for `recalled`.
    ///
    /// - Parameters:
    ///   - name: the text of its key, or `recentName` of a variant.
    ///   - version: that of the index before the entry's row was read; if rows have changed since, it is never valid
    ///     again.
    package func remember(_ entry: Entry, as name: String, version: Int?) {
        guard let version else { return }
        let found = RecentEntry(entry: entry, version: version, seenAt: clock.now())
        _ = recent.withLock { $0.insert(found, for: name, cost: entry.bytes) }
    }

    /// The entries of keys that can be handed out at once: they have not expired, their files are there, and neither a
    /// server nor another process is waited for. Nil for every other key, and wherever anything is wrong: `lookup` and
    /// `fetch` find out what, and do something about it. Hits are counted and told as theirs are.
    ///
    /// All keys together cost one transaction that reads, and one that writes if leases are to be written.
    ///
    /// - Parameters:
    ///   - asFetch: whether it stands in for `fetch`, which asks the server in any case if `settings.refreshes` is set,
    ///     and may be told when an entry expires.
    ///   - expiries: when the entries are to expire, if that is said of each; else what the settings say.
    public func immediately(_ keys: [CacheKey], asFetch: Bool, expiries: [Expiry?]? = nil) -> [Entry?] {
        var entries = [Entry?](repeating: nil, count: keys.count)
        if asFetch, settings.refreshes { return entries }
        let start = metrics.isSilent ? nil : SteadyTime.now()
        lazy var version = index.version()
        /// Whether an entry expires when it should, and is the answer to every request.
        func isRight(_ entry: Entry, _ place: Int) -> Bool {
            // Only a fetch compares the request's fields.
            if asFetch, entry.vary != nil { return false }
            guard asFetch, let expiry = expiries?[place] ?? settings.expiry else { return true }
            return entry.expiring(expiry, respectsServer: settings.respectsCacheControl) == entry
        }
        for (place, key) in keys.enumerated() {
            if let entry = recalled(key.text, version: version), isRight(entry, place) { entries[place] = entry }
        }
        find(keys, in: &entries, where: isRight)
        let hits = entries.compactMap(\.self)
        if hits.isEmpty { return entries }
        index.count(in: scope) { tally in
            tally.add(.hits, hits.count)
            tally.add(.bytesServed, hits.reduce(0) { $0 + $1.bytes })
        }
        flushIfDue()
        if let start {
            let duration = (SteadyTime.now() - start) / hits.count
            for entry in hits {
                metrics.add(event(asFetch ? .fetch : .lookup, entry, status: "hit", duration: duration))
            }
        }
        return entries
    }

    /// Fills in the entries that are not known yet, as rows and files have them now.
    private func find(_ keys: [CacheKey], in entries: inout [Entry?], where isRight: (Entry, Int) -> Bool) {
        let unknown = entries.indices.filter { entries[$0] == nil }
        guard !unknown.isEmpty, let (rows, version) = try? index.find(unknown.map { keys[$0].name }, in: scope),
            version != nil
        else { return }
        let now = clock.now()
        let usable = zip(unknown, rows).compactMap { place, entry -> (place: Int, entry: Entry)? in
            guard let entry, entry.key != nil, !entry.isUnsettled, !entry.isExpired(at: now),
                isRight(entry, place), index.root.isWhole(entry)
            else { return nil }
            return (place, entry)
        }
        guard !usable.isEmpty, let handed = try? handOut(usable.map(\.entry)) else { return }
        for ((place, _), entry) in zip(usable, handed) {
            guard let entry else { continue }
            remember(entry, as: keys[place].text, version: version)
            entries[place] = entry
        }
    }

    /// The same for one key.
    public func immediately(_ key: CacheKey, asFetch: Bool) -> Entry? { immediately([key], asFetch: asFetch)[0] }
}
