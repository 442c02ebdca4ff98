import Support

extension CacheStore {
    /// What a run knows of the last time it trimmed.
    struct Trimming {
        /// Leases keep everything that could go: looking again would cost and give nothing before then.
        var notBefore = Timestamp(milliseconds: .min)
    }

    /// Keeps the root within its capacity as far as leases and pins allow, and removes files that have lost their rows.
    /// That it fails is no reason to fail what was stored.
    ///
    /// - Parameters:
    ///   - size: how large the root is, if that is known: the cost is then nothing if there is nothing to do.
    ///   - limit: how long that may take; the rest is left to the next run.
    func trim(_ size: RootSize? = nil, atMost limit: Duration? = nil) {
        do {
            let now = clock.now()
            let size = try size ?? index.rootSize()
            // Also what another process was killed over, or an entry had to make way for.
            if size.hasDoomed { try index.sweep(now: now) }
            guard size.bytes > settings.capacity else { return }
            guard trimming.withLock({ $0.notBefore <= now }) else { return index.note(kept: size.bytes) }
            try trimToCapacity(now: now, atMost: limit)
        } catch {
            log.detail("the cache was not trimmed: \(failure(of: error).message)")
        }
    }

    /// Gives up the least recently used entries until the root is below its capacity, or nothing more may go.
    @discardableResult
    func trimToCapacity(now: Timestamp, atMost limit: Duration? = nil) throws -> Removal {
        try trim(to: settings.capacity, now: now, atMost: limit)
    }

    /// Gives up the least recently used entries until so many bytes less are there, as far as leases and pins allow, and
    /// the room that the index takes beside its file.
    func makeRoom(for bytes: Int) throws -> Removal {
        let now = clock.now()
        try index.sweep(now: now)
        let removal = try trim(to: max(0, try index.rootSize().bytes - bytes), now: now, atMost: nil)
        // Also if nothing was left to go, as others may have read when the log could have been cut short.
        try index.emptyLog()
        return removal
    }

    @discardableResult
    private func trim(to capacity: Int, now: Timestamp, atMost limit: Duration?) throws -> Removal {
        try metrics.measure {
            try trimBatches(to: capacity, now: now, atMost: limit)
        } event: {
            trimEvent($0, $1)
        }
    }

    private func trimBatches(to capacity: Int, now: Timestamp, atMost limit: Duration?) throws -> Removal {
        let end = limit.map { now + $0 }
        var removal = Removal()
        while true {
            let batch = try index.trimBatch(
                capacity: capacity, isUnderway: removal.entries > 0, clock: clock)
            removal.add(batch.removal)
            try index.sweep(now: now)
            // Below the capacity, room for what comes next is made only as far as that costs little.
            if batch.mayContinue, batch.kept > capacity || removal.entries < TrimPlan.headroom {
                if let end, clock.now() >= end { return removal }
                continue
            }
            if batch.kept > capacity, capacity == settings.capacity {
                trimming.withLock { $0.notBefore = now + .seconds(1) }
                index.note(kept: batch.kept)
            }
            return removal
        }
    }

    /// Warns if this run needed more than the capacity, at most once an hour among all processes on the root.
    func reportDemand() {
        let now = clock.now()
        let demand = index.takeDemand()
        guard let excess = demand.excess(over: settings.capacity) else { return }
        do {
            guard try index.mayWarn("capacity_warned_at", now: now, interval: .seconds(3600)) else { return }
        } catch {
            log.detail("the last warning about the capacity was not looked up: \(failure(of: error).message)")
        }
        log.warning(excess.message(capacity: settings.capacity, isInMemory: settings.memory != nil))
    }
}
