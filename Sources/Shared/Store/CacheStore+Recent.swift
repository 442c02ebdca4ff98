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
                isRight(entry, place), (try? index.root.isWhole(entry)) == true
            else { return nil }
            return (place, entry)
        }
        guard !usable.isEmpty, let handed = try? handOut(usable.map(\.entry), version: version) else { return }
        for ((place, _), entry) in zip(usable, handed) {
            guard let entry else { continue }
            remember(entry, as: keys[place].text, version: version)
            entries[place] = entry
        }
    }

    /// The same for one key.
    public func immediately(_ key: CacheKey, asFetch: Bool) -> Entry? { immediately([key], asFetch: asFetch)[0] }

    // MARK: Leases

    /// Leases the entry from now on, and notes that it is used; nil if it has just gone. Never waits for a process that
    /// writes to the index.
    ///
    /// - Parameter version: of the index before the entry's row was read, which spares another look at it.
    package func handOut(_ entry: Entry, version: Int? = nil) throws -> Entry? {
        flushIfDue()
        return try handOut([entry], version: version)[0]
    }

    /// The same for several entries. A root that cannot be written can still be read.
    package func handOut(_ entries: [Entry], version: Int? = nil) throws -> [Entry?] {
        let now = clock.now()
        if index.isReadOnly || !entries.contains(where: { lease.mustWrite($0, now: now) }) { return entries }
        var result: [Entry?] = entries
        try toleratingUnwritable {
            let places = entries.indices.compactMap { place in
                lease.mustRecord(entries[place], now: now) ? entries[place].place : nil
            }
            if !places.isEmpty {
                try index.root.leases.record(
                    places, until: LeasePeriod(of: lease, from: now), now: now, in: index.root)
                // Only after the leases are recorded, see `LeaseTable`.
                if version == nil || index.version() != version {
                    let rows = try index.find(entries.map(\.name), in: scope).rows
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

    /// Runs what writes down how an entry is used, which nothing else depends on.
    func toleratingUnwritable(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as CacheFailure {
            switch failure {
            case .readOnly, .diskFull, .io:
                log.detail("the use of an entry was not written down: \(failure.message)")
            default: throw failure
            }
        } catch let failure as SystemFailure {
            log.detail("the use of an entry was not written down: \(failure.message)")
        }
    }
}
