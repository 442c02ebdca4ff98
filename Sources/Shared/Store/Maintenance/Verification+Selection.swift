import Support

extension Verification {
    /// Limits a verification to some entries of the cache's scope, and applies a further check to their contents.
    public struct Selection: Sendable {
        public let filter: EntryFilter
        /// Describes a fault of a file that matches its row, or returns nil.
        public let fault: @Sendable (Entry, File) throws -> String?

        public init(_ filter: EntryFilter, fault: @escaping @Sendable (Entry, File) throws -> String?) {
            self.filter = filter
            self.fault = fault
        }
    }

    /// Calls `body` for every selected entry, on `jobs` threads. Reads the rows page by page. `body` returns the number
    /// of bytes it has read.
    func forEachEntry(
        _ cache: CacheStore, showing progress: Progress = .none,
        _ body: @escaping @Sendable (Entry, ScopeRow) throws -> Int
    ) throws {
        let source = Monitor(EntryCursor(try cache.scopeRows(inAllScopes: selection == nil)))
        let now = clock.now()
        let work: @Sendable () -> Void = { [self] in
            do {
                while found.withLock({ $0.failure == nil }),
                    let (entry, scope) = try source.withLock({ try $0.next(cache.index) })
                {
                    try interruption.check()
                    if let selection, !selection.filter.accepts(entry, now: now) { continue }
                    let bytes = try body(entry, scope)
                    progress.pass(bytes: bytes)
                    progress.finishRecord(failed: false)
                    found.withLock {
                        $0.step.count += 1
                        $0.step.bytes += bytes
                    }
                }
            } catch {
                found.withLock { $0.failure = $0.failure ?? error }
            }
        }
        let others = try (1..<jobs).map { _ in try Thread.start(work) }
        work()
        for thread in others { thread.join() }
        if let failure = found.withLock({ $0.failure }) { throw failure }
    }
}
