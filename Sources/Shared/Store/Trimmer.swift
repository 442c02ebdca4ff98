import Support

/// Keeps a root within its capacity by evicting the least recently used entries.
struct Trimmer: Sendable {
    /// Keeps the cache open during the work.
    let cache: CacheStore

    private var index: Index { cache.index }
    private var clock: Clock { cache.clock }
    private var capacity: Int { cache.settings.capacity }

    /// Trims the root to its capacity without evicting leased and pinned entries, and removes files whose rows were
    /// deleted. Only logs failures, because the entry that was just stored is complete.
    ///
    /// - Parameters:
    ///   - state: the state of the root after the last write.
    ///   - limit: the maximum time. The next run continues an unfinished trim.
    func trim(_ state: RootState, atMost limit: Duration? = nil) {
        do {
            let now = clock.now()
            // Doomed files include files left by killed processes and files of replaced entries.
            if state.hasDoomed { try index.sweep(now: now) }
            guard state.bytes > capacity else { return }
            guard cache.trimsNotBefore.withLock({ $0 <= now }) else { return note(kept: try keptBytes()) }
            try trimToCapacity(now: now, atMost: limit)
        } catch {
            cache.log.detail("cannot trim the cache: \(failure(of: error).message)")
        }
    }

    @discardableResult
    func trimToCapacity(now: Timestamp, atMost limit: Duration? = nil) throws -> EntrySum {
        try trim(to: capacity, now: now, atMost: limit)
    }

    /// Evicts least recently used entries, except for leased and pinned entries, until `bytes` have been freed, and
    /// truncates the index's write-ahead log.
    func makeRoom(for bytes: Int) throws -> EntrySum {
        let now = clock.now()
        try index.sweep(now: now)
        let removal = try trim(to: max(0, try keptBytes() - bytes), now: now, atMost: nil)
        // Truncate the log even if nothing was evicted: readers may have blocked an earlier checkpoint.
        try index.perform { $0.database.truncateLog() }
        return removal
    }

    private func trim(to capacity: Int, now: Timestamp, atMost limit: Duration?) throws -> EntrySum {
        try cache.metrics.measure {
            try trimBatches(to: capacity, now: now, atMost: limit)
        } event: { result, duration in
            let removal = try? result.get()
            return MetricEvent(
                .trim,
                [
                    "entries": removal.map { .integer($0.entries) }, "bytes": removal.map { .integer($0.bytes) },
                    "ms": .time(duration), "code": MetricEvent.code(of: result),
                ])
        }
    }

    private func trimBatches(to capacity: Int, now: Timestamp, atMost limit: Duration?) throws -> EntrySum {
        let end = limit.map { now + $0 }
        var removal = EntrySum()
        while true {
            let batch = try index.write(now: clock.now()) {
                // Read the clock after the wait for the write lock, which may be long. With a lease of 0, `lease_until`
                // is the time of storing. Compared with a time before the wait, entries stored during it would seem
                // leased.
                try $0.entries.trimBatch(capacity: capacity, isUnderway: removal.entries > 0, now: clock.now())
            }
            removal.add(batch.removal)
            try index.sweep(now: now)
            // Below the capacity, continue towards `TrimPlan.target` only for a limited number of evictions.
            if batch.mayContinue, batch.kept > capacity || removal.entries < TrimPlan.headroom {
                if let end, clock.now() >= end { return removal }
                continue
            }
            if batch.kept > capacity, capacity == self.capacity {
                cache.trimsNotBefore.withLock { $0 = now + .seconds(1) }
                note(kept: batch.kept)
            }
            return removal
        }
    }

    /// The bytes of all entries except purged entries.
    private func keptBytes() throws -> Int { try index.perform { try $0.totals.kept().bytes } }

    private func note(kept bytes: Int) { index.demand.withLock { $0.kept = max($0.kept, bytes) } }

    /// Returns true and records the time, unless a process has warned within the last hour. Ignores a recorded time in
    /// the future, because the clock was set back.
    private func mayWarn(now: Timestamp) throws -> Bool {
        try index.write(now: now, isQuiet: true) { connection in
            let last = try connection.database.setting(.capacityWarnedAt).flatMap(Int64.init)
            if let last = last.map(Timestamp.init(milliseconds:)), last <= now, now - last < .seconds(3600) {
                return false
            }
            try connection.database.set(.capacityWarnedAt, to: String(now.milliseconds))
            return true
        }
    }

    /// Warns if this run needed more than the capacity. All processes of the root together warn at most once an hour.
    func reportDemand() {
        let now = clock.now()
        let demand = index.demand.withLock { demand in
            defer { demand = CacheDemand() }
            return demand
        }
        guard let excess = demand.excess(over: capacity) else { return }
        do {
            guard try mayWarn(now: now) else { return }
        } catch {
            cache.log.detail(
                "cannot read the time of the last warning about the capacity: \(failure(of: error).message)")
        }
        cache.log.warning(excess.message(capacity: capacity, isInMemory: cache.settings.memory != nil))
    }
}
