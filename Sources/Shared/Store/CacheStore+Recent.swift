import Support

/// Lookups served from memory, lookups in batches, and leases.
extension CacheStore {
    /// The name of a variant in `recent`. Starts with NUL, which no key contains.
    static func recentName(ofVariant name: String) -> String { "\0" + name }

    /// Returns a fresh entry from `recent`. Returns nil if `recent` does not contain the entry, if any process has
    /// changed the index since the entry was stored there, if its file was checked more than a second ago, or if a new
    /// lease must be written.
    ///
    /// - Parameter version: the current version of the index; evaluated only if `recent` contains the name.
    package func recentEntry(_ name: String, version: @autoclosure () -> Int?) -> Entry? {
        guard let recent = recent.withLock({ $0.use(name) }),
            recent.holds(at: clock.now(), version: version(), lease: lease)
        else { return nil }
        return recent.entry
    }

    /// Stores an entry for `recentEntry`. The caller has just checked its file.
    ///
    /// - Parameters:
    ///   - name: the text of the entry's key; for a variant, `recentName(ofVariant:)`.
    ///   - version: the version of the index before the row was read.
    package func remember(_ entry: Entry, as name: String, version: Int?) {
        guard let version else { return }
        let found = RecentEntry(entry: entry, version: version, seenAt: clock.now())
        _ = recent.withLock { $0.insert(found, for: name, cost: entry.bytes) }
    }

    /// Returns the fresh entry of each key, without waiting for a server or another process. Returns nil for all other
    /// keys, including keys whose lookup fails: the caller then uses `lookup` or `fetch`. Counts and reports hits as
    /// these two methods do.
    ///
    /// Reads the rows of all keys in one transaction, and records their leases together.
    ///
    /// - Parameters:
    ///   - asFetch: whether the caller would otherwise use `fetch`. An entry is then not a hit if `settings.refreshes`
    ///     is set, its `vary` is set, or its expiry would change.
    ///   - expiries: the requested expiry of each entry; a nil element, or nil, requests `settings.expiry`.
    public func freshHits(_ keys: [CacheKey], asFetch: Bool, expiries: [Expiry?]? = nil) -> [Entry?] {
        var entries = [Entry?](repeating: nil, count: keys.count)
        if asFetch, settings.refreshes { return entries }
        let start = metrics.isSilent ? nil : SteadyTime.now()
        lazy var version = index.version()
        /// Whether a lookup or fetch would return the entry unchanged.
        func isRight(_ entry: Entry, _ place: Int) -> Bool {
            // Only `fetch` itself compares the request fields with `vary`.
            if asFetch, entry.vary != nil { return false }
            guard asFetch, let expiry = expiries?[place] ?? settings.expiry else { return true }
            return entry.expiring(expiry, respectsServer: settings.respectsCacheControl) == entry
        }
        for (place, key) in keys.enumerated() {
            if let entry = recentEntry(key.text, version: version), isRight(entry, place) { entries[place] = entry }
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

    private func find(_ keys: [CacheKey], in entries: inout [Entry?], where isRight: (Entry, Int) -> Bool) {
        let unknown = entries.indices.filter { entries[$0] == nil }
        if unknown.isEmpty { return }
        let names = unknown.map { keys[$0].name }
        guard let (rows, version) = try? index.perform({ try $0.find(names, in: scope) }), version != nil else {
            return
        }
        let now = clock.now()
        let usable = zip(unknown, rows).compactMap { place, entry -> (place: Int, entry: Entry)? in
            guard let entry, entry.key != nil, !entry.isExpired(at: now), isRight(entry, place),
                (try? fileState(of: entry)) == .right
            else { return nil }
            return (place, entry)
        }
        guard !usable.isEmpty, let handed = try? extendLease(of: usable.map(\.entry), version: version) else { return }
        for ((place, _), entry) in zip(usable, handed) {
            guard let entry else { continue }
            remember(entry, as: keys[place].text, version: version)
            entries[place] = entry
        }
    }

    /// Calls `freshHits` for a single key.
    public func freshHit(_ key: CacheKey, asFetch: Bool) -> Entry? { freshHits([key], asFetch: asFetch)[0] }

    // MARK: Leases

    /// Leases an entry and records its use. Returns nil if the entry has just been removed. Recording the lease never
    /// waits for a process that writes to the index.
    ///
    /// - Parameter version: the version of the index before the row was read. If it is unchanged, the row is not read
    ///   again.
    package func extendLease(of entry: Entry, version: Int? = nil) throws -> Entry? {
        flushIfDue()
        return try extendLease(of: [entry], version: version)[0]
    }

    /// Leases several entries, as the method above leases a single entry. Returns them unchanged if the root is
    /// read-only.
    package func extendLease(of entries: [Entry], version: Int? = nil) throws -> [Entry?] {
        let now = clock.now()
        let entries = settings.syncs && !index.isReadOnly ? try makeDurable(entries) : entries
        if index.isReadOnly || !entries.contains(where: { lease.mustWrite($0, now: now) }) { return entries }
        var result: [Entry?] = entries
        try toleratingUnwritable {
            let places = entries.indices.compactMap { place in
                lease.mustRecord(entries[place], now: now) ? entries[place].place : nil
            }
            if !places.isEmpty {
                try index.root.leases.record(
                    places, until: LeasePeriod(of: lease, from: now), now: now, in: index.root)
                // The order matters: first the lease, then the check of the row. See `LeaseTable`.
                if version == nil || index.version() != version {
                    let rows = try index.perform { try $0.find(entries.map(\.name), in: scope).rows }
                    for (place, row) in rows.enumerated() where row?.id != entries[place].id { result[place] = nil }
                }
            }
            for place in result.indices {
                guard var entry = result[place], lease.mustWrite(entry, now: now) else { continue }
                entry.leaseUntil = max(entry.leaseEnd(at: now), lease.end(from: now))
                entry.lastUsed = now
                index.use(entry)
                result[place] = entry
            }
        }
        return result
    }

    /// Runs `body`, which records uses of entries. If the root is read-only, the disk is full or a system call fails,
    /// logs the failure and returns, because the entries themselves are usable.
    func toleratingUnwritable(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            let failure = failure(of: error)
            switch failure {
            case CacheFailure.readOnly, CacheFailure.diskFull, CacheFailure.io, is SystemFailure:
                log.detail("cannot record the use of an entry: \(failure.message)")
            default: throw error
            }
        }
    }
}
